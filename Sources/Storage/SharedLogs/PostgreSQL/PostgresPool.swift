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
            /// All open connections.
            var open: [WeakReference<PostgresConnection>] = []
            /// When a thread may look for another primary; nil while one does.
            var nextSearch: ContinuousClock.Instant? = ContinuousClock.now
        }

        private struct WeakReference<Object: AnyObject & Sendable>: Sendable {
            weak let object: Object?
        }

        /// The maximum number of concurrent calls.
        private static let connectionsMax = 8
        /// For how long a failure to connect counts.
        private static let failureInterval = Duration.milliseconds(20)
        /// How long no other primary is looked for after none was found: many calls may be late.
        private static let searchInterval = Duration.milliseconds(400)
        private static let pools = Mutex<[Key: WeakReference<PostgresPool>]>([:])

        private let address: PostgresAddress
        private let timeout: Duration
        let notifier: PostgresNotifier
        let listener: PostgresListener
        private let state = Mutex(State())
        /// Counts the calls that may begin.
        private let places = ThreadSemaphore()

        private init(_ key: Key) {
            address = key.address
            timeout = key.timeout
            notifier = PostgresNotifier(key.address, timeout: key.timeout)
            listener = PostgresListener(key.address, timeout: key.timeout)
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
                let connection = try connect()
                state.withLock { state in
                    state.open.removeAll { $0.object == nil }
                    state.open.append(WeakReference(object: connection))
                }
                return connection
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
            // A log that is closed ends its own calls only, and a superseded connection was not
            // made by the connections that replace it.
            let hasBroken =
                connection.isBroken && !connection.wasCutOff && !connection.isSuperseded
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
            avoid(connection)
            listener.reconnect()
            notifier.reconnect()
        }

        // MARK: Failover

        /// Another server is tried first from now on: that of a connection has failed.
        func avoid(_ connection: PostgresConnection) {
            PostgresPreference.avoid(connection.server, of: address)
        }

        /// Looks for another primary while a call waits for its answer: a former primary that was
        /// cut off from its standbys answers late or never. If `connect` succeeds, which proves
        /// that server to be the primary, all calls on other servers end.
        func lookForAnotherPrimary(
            _ connect: @escaping @Sendable () throws(SharedLogError) -> PostgresConnection
        ) {
            let begins = state.withLock { state in
                guard let next = state.nextSearch, next <= ContinuousClock.now else { return false }
                state.nextSearch = nil
                return true
            }
            guard begins else { return }
            BlockingWork.start { [self] in
                let found = try? connect()
                if let found { replaceAll(by: found) }
                state.withLock { $0.nextSearch = ContinuousClock.now + Self.searchInterval }
            }
        }

        private func replaceAll(by found: PostgresConnection) {
            let (dropped, others) = state.withLock { state in
                state.breaks += 1
                let others = state.open.compactMap(\.object).filter { $0.server != found.server }
                state.open.removeAll { $0.object?.server != found.server }
                state.open.append(WeakReference(object: found))
                defer { state.idle = [found] }
                return (state.idle, others)
            }
            // They are closed without the lock.
            withExtendedLifetime(dropped) {}
            for connection in others { connection.supersede() }
            listener.reconnect(to: found.server)
            notifier.reconnect(to: found.server)
        }
    }
#endif
