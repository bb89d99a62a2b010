#if PostgreSQL
    import Foundation

    /// What the hosts of a realm notify each other on.
    struct PostgresChannel: Sendable {
        /// Two hashes of the realm's name, which may have any letters and length.
        let name: String

        init(realm: String) {
            let halves = (0..<2).map { seed in
                // Unsafe: lent for the call.
                let hash = Array(realm.utf8).withUnsafeBytes {
                    XXH64.hash($0, seed: UInt64(seed))
                }
                return String(hash, radix: 36)
            }
            name = "realmactors_" + halves.joined(separator: "_")
        }

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

            /// Nil for text of another program.
            init?(payload: String) {
                let rest = String(payload.dropFirst())
                switch payload.first {
                case "e":
                    guard let slot = UInt64(rest) else { return nil }
                    self = .entry(LogSlot(slot))
                case "m":
                    guard let bytes = Data(base64Encoded: rest) else { return nil }
                    self = .message(Array(bytes))
                default: return nil
                }
            }
        }
    }
#endif
