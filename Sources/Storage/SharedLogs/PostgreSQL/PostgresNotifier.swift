#if PostgreSQL
    import Synchronization

    /// Sends the messages of a process's hosts on one server asynchronously, on a separate
    /// connection and thread. Messages that cannot be sent are lost: hosts repeat requests.
    final class PostgresNotifier: Sendable {
        private struct State {
            /// One line for each notification: its channel and payload.
            var lines: [String] = []
            var isScheduled = false
        }

        /// The maximum number of pending notifications for a server that does not answer; the
        /// oldest are lost.
        static let waitingMax = 4096

        private let connections: PostgresConnections
        private let thread = SerialThread(name: "RealmActors notify")
        private let state = Mutex(State())
        /// Used only by the thread.
        private let connection = Mutex<PostgresConnection?>(nil)

        init(_ connections: PostgresConnections) { self.connections = connections }

        /// How many notifications wait to be sent: for tests.
        var waitingCount: Int { state.withLock { $0.lines.count } }

        /// Sends a message. Returns at once.
        func send(_ notification: PostgresChannel.Notification, on channel: PostgresChannel) {
            let line = "\(channel.name) \(notification.payload)"
            let isScheduled = state.withLock { state in
                if state.lines.count == Self.waitingMax { state.lines.removeFirst() }
                state.lines.append(line)
                defer { state.isScheduled = true }
                return state.isScheduled
            }
            if !isScheduled { thread.run { [self] in flush() } }
        }

        private func flush() {
            let lines = state.withLock { state in
                defer { (state.lines, state.isScheduled) = ([], false) }
                return state.lines
            }
            let text = lines.joined(separator: "\n")
            // A server that was restarted has ended the connection, which is detected when it is
            // used.
            for _ in 0..<2 {
                if (try? send(text)) != nil { return }
                connection.withLock { $0 = nil }
            }
        }

        private static let statement = """
            SELECT pg_notify(split_part(line, ' ', 1), split_part(line, ' ', 2))
            FROM unnest(string_to_array($1, E'\\n')) AS line
            """

        private func send(_ lines: String) throws(SharedLogError) {
            try connection.withLock { shared throws(SharedLogError) in
                if shared?.isRetired != false { shared = try connect() }
                _ = try shared?.read(Self.statement, [.text(lines)])
            }
        }

        private func connect() throws(SharedLogError) -> PostgresConnection {
            let made = try connections.connectToServerOfCalls(endingWith: PostgresEnd())
            try made.readScript("SET synchronous_commit = off")
            try PostgresDurability.identify(made)
            return made
        }
    }
#endif
