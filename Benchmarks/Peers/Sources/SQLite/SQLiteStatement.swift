import CSQLite

// Safety: the handle is finalised once, in `deinit`, before the connection that `connection` keeps
// alive. Texts are bound from `texts`, memory of this object that is not moved or freed before
// that. What `firstByte` reads belongs to SQLite until the next step, and is read at once.

/// A prepared statement.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection
    /// Room for the texts of the parameters, so that SQLite need not copy them.
    private let texts: UnsafeMutablePointer<CChar>

    private static let roomPerText = 512
    private static let parameters = 8

    init(_ handle: OpaquePointer, _ connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
        texts = .allocate(capacity: Self.roomPerText * Self.parameters)
    }

    deinit {
        sqlite3_finalize(handle)
        texts.deallocate()
    }

    // MARK: Parameters, numbered from one

    func bind(_ value: Int, at index: Int) {
        sqlite3_bind_int64(handle, Int32(index), Int64(value))
    }

    func bind(_ value: Double, at index: Int) {
        sqlite3_bind_double(handle, Int32(index), value)
    }

    func bind(_ value: String, at index: Int) {
        precondition(value.utf8.count <= Self.roomPerText && index <= Self.parameters)
        let room = texts + (index - 1) * Self.roomPerText
        var value = value
        let count = value.withUTF8 { utf8 in
            UnsafeMutableRawBufferPointer(start: room, count: utf8.count).copyBytes(from: utf8)
            return utf8.count
        }
        // No destructor: the text stays where it is until it is bound anew.
        sqlite3_bind_text(handle, Int32(index), room, Int32(count), nil)
    }

    // MARK: Running

    /// Whether there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw connection.failure("step")
        }
    }

    func reset() { sqlite3_reset(handle) }

    /// Runs a statement that gives no rows.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Gives every row to `body`.
    func forEach(_ body: () throws -> Void) throws {
        defer { reset() }
        while try step() { try body() }
    }

    /// What `read` makes of the only row.
    func single<R>(_ read: (SQLiteStatement) -> R) throws -> R? {
        defer { reset() }
        return try step() ? read(self) : nil
    }

    // MARK: Columns, numbered from zero

    func int(_ column: Int) -> Int { Int(sqlite3_column_int64(handle, Int32(column))) }

    func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    func string(_ column: Int) -> String {
        sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The first byte of a text.
    func firstByte(_ column: Int) -> Int {
        sqlite3_column_text(handle, Int32(column)).map { Int($0[0]) } ?? 0
    }
}
