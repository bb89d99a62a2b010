/// SQLite through its C interface: write-ahead log, prepared statements, a cache and a map that
/// hold the whole data set.
final class SQLitePeer: Peer {
    static let name = "sqlite"

    let connection: SQLiteConnection
    private let path: String
    private let addPerson: SQLiteStatement
    private let addString: SQLiteStatement
    private let addYear: SQLiteStatement
    let byKey: SQLiteStatement
    let byEmail: SQLiteStatement

    init(path: String, durability: PeerDurability) throws {
        self.path = path
        connection = try Self.connect(path)
        // FULL syncs the log with every commit, NORMAL before a checkpoint only.
        let synchronous = durability == .synced ? "FULL" : "NORMAL"
        try connection.execute("PRAGMA synchronous = \(synchronous)")
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS persons (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
                score REAL NOT NULL, active INTEGER NOT NULL, email TEXT NOT NULL);
            CREATE INDEX IF NOT EXISTS persons_email ON persons (email);
            CREATE TABLE IF NOT EXISTS strings (id INTEGER PRIMARY KEY, string TEXT NOT NULL);
            """)
        addPerson = try connection.prepare("INSERT INTO persons VALUES (?, ?, ?, ?, ?, ?)")
        addString = try connection.prepare("INSERT INTO strings (string) VALUES (?)")
        addYear = try connection.prepare("UPDATE persons SET age = age + 1 WHERE id = ?")
        byKey = try connection.prepare("SELECT name, age FROM persons WHERE id = ?")
        byEmail = try connection.prepare("SELECT name, age FROM persons WHERE email = ?")
    }

    static func connect(_ path: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path + "/db.sqlite")
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA cache_size = -262144;
            PRAGMA mmap_size = 1073741824;
            PRAGMA temp_store = MEMORY;
            """)
        return connection
    }

    func close() throws {
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    }

    // MARK: Writing

    func insertPersons(_ numbers: Range<Int>, key: (Int) -> Int) throws {
        try connection.transaction {
            for number in numbers { try insertPerson(number, key: key(number)) }
        }
    }

    func insertPerson(_ number: Int) throws { try insertPerson(number, key: number) }

    private func insertPerson(_ number: Int, key: Int) throws {
        addPerson.bind(key, at: 1)
        addPerson.bind(Dataset.name(number), at: 2)
        addPerson.bind(Dataset.age(number), at: 3)
        addPerson.bind(Dataset.score(number), at: 4)
        addPerson.bind(Dataset.isActive(number) ? 1 : 0, at: 5)
        addPerson.bind(Dataset.email(number), at: 6)
        try addPerson.run()
    }

    func insertString(_ number: Int) throws {
        addString.bind(Dataset.text(number), at: 1)
        try addString.run()
    }

    func incrementAllAges() throws {
        try connection.execute("UPDATE persons SET age = age + 1")
    }

    func incrementAge(of key: Int) throws {
        addYear.bind(key, at: 1)
        try addYear.run()
    }

    func deleteOlder() throws {
        try connection.execute("DELETE FROM persons WHERE age > 30")
    }

    // MARK: Reading beside a writer

    var readers: @Sendable () throws -> any PeerReader {
        let path = path
        return { try SQLiteReader(path: path) }
    }
}

/// A connection of its own, as SQLite wants it for every thread.
private final class SQLiteReader: PeerReader {
    private let connection: SQLiteConnection
    private let byKey: SQLiteStatement
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    init(path: String) throws {
        connection = try SQLitePeer.connect(path)
        byKey = try connection.prepare("SELECT name, age FROM persons WHERE id = ?")
        begin = try connection.prepare("BEGIN")
        commit = try connection.prepare("COMMIT")
    }

    func lookUp(_ keys: [Int]) throws -> (found: Int, sum: Int) {
        try begin.run()
        var found = 0
        var sum = 0
        for key in keys {
            byKey.bind(key, at: 1)
            guard let value = try byKey.single({ $0.firstByte(0) + $0.int(1) }) else { continue }
            sum &+= value
            found += 1
        }
        try commit.run()
        return (found, sum)
    }
}
