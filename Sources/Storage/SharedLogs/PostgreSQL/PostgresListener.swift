#if PostgreSQL
    import Synchronization

    /// Tells the shared logs of a process on one server of what happens there: one connection that
    /// listens on the channels of all of them, and one thread that reads from it while there are
    /// any.
    ///
    /// Notifications may be lost, and some engines have none: now and then it asks for the heads of
    /// all logs, with one statement.
    final class PostgresListener: Sendable {
        /// A log that is watched now and then.
        private struct Member {
            let realm: String
            let channel: String
            var isListening = false
            /// Whether the watcher is to look by itself: it was woken, or something may be missed.
            var isToLook = false
            /// The newest slot that is known to have an entry.
            var newest = LogSlot(0)
            var messages: [[UInt8]] = []
            /// The slot for which the watcher was called last.
            var told: LogSlot?
            var watch: (slot: LogSlot, noticed: SharedLogWatcher)?
            /// When the watcher is to look at what this end has appended itself.
            var lookingTime: ContinuousClock.Instant?

            /// The notice that the watcher is to receive, if any.
            mutating func takeNews() -> SharedLogNotice? {
                guard let (slot, noticed) = watch else { return nil }
                guard slot <= newest || isToLook || !messages.isEmpty else { return nil }
                watch = nil
                isToLook = false
                lookingTime = nil
                // A watcher that has gone on may not have read all of it yet. One that comes back
                // for the same slot does not find there what was said to be.
                if told == slot { newest = LogSlot(0) }
                told = slot
                defer { messages = [] }
                return SharedLogNotice(noticed, .success(messages))
            }
        }

        private struct State {
            var members: [ObjectIdentifier: Member] = [:]
            /// What the connection listens on for logs that are gone.
            var leftChannels: Set<String> = []
            var isRunning = false
            /// Whether the engine can notify at all.
            var canListen = true
            /// Whether the connection may lead to a server that others no longer write to.
            var isStale = false
            /// What the thread sleeps on; nil before the first watch.
            var waking: WakePipe?

            /// The next connection listens on nothing yet.
            mutating func forgetChannels() {
                leftChannels = []
                for id in members.keys { members[id]?.isListening = false }
            }
        }

        /// How often it asks, where notifications may be lost.
        private static let interval = Duration.seconds(1)
        /// How soon it connects again.
        private static let retryInterval = Duration.milliseconds(200)
        /// How soon a watcher is notified of what its own end has appended.
        private static let ownInterval = Duration.milliseconds(20)
        /// How many messages wait for a log that nobody watches any more, or not yet again.
        static let messagesMax = 256
        /// How soon it asks again after something has happened, where there are no notifications.
        private static let askingInterval = Duration.milliseconds(10)

        private let address: PostgresAddress
        private let patience: Duration
        private let thread = SerialThread(name: "RealmActors listener")
        private let state = Mutex(State())

        init(_ address: PostgresAddress, patience: Duration) {
            self.address = address
            self.patience = patience
        }

        /// How many logs it listens for: for tests.
        var memberCount: Int { state.withLock { $0.members.count } }

        /// Has nobody listen, as where the engine cannot do that.
        func stopListening() { state.withLock { $0.canListen = false } }

        /// Has the watcher called once something has come for the log.
        func watch(
            _ log: PostgresSharedLog, for slot: LogSlot, _ noticed: @escaping SharedLogWatcher
        ) {
            // Before the log is looked at: it is removed after it was closed.
            let isReady = change(log) { $0.watch = (slot, noticed) }
            if log.isClosed { return remove(log) }
            if !isReady { fail(.unavailable("There are too many open files.")) }
        }

        /// Moves the watch for an entry behind it, since the log's own end has appended it. To have
        /// the watcher called each time would take more threads than the append itself; it is
        /// notified of many at once.
        func noteAppended(_ log: PostgresSharedLog, _ slot: LogSlot) {
            let id = ObjectIdentifier(log)
            state.withLock { state in
                guard state.members[id]?.watch?.slot == slot else { return }
                state.members[id]?.watch?.slot = slot.next
                if state.members[id]?.lookingTime == nil {
                    state.members[id]?.lookingTime = .now + Self.ownInterval
                }
            }
        }

        /// Has the log's watcher called, or the next one.
        func wake(_ log: PostgresSharedLog) {
            _ = change(log) { $0.isToLook = true }
            // A log that was closed meanwhile must not be in the table again.
            if log.isClosed { remove(log) }
        }

        /// Has a new connection made: another one to this server has broken. Returns at once.
        func reconnect() {
            let waking = state.withLock { state in
                state.isStale = true
                return state.waking
            }
            waking?.signal()
        }

        /// Changes what is known of a log, and has the thread look at it. False when it cannot.
        private func change(_ log: PostgresSharedLog, _ change: (inout Member) -> Void) -> Bool {
            let (waking, begins) = state.withLock { state -> (WakePipe?, Bool) in
                let new = Member(realm: log.name, channel: log.channel.name)
                change(&state.members[ObjectIdentifier(log), default: new])
                if state.waking == nil { state.waking = try? WakePipe() }
                guard state.waking != nil else { return (nil, false) }
                defer { state.isRunning = true }
                return (state.waking, !state.isRunning)
            }
            waking?.signal()
            if begins { thread.run { [self] in run() } }
            return waking != nil
        }

        /// Ends the watch of a log.
        func remove(_ log: PostgresSharedLog) {
            let (member, waking) = state.withLock { state in
                let member = state.members.removeValue(forKey: ObjectIdentifier(log))
                if let member, member.isListening { state.leftChannels.insert(member.channel) }
                return (member, state.waking)
            }
            member?.watch?.noticed(.failure(.closed))
            waking?.signal()
        }

        // MARK: The thread

        /// Reads for all logs until there is none.
        private func run() {
            guard let waking = state.withLock({ $0.waking }) else { return }
            var connection: PostgresConnection?
            var pause = Self.interval
            var nextQuestion = ContinuousClock.now + pause
            while goesOn() {
                if takeStaleness() { connection = nil }
                do throws(SharedLogError) {
                    if connection == nil { connection = try connect() }
                    guard let open = connection else { return }
                    try listen(on: open)
                    try takeInput(of: open)
                    if ContinuousClock.now >= nextQuestion {
                        let isNew = try askForHeads(open)
                        // With the answer the socket may have given what was sent meanwhile.
                        try takeInput(of: open)
                        pause = nextPause(pause, isNew)
                        nextQuestion = .now + pause
                    }
                    let nextLook = beginLooking() ?? nextQuestion
                    if tell() {
                        pause = nextPause(pause, true)
                        nextQuestion = min(nextQuestion, .now + pause)
                    }
                    let descriptors = [open.descriptor, waking.descriptor]
                    let end = min(nextQuestion, nextLook)
                    if Platform.poll(descriptors, until: end)[1] { waking.reset() }
                } catch {
                    connection = nil
                    fail(error)
                    let end = ContinuousClock.now + Self.retryInterval
                    while goesOn(), Platform.poll([waking.descriptor], until: end)[0] {
                        waking.reset()
                    }
                }
            }
        }

        /// False when no log is left, and the thread is not needed any more.
        private func goesOn() -> Bool {
            state.withLock { state in
                state.isRunning = !state.members.isEmpty
                return state.isRunning
            }
        }

        /// Whether the connection is to be made anew.
        private func takeStaleness() -> Bool {
            state.withLock { state in
                guard state.isStale else { return false }
                state.isStale = false
                state.forgetChannels()
                return true
            }
        }

        /// Less often while nothing happens, where there are no notifications.
        private func nextPause(_ pause: Duration, _ isNew: Bool) -> Duration {
            if state.withLock({ $0.canListen }) { return Self.interval }
            return isNew ? Self.askingInterval : min(pause * 2, Self.interval)
        }

        private func connect() throws(SharedLogError) -> PostgresConnection {
            try PostgresConnection(address, patience: patience, end: PostgresEnd())
        }

        /// What an engine says that has no LISTEN: the feature, or the word, is not known.
        private static let unknownStates: Set<String> = ["0A000", "42601"]

        /// Listens on the channels that are new.
        private func listen(on connection: PostgresConnection) throws(SharedLogError) {
            let (channels, left) = state.withLock { state -> (Set<String>, Set<String>) in
                guard state.canListen else { return ([], []) }
                let members = state.members.values
                defer { state.leftChannels = [] }
                return (
                    Set(members.lazy.filter { !$0.isListening }.map(\.channel)),
                    state.leftChannels.subtracting(members.lazy.map(\.channel))
                )
            }
            if channels.isEmpty, left.isEmpty { return }
            let script =
                left.map { "UNLISTEN \($0);" }.joined() + channels.map { "LISTEN \($0);" }.joined()
            do throws(PostgresConnection.Failure) {
                try connection.runScript(script)
            } catch {
                if case .undone(let state, _) = error, Self.unknownStates.contains(state) {
                    return stopListening()
                }
                throw error.ofReading
            }
            changeAll { member in
                guard channels.contains(member.channel), !member.isListening else { return }
                member.isListening = true
                // What came before it listened is for the watcher to look at.
                member.isToLook = true
            }
        }

        /// Takes what has arrived.
        private func takeInput(of connection: PostgresConnection) throws(SharedLogError) {
            let isOpen = connection.takeInput()
            while let (channel, payload) = connection.nextNotification() {
                guard let news = PostgresChannel.Notification(payload: payload) else { continue }
                changeAll { member in
                    guard member.channel == channel else { return }
                    switch news {
                    case .entry(let slot): member.newest = max(member.newest, slot)
                    case .message(let message):
                        if member.messages.count == Self.messagesMax {
                            member.messages.removeFirst()
                        }
                        member.messages.append(message)
                    }
                }
            }
            if !isOpen { throw .unavailable("The connection has ended.") }
        }

        /// Names are in hexadecimal, since they may have any letters.
        private static let headsStatement = """
            SELECT wanted.place, head.next
            FROM unnest(string_to_array($1, ',')) WITH ORDINALITY AS wanted(name, place)
            JOIN realmactors_head AS head
            ON head.realm = convert_from(decode(wanted.name, 'hex'), 'UTF8')
            """

        /// Asks where all logs end; true when one has gone on.
        private func askForHeads(_ connection: PostgresConnection) throws(SharedLogError) -> Bool {
            let members = state.withLock { $0.members.map { ($0.key, $0.value.realm) } }
            let names = members.map { Self.hexadecimal($0.1) }.joined(separator: ",")
            let found = try connection.read(Self.headsStatement, [.text(names)])
            return state.withLock { state in
                var isNew = false
                for row in 0..<found.rows {
                    let place = Int(found.integer(row, 0)) - 1
                    guard members.indices.contains(place),
                        let last = LogSlot(column: found.integer(row, 1)).previous
                    else { continue }
                    let id = members[place].0
                    isNew = isNew || state.members[id]?.watch.map { $0.slot <= last } ?? false
                    // A log without a watch has read it, or will.
                    if state.members[id]?.watch != nil { state.members[id]?.newest = last }
                }
                return isNew
            }
        }

        private static func hexadecimal(_ text: String) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let letters = text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return String(decoding: letters, as: UTF8.self)
        }

        /// Has those look for which it is time; when it is time for the next.
        private func beginLooking() -> ContinuousClock.Instant? {
            state.withLock { state in
                var next: ContinuousClock.Instant?
                for (id, member) in state.members {
                    guard let time = member.lookingTime else { continue }
                    if time <= .now {
                        state.members[id]?.lookingTime = nil
                        state.members[id]?.isToLook = true
                    } else {
                        next = min(next ?? time, time)
                    }
                }
                return next
            }
        }

        /// Tells the watchers of what has come for them; false when there is nothing.
        private func tell() -> Bool {
            let notices = state.withLock { state in
                state.members.keys.compactMap { state.members[$0]?.takeNews() }
            }
            for notice in notices { notice.tell() }
            return !notices.isEmpty
        }

        /// Notifies all watchers that the server does not answer, and that they may have missed
        /// entries.
        private func fail(_ error: SharedLogError) {
            let watchers = state.withLock { state in
                state.forgetChannels()
                return state.members.keys.compactMap { id -> SharedLogWatcher? in
                    defer { state.members[id]?.watch = nil }
                    return state.members[id]?.watch?.noticed
                }
            }
            for noticed in watchers { noticed(.failure(error)) }
        }

        private func changeAll(_ change: (inout Member) -> Void) {
            state.withLock { state in
                for id in state.members.keys {
                    guard var member = state.members[id] else { continue }
                    change(&member)
                    state.members[id] = member
                }
            }
        }
    }

    extension PostgresSharedLog {
        package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            if isClosed { return noticed(.failure(.closed)) }
            pool.listener.watch(self, for: slot, noticed)
        }

        package func wake() {
            if !isClosed { pool.listener.wake(self) }
        }
    }
#endif
