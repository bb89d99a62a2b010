#if PostgreSQL
    import Synchronization

    /// The open connections of a process to the servers of one address: those for calls, the one
    /// that listens, and the one that notifies. They have to leave a server that is no longer the
    /// primary together, whichever of them detects it.
    final class PostgresConnections: Sendable {
        private let address: PostgresAddress
        private let timeout: Duration
        private let members = Mutex<[WeakReference<PostgresConnection>]>([])

        init(_ address: PostgresAddress, timeout: Duration) {
            self.address = address
            self.timeout = timeout
        }

        /// Opens a connection, which is one of ``all`` until it is closed.
        ///
        /// - Parameters:
        ///   - end: ends the waits of the connection.
        ///   - servers: those that are tried, in this order; nil for all.
        func connect(
            endingWith end: PostgresEnd, trying servers: [Int?]? = nil
        ) throws(SharedLogError) -> PostgresConnection {
            let made = try PostgresConnection(address, timeout: timeout, end: end, trying: servers)
            members.withLock { members in
                members.removeAll { $0.object == nil }
                members.append(WeakReference(object: made))
            }
            return made
        }

        /// The connections that are open.
        var all: [PostgresConnection] { members.withLock { $0.compactMap(\.object) } }
    }
#endif
