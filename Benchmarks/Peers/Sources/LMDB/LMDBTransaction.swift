import CLMDB

// Safety: the handle is valid until the transaction is committed or aborted, and whoever made it
// does that once. Keys and values that go to LMDB are memory of the caller, valid during the call;
// what comes from LMDB belongs to the map and is valid until the transaction's next write or end,
// and is read at once.

/// A transaction, and the calls that the workloads need. Keys are 64-bit numbers.
struct LMDBTransaction {
    let handle: OpaquePointer
    let environment: LMDBEnvironment

    init(_ handle: OpaquePointer, _ environment: LMDBEnvironment) {
        self.handle = handle
        self.environment = environment
    }

    func abort() { mdb_txn_abort(handle) }

    func reset() { mdb_txn_reset(handle) }

    func renew() throws { try check(mdb_txn_renew(handle), "renew") }

    func count(_ table: MDB_dbi) throws -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(handle, table, &statistics), "stat")
        return statistics.ms_entries
    }

    /// Stores a value under a number; `MDB_APPEND` where numbers ascend.
    func put(
        _ table: MDB_dbi, _ key: Int, _ value: UnsafeMutableRawBufferPointer, _ flags: Int32 = 0
    ) throws {
        var key = key
        try withUnsafeMutableBytes(of: &key) { key in
            var keyValue = MDB_val(key)
            var value = MDB_val(value)
            try check(mdb_put(handle, table, &keyValue, &value, UInt32(flags)), "put")
        }
    }

    /// The value under a number; nil when there is none.
    func get(_ table: MDB_dbi, _ key: Int) throws -> UnsafeRawPointer? {
        var key = key
        return try withUnsafeMutableBytes(of: &key) { key in
            var keyValue = MDB_val(key)
            return try get(table, &keyValue)
        }
    }

    private func get(_ table: MDB_dbi, _ key: inout MDB_val) throws -> UnsafeRawPointer? {
        var value = MDB_val()
        let code = mdb_get(handle, table, &key, &value)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "get")
        return UnsafeRawPointer(value.mv_data)
    }

    // MARK: The index

    func putEmail(_ email: UnsafeMutableRawBufferPointer, _ key: Int) throws {
        var key = key
        try withUnsafeMutableBytes(of: &key) { key in
            var email = MDB_val(email)
            var value = MDB_val(key)
            try check(mdb_put(handle, environment.emails, &email, &value, 0), "put")
        }
    }

    func deleteEmail(_ email: UnsafeMutableRawBufferPointer, _ key: Int) throws {
        var key = key
        try withUnsafeMutableBytes(of: &key) { key in
            var email = MDB_val(email)
            var value = MDB_val(key)
            try check(mdb_del(handle, environment.emails, &email, &value), "delete")
        }
    }

    /// The first person with an e-mail address.
    func person(email: String) throws -> LMDBPerson? {
        var email = email
        let key = try email.withUTF8 { bytes in
            var value = MDB_val(UnsafeMutableRawBufferPointer(mutating: .init(bytes)))
            return try get(environment.emails, &value)?.loadUnaligned(as: Int.self)
        }
        return try key.flatMap(person)
    }

    // MARK: Persons

    func person(_ key: Int) throws -> LMDBPerson? {
        try get(environment.persons, key).map(LMDBPerson.init)
    }

    /// Gives every person to `body`, in the order of keys.
    func forEachPerson(_ body: (LMDBPerson) throws -> Void) throws {
        try forEachPerson { _, person, _ in try body(person) }
    }

    /// The same with the key and the cursor, which may change or delete what it stands on.
    func forEachPerson(
        _ body: (_ key: Int, LMDBPerson, _ cursor: OpaquePointer) throws -> Void
    ) throws {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(handle, environment.persons, &cursor), "cursor")
        guard let cursor else { throw PeerFailure(description: "no cursor") }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
            guard let keyData = key.mv_data, let data = value.mv_data else { continue }
            try body(keyData.loadUnaligned(as: Int.self), LMDBPerson(data), cursor)
        }
    }
}

extension MDB_val {
    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: bytes.baseAddress)
    }
}
