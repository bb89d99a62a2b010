// Safety: a connection of libpq belongs to its handle, which finishes it with its last reference.

#if PostgreSQL
    import CPostgreSQL
    import Synchronization

    // Unchecked, and safe: who has made it hands it on, and does not use it any more.
    /// A connection of libpq, in whatever state it has reached.
    final class PostgresHandle: @unchecked Sendable {
        let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        deinit { PQfinish(pointer) }
    }

    /// A connection that is being made. Nothing ends libpq's search for a server, which may take
    /// seconds for each that does not answer: a thread of its own makes the connection, and closes
    /// it when its log does not wait any more.
    final class PostgresAttempt: Sendable {
        private enum Outcome {
            case pending
            /// Nil when there is no memory.
            case made(PostgresHandle?)
        }

        /// How often a wait checks whether its log limits attempts.
        private static let interval = Duration.seconds(1)

        private let outcome = Mutex(Outcome.pending)

        private init() {}

        /// Connects. `waking` is one that `end` signals, before what this returns is done.
        static func connect(
            to address: PostgresAddress, _ waking: WakePipe, endedBy end: PostgresEnd
        ) throws(SharedLogError) -> PostgresHandle {
            let attempt = PostgresAttempt()
            BlockingWork.start {
                let made = address.connect()
                attempt.outcome.withLock { $0 = .made(made) }
                waking.signal()
            }
            while true {
                guard Platform.poll([waking.descriptor], until: .now + interval)[0] else {
                    if end.limitsAttempts {
                        throw .unavailable("The server was not reached in time.")
                    }
                    continue
                }
                waking.reset()
                // It is looked at behind the reset, which may have taken its signal.
                if end.isOver { throw .closed }
                if let handle = try attempt.take() { return handle }
            }
        }

        /// The connection; nil while there is none.
        private func take() throws(SharedLogError) -> PostgresHandle? {
            let found = outcome.withLock { outcome in
                defer { outcome = .pending }
                return outcome
            }
            guard case .made(let made) = found else { return nil }
            guard let made else { throw .unavailable("no memory") }
            return made
        }
    }
#endif
