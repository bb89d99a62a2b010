#if PostgreSQL
    /// A parameter of a statement, in the binary format of the server.
    enum PostgresValue {
        case text(String)
        case integer(Int64)
        case bytes([UInt8])

        /// The number that the server knows the type by.
        var type: UInt32 {
            switch self {
            case .text: 25
            case .integer: 20
            case .bytes: 17
            }
        }

        /// Never empty, so that a pointer to it is valid: the first `count` bytes are the value.
        var encoded: (bytes: [UInt8], count: Int) {
            switch self {
            case .text(let text): (Array(text.utf8) + [0], text.utf8.count)
            case .integer(let number):
                ((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }, 8)
            case .bytes(let bytes): (bytes.isEmpty ? [0] : bytes, bytes.count)
            }
        }

        static func hash(_ hash: SharedEntryHash) -> PostgresValue {
            .integer(Int64(bitPattern: hash.rawValue))
        }

        static func slot(_ slot: LogSlot) -> PostgresValue {
            .integer(Int64(clamping: slot.rawValue))
        }
    }

    extension LogSlot {
        /// The slot in a column.
        init(column number: Int64) { self.init(UInt64(max(number, 0))) }
    }
#endif
