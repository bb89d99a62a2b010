#if PostgreSQL
    extension PostgresConnection {
        /// The failure of a call.
        enum Failure: Error {
            /// It was not sent.
            case notSent(String)
            /// The connection ended, or the call timed out, before the answer.
            case unanswered(String)
            /// The server has rolled it back, with this error code.
            case undone(state: String, String)
            /// The server has committed it, but it may not be replicated.
            case notReplicated

            /// The error of a call that writes nothing, or whose writes do not matter.
            var ofReading: SharedLogError {
                switch self {
                case .notSent(let why), .unanswered(let why): .unavailable(why)
                case .undone(let state, let why): Self.undone(state, why)
                case .notReplicated: .unavailable(Self.alone)
                }
            }

            /// The error of an append.
            var ofAppending: SharedLogError {
                switch self {
                case .notSent(let why): .unavailable(why)
                case .unanswered(let why): .outcomeUnknown(why)
                case .undone(let state, let why): Self.undone(state, why)
                case .notReplicated: .outcomeUnknown(Self.alone)
                }
            }

            private static let alone = "The server did not wait for its standbys."

            private static func undone(_ state: String, _ why: String) -> SharedLogError {
                // The session has lost its prepared statements, or has those of another session.
                if PostgresConnection.lostStates.contains(state) {
                    return .refused(
                        "\(why) (\(state)). A pooler that changes the server connection between "
                            + "transactions is not supported.")
                }
                // Transient errors: resources, conflicts, locks, a server that is temporarily
                // read-only.
                let passing = ["53", "40", "55", "57", "58"].contains { state.hasPrefix($0) }
                return passing || state == "25006"
                    ? .unavailable(why) : .refused("\(why) (\(state))")
            }
        }

        /// The error codes for prepared statements of another session.
        static let lostStates: Set<String> = ["26000", "42P05"]

        /// The error codes of an engine that does not support a statement: the feature, the syntax,
        /// or a function.
        static let unsupportedStates: Set<String> = ["0A000", "42601", "42883"]
    }
#endif
