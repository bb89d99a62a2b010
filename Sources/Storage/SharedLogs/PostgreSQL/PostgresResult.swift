// Safety: a result is owned by this object, which frees it when it is deinitialized; contents are
// copied, and rows and columns are within its bounds.

#if PostgreSQL
    import CPostgreSQL
    import Foundation

    // Unchecked, and safe: it is immutable. The result of libpq is owned only by this object, which
    // gets it from the call that allocates it, and frees it when it is deinitialized.
    /// The answer of a server to a statement, in binary.
    final class PostgresResult: @unchecked Sendable {
        private let result: OpaquePointer

        /// Takes over a result of libpq.
        init(owning result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        var isError: Bool {
            let status = PQresultStatus(result)
            return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK
        }

        /// Whether it is not a result, but marks the end of the preceding part of a pipeline.
        var isEndOfTransaction: Bool { PQresultStatus(result) == PGRES_PIPELINE_SYNC }

        var rows: Int { Int(PQntuples(result)) }

        /// How many rows a statement has changed.
        var changedRows: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

        /// The five letters of an error.
        var state: String { field("C") }

        /// The first line of an error.
        var message: String { field("M") }

        /// A number of 4 or 8 bytes.
        func integer(_ row: Int, _ column: Int) -> Int64 {
            bytes(row, column).reduce(0) { $0 << 8 | Int64($1) }
        }

        func text(_ row: Int, _ column: Int) -> String {
            String(decoding: bytes(row, column), as: UTF8.self)
        }

        func bytes(_ row: Int, _ column: Int) -> [UInt8] {
            precondition(row < rows && column < PQnfields(result))
            let count = Int(PQgetlength(result, Int32(row), Int32(column)))
            guard count > 0, let start = PQgetvalue(result, Int32(row), Int32(column)) else {
                return []
            }
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        private func field(_ letter: Character) -> String {
            Self.field(result, letter)
        }

        /// A field of an error or a notice, by its letter in the protocol.
        static func field(_ result: OpaquePointer, _ letter: Character) -> String {
            let code = Int32(letter.asciiValue ?? 0)
            return PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
        }
    }
#endif
