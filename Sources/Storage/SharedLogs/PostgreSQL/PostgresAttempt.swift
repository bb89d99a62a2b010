// Safety: a connection of libpq is owned by its handle, which finishes it when it is deinitialized.

#if PostgreSQL
    import CPostgreSQL
    import Synchronization

    // Unchecked, and safe: the thread that creates it transfers it, and does not use it afterwards.
    /// A connection of libpq, established or failed.
    final class PostgresHandle: @unchecked Sendable {
        let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        deinit { PQfinish(pointer) }
    }

    /// A connection attempt. It cannot be cancelled in libpq, where each host that does not answer
    /// may take seconds: a separate thread connects, and closes the connection if its log does not
    /// wait any more.
    final class PostgresAttempt: Sendable {
        private enum Outcome {
            case pending
            /// Nil without memory.
            case made(PostgresHandle?)
        }

        /// How often a wait checks whether its log limits attempts.
        private static let interval = Duration.seconds(1)

        private let outcome = Mutex(Outcome.pending)

        private init() {}

        /// Connects. `waking` is a pipe that `end` signals.
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
                // Checked after the reset, which may have consumed the signal.
                if end.isOver { throw .closed }
                if let handle = try attempt.take() { return handle }
            }
        }

        /// The connection; nil while there is no outcome.
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
