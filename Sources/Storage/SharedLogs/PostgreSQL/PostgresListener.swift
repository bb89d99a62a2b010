#if PostgreSQL
    import Synchronization

    /// What the threads that wait for the shared logs of a process on one server have together: a
    /// connection that listens on the channels of all of them.
    ///
    /// One of the waiting threads reads from it for all, and wakes those that something has come
    /// for. When it leaves, it wakes another one to go on.
    final class PostgresListener: Sendable {
        /// A log that waits now and then.
        private struct Member {
            let channel: String
            let waking: WakePipe
            var isListening = false
            /// Whether its thread sleeps, or is about to.
            var isAsleep = false
            /// Whether the caller is to look by itself: it was woken, or something may be missed.
            var isToLook = false
            /// The newest slot that a notification has named.
            var newest = LogSlot(0)
            var messages: [[UInt8]] = []

            func hasNews(for slot: LogSlot) -> Bool {
                slot <= newest || isToLook || !messages.isEmpty
            }
        }

        private struct State {
            var members: [ObjectIdentifier: Member] = [:]
            /// What the connection listens on for logs that are gone.
            var leftChannels: Set<String> = []
            /// Whether one of the threads has the connection.
            var isRead = false
            /// Whether the engine can notify at all.
            var canListen = true

            /// Wakes a thread to read, if none does.
            func handOver() {
                if isRead { return }
                members.values.first { $0.isAsleep }?.waking.signal()
            }
        }

        private enum Step {
            case tell([[UInt8]])
            case read
            case sleep(isNew: Bool)
            /// The engine knows no LISTEN.
            case ask
        }

        private let address: PostgresAddress
        private let patience: Duration
        private let state = Mutex(State())
        /// That of the thread that reads.
        private let connection = Mutex<PostgresConnection?>(nil)
        /// Signalled when there is a channel that the thread that reads is to listen on.
        private let interruption = Mutex<WakePipe?>(nil)

        init(_ address: PostgresAddress, patience: Duration) {
            self.address = address
            self.patience = patience
        }

        /// How many logs wait now and then.
        var memberCount: Int { state.withLock { $0.members.count } }

        /// Has nobody listen, as where the engine cannot do that.
        func stopListening() { state.withLock { $0.canListen = false } }

        /// Has the log's next wait, or the one that is under way, return.
        func wake(_ log: PostgresSharedLog) {
            if log.isClosed.load(ordering: .acquiring) { return log.waking.signal() }
            // Also the first wait, which has not begun.
            let new = Member(channel: log.channel.name, waking: log.waking)
            state.withLock { $0.members[ObjectIdentifier(log), default: new].isToLook = true }
            log.waking.signal()
        }

        /// Ends the waits of a log.
        func remove(_ log: PostgresSharedLog) {
            state.withLock { state in
                let member = state.members.removeValue(forKey: ObjectIdentifier(log))
                if let member, member.isListening { state.leftChannels.insert(member.channel) }
                state.handOver()
            }
        }

        /// What has been sent to the log when something has come, or the time is over; nil where
        /// the engine has to be asked.
        func wait(
            _ log: PostgresSharedLog, for slot: LogSlot, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) -> [[UInt8]]? {
            let id = ObjectIdentifier(log)
            state.withLock { state in
                if state.members[id] != nil { return }
                state.members[id] = Member(channel: log.channel.name, waking: log.waking)
            }
            defer { state.withLock { $0.handOver() } }
            var hasRead = false
            while true {
                if log.isClosed.load(ordering: .acquiring) {
                    remove(log)
                    throw .closed
                }
                switch step(id, slot, isOver: ContinuousClock.now >= deadline, hasRead) {
                case .tell(let messages): return messages
                case .ask: return nil
                case .read:
                    defer { state.withLock { $0.isRead = false } }
                    hasRead = true
                    try read(log, slot, until: deadline)
                case .sleep(let isNew):
                    if isNew { interruption.withLock { $0?.signal() } }
                    _ = Platform.poll(
                        [log.waking.descriptor, log.end.descriptor], until: deadline)
                    log.waking.reset()
                    state.withLock { $0.members[id]?.isAsleep = false }
                }
            }
        }

        /// What the thread of a log does next. It reads at least once, unless another one does.
        private func step(
            _ id: ObjectIdentifier, _ slot: LogSlot, isOver: Bool, _ hasRead: Bool
        ) -> Step {
            state.withLock { state in
                guard state.canListen else { return .ask }
                guard var member = state.members[id] else { return .tell([]) }
                defer { state.members[id] = member }
                if member.hasNews(for: slot) || isOver && (hasRead || state.isRead) {
                    member.isToLook = false
                    // What it has reported is for the caller to read.
                    member.newest = LogSlot(0)
                    defer { member.messages = [] }
                    return .tell(member.messages)
                }
                member.isAsleep = state.isRead
                if state.isRead { return .sleep(isNew: !member.isListening) }
                state.isRead = true
                return .read
            }
        }

        // MARK: Reading

        /// Reads for all until something has come for this one, or its time is over.
        private func read(
            _ log: PostgresSharedLog, _ slot: LogSlot, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) {
            try connection.withLock { shared throws(SharedLogError) in
                let interruption = try interruptionPipe()
                if shared == nil { shared = try connect(log, until: deadline) }
                guard let connection = shared else { return }
                connection.end = log.end
                repeat {
                    guard try listen(on: connection), takeInput(of: connection) else {
                        shared = nil
                        return loseConnection()
                    }
                    if hasNews(log, for: slot) { return }
                    let ready = Platform.poll(
                        [
                            connection.descriptor, log.waking.descriptor, interruption.descriptor,
                            log.end.descriptor,
                        ], until: deadline)
                    if ready[1] { return log.waking.reset() }
                    if ready[2] { interruption.reset() }
                    if ready[3] || !ready.contains(true) { return }
                } while true
            }
        }

        private func interruptionPipe() throws(SharedLogError) -> WakePipe {
            try interruption.withLock { shared throws(SharedLogError) in
                if let pipe = shared { return pipe }
                let pipe = try WakePipe()
                shared = pipe
                return pipe
            }
        }

        private func connect(
            _ log: PostgresSharedLog, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) -> PostgresConnection {
            do throws(SharedLogError) {
                return try PostgresConnection(address, patience: patience, end: log.end)
            } catch {
                // A caller that tries again at once must not keep the processor busy.
                let next = min(deadline, .now + .milliseconds(200))
                if Platform.poll([log.end.descriptor], until: next)[0] { throw .closed }
                throw error
            }
        }

        /// What an engine says that has no LISTEN: the feature, or the word, is not known.
        private static let unknownStates: Set<String> = ["0A000", "42601"]

        /// Listens on the channels that are new; false when the connection has ended.
        private func listen(on connection: PostgresConnection) throws(SharedLogError) -> Bool {
            let (channels, left) = state.withLock { state in
                let members = state.members.values
                defer { state.leftChannels = [] }
                return (
                    Set(members.lazy.filter { !$0.isListening }.map(\.channel)),
                    state.leftChannels.subtracting(members.lazy.map(\.channel))
                )
            }
            if channels.isEmpty, left.isEmpty { return true }
            let script =
                left.map { "UNLISTEN \($0);" }.joined() + channels.map { "LISTEN \($0);" }.joined()
            do throws(PostgresConnection.Failure) {
                try connection.runScript(script)
            } catch {
                if case .undone(let state, _) = error, Self.unknownStates.contains(state) {
                    stopListening()
                } else {
                    // A caller that tries again at once must not keep the processor busy.
                    _ = Platform.poll(
                        [connection.end.descriptor], until: .now + .milliseconds(200))
                }
                return false
            }
            change { member in
                guard channels.contains(member.channel), !member.isListening else { return false }
                member.isListening = true
                // What came before it listened is for the caller to look at.
                member.isToLook = true
                return true
            }
            return true
        }

        /// Takes what has arrived; false when the connection has ended.
        private func takeInput(of connection: PostgresConnection) -> Bool {
            let isOpen = connection.takeInput()
            while let (channel, payload) = connection.nextNotification() {
                guard let news = PostgresChannel.Notification(payload: payload) else { continue }
                change { member in
                    guard member.channel == channel else { return false }
                    switch news {
                    case .entry(let slot): member.newest = max(member.newest, slot)
                    case .message(let message): member.messages.append(message)
                    }
                    return true
                }
            }
            return isOpen
        }

        private func hasNews(_ log: PostgresSharedLog, for slot: LogSlot) -> Bool {
            state.withLock { state in
                state.members[ObjectIdentifier(log)]?.hasNews(for: slot) ?? true
            }
        }

        /// Each caller looks by itself, and the next wait listens again.
        private func loseConnection() {
            change { member in
                member.isListening = false
                member.isToLook = true
                return true
            }
        }

        /// Changes members, and wakes those of which `change` says that they are to know.
        private func change(_ change: (inout Member) -> Bool) {
            state.withLock { state in
                for id in state.members.keys {
                    guard var member = state.members[id] else { continue }
                    if change(&member), member.isAsleep { member.waking.signal() }
                    state.members[id] = member
                }
            }
        }
    }

    extension PostgresSharedLog {
        package func wait(
            for slot: LogSlot, atMost limit: Duration
        ) throws(SharedLogError) -> [[UInt8]] {
            if isClosed.load(ordering: .acquiring) { throw .closed }
            let deadline = ContinuousClock.now + limit
            if let messages = try pool.listener.wait(self, for: slot, until: deadline) {
                return messages
            }
            try poll(for: slot, until: deadline)
            return []
        }

        /// Asks the engine again and again, less often while nothing happens.
        private func poll(
            for slot: LogSlot, until deadline: ContinuousClock.Instant
        ) throws(SharedLogError) {
            while try slot >= head().next {
                let next = min(deadline, .now + lengthenPause())
                let ready = Platform.poll([waking.descriptor, end.descriptor], until: next)
                if ready[1] { throw .closed }
                if ready[0] { waking.reset() }
                if ready[0] || next == deadline { return }
            }
            pause.withLock { $0 = Self.firstPause }
        }

        private func lengthenPause() -> Duration {
            pause.withLock { pause in
                defer { pause = min(pause * 2, .seconds(1)) }
                return pause
            }
        }

        package func wake() { pool.listener.wake(self) }
    }
#endif
