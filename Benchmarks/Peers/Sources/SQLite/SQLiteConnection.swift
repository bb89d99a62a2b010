import CSQLite

// Safety: the handle comes from sqlite3_open_v2, is used only by this object and its statements
// (which keep it alive), and is closed once, in `close`.

/// A connection to a SQLite database.
final class SQLiteConnection {
    private var handle: OpaquePointer?

    init(path: String) throws {
        // The connection is used from one thread at a time, so that SQLite needs no locks.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else { throw failure("open") }
        sqlite3_busy_timeout(handle, 10_000)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure(sql) }
        return SQLiteStatement(statement, self)
    }

    /// Runs work between BEGIN and COMMIT.
    func transaction<R>(_ kind: String = "BEGIN IMMEDIATE", _ work: () throws -> R) throws -> R {
        try execute(kind)
        do {
            let result = try work()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    func failure(_ what: String) -> PeerFailure {
        PeerFailure(description: "\(what): \(String(cString: sqlite3_errmsg(handle)))")
    }

    /// Statements that are still there make this wait for their end.
    func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    deinit { close() }
}
