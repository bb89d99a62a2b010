import CLMDB

// Safety: `buffer` is memory of this object, freed with it; a record is packed into it and given
// to LMDB, which copies it, before the next one is packed.

/// LMDB through its C interface: records packed by hand, an index table kept up to date by hand.
///
/// Without syncs (`MDB_NOSYNC`) a commit survives the death of the process.
final class LMDBPeer: Peer {
    static let name = "lmdb"

    let environment: LMDBEnvironment
    private let buffer: UnsafeMutableRawPointer
    private var nextString: Int

    init(path: String, durability: PeerDurability) throws {
        environment = try LMDBEnvironment(path: path, durability: durability)
        let environment = environment
        nextString = try environment.read { try $0.count(environment.strings) }
        buffer = .allocate(byteCount: LMDBPerson.room, alignment: 8)
    }

    deinit { buffer.deallocate() }

    func close() throws { try environment.close() }

    // MARK: Writing

    func insertPersons(_ numbers: Range<Int>, key: (Int) -> Int) throws {
        // Ascending keys go to the end of the table without a search.
        let isAscending = key(numbers.lowerBound) + 1 == key(numbers.lowerBound + 1)
        try environment.write { transaction in
            for number in numbers {
                let (record, email) = LMDBPerson.pack(number, into: buffer)
                let flags = isAscending ? MDB_APPEND : 0
                try transaction.put(environment.persons, key(number), record, flags)
                try transaction.putEmail(email, key(number))
            }
        }
    }

    func insertPerson(_ number: Int) throws {
        try environment.write { transaction in
            let (record, email) = LMDBPerson.pack(number, into: buffer)
            try transaction.put(environment.persons, number, record)
            try transaction.putEmail(email, number)
        }
    }

    func insertString(_ number: Int) throws {
        var text = Dataset.text(number)
        try environment.write { transaction in
            try text.withUTF8 { bytes in
                let value = UnsafeMutableRawBufferPointer(mutating: .init(bytes))
                try transaction.put(environment.strings, nextString, value, MDB_APPEND)
            }
        }
        nextString += 1
    }

    func incrementAllAges() throws {
        try environment.write { transaction in
            try transaction.forEachPerson { key, person, cursor in
                let record = person.copy(to: buffer, age: person.age + 1)
                try put(record, key, at: cursor)
            }
        }
    }

    func incrementAge(of key: Int) throws {
        try environment.write { transaction in
            guard let person = try transaction.person(key) else { return }
            let record = person.copy(to: buffer, age: person.age + 1)
            try transaction.put(environment.persons, key, record)
        }
    }

    func deleteOlder() throws {
        try environment.write { transaction in
            try transaction.forEachPerson { key, person, cursor in
                guard person.age > 30 else { return }
                // The record's page may move when the cursor deletes: the address is copied first.
                let email = person.email
                let copy = UnsafeMutableRawBufferPointer(start: buffer, count: email.count)
                copy.copyMemory(from: email)
                try check(mdb_cursor_del(cursor, 0), "delete")
                try transaction.deleteEmail(copy, key)
            }
        }
    }

    /// Overwrites what a cursor stands on.
    private func put(
        _ record: UnsafeMutableRawBufferPointer, _ key: Int, at cursor: OpaquePointer
    ) throws {
        var key = key
        try withUnsafeMutableBytes(of: &key) { key in
            var keyValue = MDB_val(key)
            var value = MDB_val(record)
            try check(mdb_cursor_put(cursor, &keyValue, &value, UInt32(MDB_CURRENT)), "put")
        }
    }

    // MARK: Reading beside a writer

    var readers: @Sendable () throws -> any PeerReader {
        let environment = environment
        return { try LMDBReader(environment) }
    }
}

/// A read transaction that is renewed, so that no reader slot is searched again.
private final class LMDBReader: PeerReader {
    private let transaction: LMDBTransaction

    init(_ environment: LMDBEnvironment) throws {
        transaction = try environment.reader()
        transaction.reset()
    }

    deinit { transaction.abort() }

    func lookUp(_ keys: [Int]) throws -> (found: Int, sum: Int) {
        try transaction.renew()
        defer { transaction.reset() }
        var found = 0
        var sum = 0
        for key in keys {
            guard let person = try transaction.person(key) else { continue }
            sum &+= person.initial + person.age
            found += 1
        }
        return (found, sum)
    }
}
