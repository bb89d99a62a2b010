#if PostgreSQL
    import Synchronization

    /// What the thread that waits has: a connection that listens, or where the engine cannot do
    /// that, how often it is asked instead.
    // Unchecked: the log uses it with a lock held only.
    final class PostgresListener: @unchecked Sendable {
        /// Nil where the engine knows no LISTEN.
        let connection: PostgresConnection?
        /// The newest slot that a notification has named.
        private var newest = LogSlot(0)
        private(set) var messages: [[UInt8]] = []
        /// How long the next pause between two questions is.
        private var pause = Duration.milliseconds(10)

        init(_ connection: PostgresConnection?) { self.connection = connection }

        /// Listens on `connection` where the engine can do that.
        convenience init(
            _ connection: PostgresConnection, _ channel: PostgresChannel
        ) throws(SharedLogError) {
            do throws(PostgresConnection.Failure) {
                try connection.runScript("LISTEN \(channel.name)")
            } catch {
                guard case .undone = error else { throw error.ofReading }
                self.init(nil)
                return
            }
            self.init(connection)
        }

        /// Takes what has arrived; false when the connection has ended.
        func takeInput() -> Bool {
            guard let connection else { return true }
            let isOpen = connection.takeInput()
            while let payload = connection.nextNotification() {
                switch PostgresChannel.Notification(payload: payload) {
                case .entry(let slot): newest = max(newest, slot)
                case .message(let message): messages.append(message)
                case nil: break
                }
            }
            return isOpen
        }

        func hasNews(for slot: LogSlot) -> Bool { slot <= newest || !messages.isEmpty }

        func takeMessages() -> [[UInt8]] {
            // What it has reported is for the caller to read.
            newest = LogSlot(0)
            defer { messages = [] }
            return messages
        }

        /// The next pause between two questions: longer and longer while nothing happens.
        func nextPause() -> Duration {
            defer { pause = min(pause * 2, .seconds(1)) }
            return pause
        }

        /// Something has happened.
        func resetPause() { pause = .milliseconds(10) }
    }

    extension PostgresSharedLog {
        package func wait(
            for slot: LogSlot, atMost limit: Duration
        ) throws(SharedLogError) -> [[UInt8]] {
            try listener.withLock { shared throws(SharedLogError) in
                if isClosed.load(ordering: .acquiring) { throw .closed }
                let deadline = ContinuousClock.now + limit
                guard let listener = shared else {
                    shared = try listen(until: deadline)
                    // What came before it listened is for the caller to look at.
                    return []
                }
                let isOpen = try wait(listener, for: slot, until: deadline)
                if !isOpen { shared = nil }
                return listener.takeMessages()
            }
        }

        /// False when the connection has ended.
        private func wait(
            _ listener: PostgresListener, for slot: LogSlot, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) -> Bool {
            while listener.takeInput() {
                if isClosed.load(ordering: .acquiring) { throw .closed }
                if listener.hasNews(for: slot) { return true }
                guard let connection = listener.connection else {
                    return try poll(listener, for: slot, until: deadline)
                }
                let ready = Platform.poll(
                    [connection.descriptor, waking.descriptor, end.descriptor], until: deadline)
                if ready[1] {
                    waking.reset()
                    return true
                }
                if !ready.contains(true) { return true }
            }
            return false
        }

        /// Asks the engine again and again.
        private func poll(
            _ listener: PostgresListener, for slot: LogSlot, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) -> Bool {
            while try slot >= head().next {
                let next = min(deadline, .now + listener.nextPause())
                let ready = Platform.poll([waking.descriptor, end.descriptor], until: next)
                if ready[1] { throw .closed }
                if ready[0] { waking.reset() }
                if ready[0] || next == deadline { return true }
            }
            listener.resetPause()
            return true
        }

        private func listen(
            until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) -> PostgresListener {
            do throws(SharedLogError) {
                let connection = try PostgresConnection(address, patience: patience, end: end)
                return try PostgresListener(connection, channel)
            } catch {
                // A caller that tries again at once must not keep the processor busy.
                let next = min(deadline, .now + .milliseconds(200))
                if Platform.poll([end.descriptor], until: next)[0] { throw .closed }
                throw error
            }
        }

        package func wake() { waking.signal() }
    }
#endif
