#if PostgreSQL
    import Foundation

    /// The channel on which the hosts of a realm notify each other.
    struct PostgresChannel: Sendable {
        let name: String

        init(realm: String) { name = PostgresName.of(realm) }

        enum Notification: Equatable {
            case entry(LogSlot)
            case message([UInt8])

            /// The text that is sent.
            var payload: String {
                switch self {
                case .entry(let slot): "e\(slot)"
                case .message(let bytes): "m" + Data(bytes).base64EncodedString()
                }
            }

            /// Nil for payloads of another program.
            init?(payload: String) {
                let rest = String(payload.dropFirst())
                switch payload.first {
                case "e":
                    // Any role may notify, so the number may be that of no slot.
                    guard let number = UInt64(rest), let slot = LogSlot(checking: number)
                    else { return nil }
                    self = .entry(slot)
                case "m":
                    guard let bytes = Data(base64Encoded: rest) else { return nil }
                    self = .message(Array(bytes))
                default: return nil
                }
            }
        }
    }
#endif
