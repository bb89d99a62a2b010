#if PostgreSQL
    import Synchronization

    /// The shared state of all shared logs of a process on one server: the connections for their
    /// calls, few for any number of realms, and one more each to send notifications and to listen.
    final class PostgresPool: Sendable {
        /// The common properties of interchangeable connections.
        struct Key: Hashable, Sendable {
            let address: PostgresAddress
            /// Nil for connections on which nothing is proved or written.
            let durability: SharedLogDurability?
            let timeout: Duration
        }

        private struct State {
            var idle: [PostgresConnection] = []
            /// Why the server could not be reached, and until when no caller tries again.
            var failure: (error: SharedLogError, end: Instant)?
            /// When a thread may look for another primary; nil while one does.
            var nextSearch: Instant? = Instant.now
        }

        /// The maximum number of concurrent calls.
        private static let connectionsMax = 8
        /// For how long a failure to connect counts.
        private static let failureInterval = Duration.milliseconds(20)
        /// How long no other primary is looked for after none was found: many calls may be late.
        private static let searchInterval = Duration.milliseconds(400)
        private static let pools = Mutex<[Key: WeakReference<PostgresPool>]>([:])

        private let key: Key
        /// All connections, in use or not.
        let connections: PostgresConnections
        let notifier: PostgresNotifier
        let listener: PostgresListener
        private let state = Mutex(State())
        /// Counts the calls that may begin.
        private let places = ThreadSemaphore()

        private init(_ key: Key) {
            let connections = PostgresConnections(key)
            self.key = key
            self.connections = connections
            notifier = PostgresNotifier(connections)
            listener = PostgresListener(connections)
            for _ in 0..<Self.connectionsMax { places.signal() }
        }

        /// The shared pool for a key, while it is in use.
        static func shared(_ key: Key) -> PostgresPool {
            pools.withLock { pools in
                if let pool = pools[key]?.object { return pool }
                pools = pools.filter { $0.value.object != nil }
                let pool = PostgresPool(key)
                pools[key] = WeakReference(object: pool)
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
            guard places.wait(upTo: key.timeout) else {
                throw .unavailable("All connections to the server are in use.")
            }
            defer { places.signal() }
            let connection: PostgresConnection
            if let found = take() { connection = found } else { connection = try connect() }
            connection.end = end
            defer { checkIn(connection) }
            return try body(connection)
        }

        /// Connects, unless that has just failed: a server that starts, or has no connection left,
        /// is not asked once more for each of many realms.
        func reach(
            _ connect: () throws(SharedLogError) -> PostgresConnection
        ) throws(SharedLogError) -> PostgresConnection {
            if let failure = state.withLock({ $0.failure }), Instant.now < failure.end {
                throw failure.error
            }
            do throws(SharedLogError) {
                return try connect()
            } catch {
                // A log that is closed ends its own attempt only.
                if error == .closed { throw error }
                let end = Instant.now + Self.failureInterval
                state.withLock { $0.failure = (error, end) }
                throw error
            }
        }

        /// A working connection, if there is one.
        private func take() -> PostgresConnection? {
            guard let found = state.withLock({ $0.idle.popLast() }) else { return nil }
            // A server that was restarted meanwhile has ended the connection.
            if !found.isRetired, found.takeInput() { return found }
            checkIn(found)
            return take()
        }

        private func checkIn(_ connection: PostgresConnection) {
            if !connection.isBroken {
                return state.withLock { state in
                    if !connection.isRetired { state.idle.append(connection) }
                }
            }
            // A log that is closed ends its own calls only, and those that have replaced a retired
            // connection were made after it.
            if connection.wasCutOff || connection.isRetired { return }
            // Without standbys, another server that accepts writes would be taken for the primary,
            // while this one may have ended a single connection. One that has failed refuses the
            // next connection, or does not prove anything to it.
            if key.durability == .quorum { avoid(connection) }
            // Older ones may lead to a server that is no longer the primary.
            leave(connections.all)
        }

        /// Uses none of `others` for another call, and ends the calls under way on some of them.
        private func leave(
            _ others: [PostgresConnection], ending replaced: [PostgresConnection] = []
        ) {
            // First, so that no call begins on one of them once another one has ended.
            for connection in replaced { connection.retireAsSuperseded() }
            for connection in others { connection.retire() }
            for connection in replaced { connection.supersede() }
            let dropped = state.withLock { state in
                defer { state.idle.removeAll { $0.isRetired } }
                return state.idle
            }
            // They are closed without the lock.
            withExtendedLifetime(dropped) {}
            listener.noteRetirement()
        }

        // MARK: Failover

        /// Another server is tried first from now on: that of a connection has failed.
        func avoid(_ connection: PostgresConnection) {
            PostgresPreference.avoid(connection.server, of: key.address)
        }

        /// Leaves the other servers: that of `primary` has proved to be the primary. Calls under
        /// way there end only with standbys, without which that is no proof.
        func follow(_ primary: PostgresConnection) {
            let others = connections.all.filter { $0.isElsewhere(than: primary) }
            if others.isEmpty { return }
            leave(others, ending: key.durability == .quorum ? others : [])
        }

        /// Looks for another primary while a call waits for its answer: a former primary that was
        /// cut off from its standbys answers late or never. If `connect` succeeds, which proves
        /// that server to be the primary, all calls on other servers end.
        func lookForAnotherPrimary(
            _ connect: @escaping @Sendable () throws(SharedLogError) -> PostgresConnection
        ) {
            let begins = state.withLock { state in
                guard let next = state.nextSearch, next <= Instant.now else { return false }
                state.nextSearch = nil
                return true
            }
            guard begins else { return }
            BlockingWork.start { [self] in
                let found = try? connect()
                if let found { replaceAll(by: found) }
                state.withLock { $0.nextSearch = Instant.now + Self.searchInterval }
            }
        }

        private func replaceAll(by found: PostgresConnection) {
            let others = connections.all.filter { $0 !== found }
            leave(others, ending: others.filter { $0.server != found.server })
            state.withLock { $0.idle.append(found) }
        }
    }
#endif
