#if PostgreSQL
    import Synchronization

    /// The open connections of a process to the servers of one address: those for calls, the one
    /// that listens, and the one that notifies. They have to leave a server that is no longer the
    /// primary together, whichever of them detects it.
    final class PostgresConnections: Sendable {
        private let key: PostgresPool.Key
        private let members = Mutex<[WeakReference<PostgresConnection>]>([])

        init(_ key: PostgresPool.Key) { self.key = key }

        /// Opens a connection, which is one of ``all`` until it is closed.
        ///
        /// - Parameters:
        ///   - end: ends the waits of the connection.
        ///   - servers: those that are tried, in this order; nil for all.
        func connect(
            endingWith end: PostgresEnd, trying servers: [Int?]? = nil
        ) throws(SharedLogError) -> PostgresConnection {
            let made = try PostgresConnection(
                key.address, timeout: key.timeout, end: end, trying: servers)
            members.withLock { members in
                members.removeAll { $0.object == nil }
                members.append(WeakReference(object: made))
            }
            return made
        }

        /// Opens a connection to the server that calls use, if any do. Without standbys, no server
        /// can prove that it is the only primary, and the first one to answer may be another that
        /// accepts writes; with them, its proof decides.
        ///
        /// - Parameters:
        ///   - end: ends the waits of the connection.
        ///   - isForCalls: whether calls will use it.
        /// - Throws: ``SharedLogError/unavailable(_:)`` if that server accepts no connection.
        func connectToServerOfCalls(
            endingWith end: PostgresEnd, isForCalls: Bool = false
        ) throws(SharedLogError) -> PostgresConnection {
            let first = try connect(endingWith: end)
            guard let other = try admit(first, isForCalls) else { return first }
            let made = try connect(endingWith: end, trying: [other.server])
            if try admit(made, isForCalls) != nil {
                throw .unavailable("Other calls use another server.")
            }
            return made
        }

        /// Checks that no call uses another server than that of a connection.
        ///
        /// - Returns: a connection of calls to another server, if there is one.
        private func admit(
            _ connection: PostgresConnection, _ isForCalls: Bool
        ) throws(SharedLogError) -> PostgresConnection? {
            guard key.durability == .singleServer else { return nil }
            do throws(SharedLogError) {
                try PostgresDurability.identify(connection)
            } catch {
                // A log that was closed meanwhile says nothing about the server.
                if !connection.wasCutOff {
                    PostgresPreference.avoid(connection.server, of: key.address)
                }
                throw error
            }
            // Under the lock, so that of two connections for calls the second finds the first.
            return members.withLock { members in
                for case let other? in members.lazy.map(\.object)
                where other.isForCalls && !other.isRetired && other.isElsewhere(than: connection) {
                    return other
                }
                connection.isForCalls = isForCalls
                return nil
            }
        }

        /// The connections that are open.
        var all: [PostgresConnection] { members.withLock { $0.compactMap(\.object) } }
    }
#endif
