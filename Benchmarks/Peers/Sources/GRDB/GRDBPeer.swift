import GRDB

/// GRDB through its records and a pool, which gives readers connections of their own; statements
/// that run often are prepared once.
final class GRDBPeer: Peer {
    static let name = "grdb"

    let pool: DatabasePool

    init(path: String, durability: PeerDurability) throws {
        pool = try Self.openPool(path, durability)
    }

    /// A pool over the file, with its tables.
    static func openPool(_ path: String, _ durability: PeerDurability) throws -> DatabasePool {
        var configuration = Configuration()
        // A connection that is just made may find the log locked by another for a moment.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA cache_size = -262144;
                    PRAGMA mmap_size = 1073741824;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        let pool = try DatabasePool(path: path + "/db.sqlite", configuration: configuration)
        try pool.writeWithoutTransaction { database in
            // A pool chooses NORMAL by itself, which does not sync with every commit.
            let synchronous = durability == .synced ? "FULL" : "NORMAL"
            try database.execute(sql: "PRAGMA synchronous = \(synchronous)")
        }
        try pool.write { database in
            try database.create(table: "persons", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
                table.column("age", .integer).notNull()
                table.column("score", .double).notNull()
                table.column("active", .boolean).notNull()
                table.column("email", .text).notNull().indexed()
            }
            try database.create(table: "strings", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("string", .text).notNull()
            }
        }
        return pool
    }

    func close() throws {
        try pool.writeWithoutTransaction { database in
            _ = try database.checkpoint(.truncate)
        }
        try pool.close()
    }

    // MARK: Writing

    func insertPersons(_ numbers: Range<Int>, key: (Int) -> Int) throws {
        try pool.write { database in
            for number in numbers {
                try PersonRecord(number, key: key(number)).insert(database)
            }
        }
    }

    func insertPerson(_ number: Int) throws {
        try pool.write { try PersonRecord(number, key: number).insert($0) }
    }

    func insertString(_ number: Int) throws {
        try pool.write { try StringRecord(string: Dataset.text(number)).insert($0) }
    }

    func incrementAllAges() throws {
        _ = try pool.write { try PersonRecord.updateAll($0, PersonRecord.Columns.age += 1) }
    }

    func incrementAge(of key: Int) throws {
        try Self.incrementAge(of: key, in: pool)
    }

    static func incrementAge(of key: Int, in pool: DatabasePool) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE persons SET age = age + 1 WHERE id = ?")
            try statement.execute(arguments: [key])
        }
    }

    func deleteOlder() throws {
        _ = try pool.write {
            try PersonRecord.filter(PersonRecord.Columns.age > 30).deleteAll($0)
        }
    }

    // MARK: Many tasks

    var readers: @Sendable () throws -> any PeerReader {
        let pool = pool
        return { GRDBReader(pool: pool) }
    }

    static func committer(path: String, durability: PeerDurability) throws -> any PeerCommitter {
        GRDBCommitter(pool: try openPool(path, durability))
    }
}

/// The pool itself: it queues the writes of tasks.
private struct GRDBCommitter: PeerCommitter {
    let pool: DatabasePool

    func insertString(_ number: Int) async throws {
        try await pool.write { try StringRecord(string: Dataset.text(number)).insert($0) }
    }

    func insertPerson(_ number: Int) async throws {
        try await pool.write { try PersonRecord(number, key: number).insert($0) }
    }

    func objectCount() async throws -> Int {
        try await pool.read { try PersonRecord.fetchCount($0) + StringRecord.fetchCount($0) }
    }

    func close() async throws { try pool.close() }
}

/// Reads with a connection of the pool.
private struct GRDBReader: PeerReader {
    let pool: DatabasePool

    func lookUp(_ keys: [Int]) throws -> (found: Int, sum: Int) {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: GRDBPeer.byKey)
            var found = 0
            var sum = 0
            for key in keys {
                guard let person = try PersonRecord.fetchOne(statement, arguments: [key]) else {
                    continue
                }
                sum &+= person.initial + person.age
                found += 1
            }
            return (found, sum)
        }
    }
}
