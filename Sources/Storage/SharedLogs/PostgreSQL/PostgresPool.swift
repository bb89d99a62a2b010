#if PostgreSQL
    import Synchronization

    /// The shared state of all shared logs of a process on one server: the connections for their
    /// calls, few for any number of realms, and one more each to send notifications and to listen.
    final class PostgresPool: Sendable {
        /// The common properties of interchangeable connections.
        struct Key: Hashable, Sendable {
            let address: PostgresAddress
            let durability: SharedLogDurability
            let timeout: Duration
        }

        private struct State {
            var idle: [PostgresConnection] = []
            /// The number of broken connections. Connections from before the last break may lead to
            /// a server that is no longer the primary, and are not used again.
            var breaks = 0
            /// Why the server could not be reached, and until when no caller tries again.
            var failure: (error: SharedLogError, end: ContinuousClock.Instant)?
        }

        private struct Reference {
            weak var pool: PostgresPool?
        }

        /// The maximum number of concurrent calls.
        private static let connectionsMax = 8
        /// For how long a failure to connect counts.
        private static let failureInterval = Duration.milliseconds(20)
        private static let pools = Mutex<[Key: Reference]>([:])

        private let timeout: Duration
        let notifier: PostgresNotifier
        let listener: PostgresListener
        private let state = Mutex(State())
        /// Counts the calls that may begin.
        private let places = ThreadSemaphore()

        private init(_ key: Key) {
            timeout = key.timeout
            notifier = PostgresNotifier(key.address, timeout: key.timeout)
            listener = PostgresListener(key.address, timeout: key.timeout)
            for _ in 0..<Self.connectionsMax { places.signal() }
        }

        /// The shared pool for a key, while it is in use.
        static func shared(_ key: Key) -> PostgresPool {
            pools.withLock { pools in
                if let pool = pools[key]?.pool { return pool }
                pools = pools.filter { $0.value.pool != nil }
                let pool = PostgresPool(key)
                pools[key] = Reference(pool: pool)
                return pool
            }
        }

        /// How many connections are open and not in use: for tests.
        var idleCount: Int { state.withLock { $0.idle.count } }

        /// Calls `body` with a connection whose waits `end` ends: an idle one, or a new one.
        func withConnection<R: Sendable>(
            endingWith end: PostgresEnd,
            _ connect: () throws(SharedLogError) -> PostgresConnection,
            _ body: (PostgresConnection) throws(SharedLogError) -> R
        ) throws(SharedLogError) -> R {
            guard places.wait(upTo: timeout) else {
                throw .unavailable("All connections to the server are in use.")
            }
            defer { places.signal() }
            let (found, breaks) = take()
            let connection: PostgresConnection
            if let found { connection = found } else { connection = try connect() }
            connection.end = end
            defer { checkIn(connection, breaks) }
            return try body(connection)
        }

        /// Connects, unless that has just failed: a server that starts, or has no connection left,
        /// is not asked once more for each of many realms.
        func reach(
            _ connect: () throws(SharedLogError) -> PostgresConnection
        ) throws(SharedLogError) -> PostgresConnection {
            if let failure = state.withLock({ $0.failure }), ContinuousClock.now < failure.end {
                throw failure.error
            }
            do throws(SharedLogError) {
                return try connect()
            } catch {
                // A log that is closed ends its own attempt only.
                if error == .closed { throw error }
                let end = ContinuousClock.now + Self.failureInterval
                state.withLock { $0.failure = (error, end) }
                throw error
            }
        }

        /// A working connection, if there is one, and the number of broken connections at that
        /// time.
        private func take() -> (PostgresConnection?, Int) {
            let (found, breaks) = state.withLock { ($0.idle.popLast(), $0.breaks) }
            // A server that was restarted meanwhile has ended the connection.
            guard let found, !found.takeInput() else { return (found, breaks) }
            checkIn(found, breaks)
            return take()
        }

        private func checkIn(_ connection: PostgresConnection, _ breaks: Int) {
            // A log that is closed ends its own calls only.
            let hasBroken = connection.isBroken && !connection.wasCutOff
            let dropped = state.withLock { state -> [PostgresConnection] in
                if hasBroken {
                    state.breaks += 1
                    defer { state.idle = [] }
                    return state.idle
                }
                if !connection.isBroken, state.breaks == breaks { state.idle.append(connection) }
                return []
            }
            // They are closed without the lock.
            withExtendedLifetime(dropped) {}
            guard hasBroken else { return }
            listener.reconnect()
            notifier.reconnect()
        }
    }
#endif
