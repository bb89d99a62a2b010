#if PostgreSQL
    import Synchronization

    /// Notifies the shared logs of a process on one server: one connection listens on the channels
    /// of all of them, and one thread reads from it while there are any.
    ///
    /// Notifications may be lost, and some engines have none, so it also polls the heads of all
    /// logs, with one statement.
    final class PostgresListener: Sendable {
        /// The state of one log.
        private struct Member {
            let realm: String
            let channel: String
            /// Whether the server of a connection proves to the log that it is the primary.
            let prove: @Sendable (PostgresConnection) throws(SharedLogError) -> Bool
            var isListening = false
            var news = SharedLogNews()
            /// The next slot by the last notification or poll; nil if the connection broke since.
            var next: LogSlot?
            /// When the watcher is notified of this host's own appends.
            var notificationTime: Instant?

            /// The pending notice for the watcher, if any.
            mutating func takeNotice() -> SharedLogNotice? {
                guard let notice = news.takeNotice() else { return nil }
                notificationTime = nil
                return notice
            }
        }

        private struct State {
            var members: [ObjectIdentifier: Member] = [:]
            /// The channels of removed logs that the connection still listens on.
            var staleChannels: Set<String> = []
            var isRunning = false
            /// Whether the engine supports notifications.
            var canListen = true
            /// Wakes the thread; nil before the first watch.
            var waking: WakePipe?

            /// Resets the channels for a new connection.
            mutating func forgetChannels() {
                staleChannels = []
                for id in members.keys { members[id]?.isListening = false }
            }
        }

        /// The polling interval with notifications, which may be lost.
        private static let interval = Duration.seconds(1)
        /// How soon it reconnects.
        private static let retryInterval = Duration.milliseconds(200)
        /// How soon a watcher is notified of its host's own appends.
        private static let ownInterval = Duration.milliseconds(20)
        /// The maximum number of pending messages for a log without a watch.
        static let messagesMax = 256
        /// The polling interval after an event, without notifications.
        private static let intervalMin = Duration.milliseconds(10)
        /// How often the server is asked to prove that it is still the primary: one that was
        /// replaced may answer, without news.
        private static let proofInterval = Duration.seconds(10)

        private let connections: PostgresConnections
        private let thread = SerialThread(name: "RealmActors listener")
        private let state = Mutex(State())

        init(_ connections: PostgresConnections) { self.connections = connections }

        /// The number of logs: for tests.
        var memberCount: Int { state.withLock { $0.members.count } }

        /// Disables notifications, which the engine does not support.
        func stopListening() { state.withLock { $0.canListen = false } }

        /// The next slot of a log, as far as it is known.
        func knownNext(of log: PostgresSharedLog) -> LogSlot? {
            state.withLock { $0.members[ObjectIdentifier(log)]?.next }
        }

        /// Calls the watcher once there is news for the log.
        func watch(
            _ log: PostgresSharedLog, for slot: LogSlot, _ noticed: @escaping SharedLogWatcher
        ) {
            // Before the log's state is checked: a closed log is removed afterwards.
            let isReady = change(log) { $0.news.watch = (slot, noticed) }
            if log.isClosed { return remove(log) }
            if !isReady { fail(.unavailable("There are too many open files.")) }
        }

        /// Advances the watch past an entry that this host has appended itself. Calling the watcher
        /// each time would cost more than the append; it is notified of many at once.
        func noteAppended(_ log: PostgresSharedLog, _ slot: LogSlot) {
            let id = ObjectIdentifier(log)
            state.withLock { state in
                guard state.members[id]?.news.watch?.slot == slot else { return }
                state.members[id]?.news.watch?.slot = slot.next
                if state.members[id]?.notificationTime == nil {
                    state.members[id]?.notificationTime = .now + Self.ownInterval
                }
            }
        }

        /// Calls the current watcher of the log, or the next one.
        func wake(_ log: PostgresSharedLog) {
            _ = change(log) { $0.news.isCheckDue = true }
            // A log that was closed meanwhile must not be added again.
            if log.isClosed { remove(log) }
        }

        /// Connects anew if its connection was retired. Returns at once.
        func noteRetirement() { state.withLock { $0.waking }?.signal() }

        /// Changes the state of a log, and wakes the thread. False if there is no thread.
        private func change(_ log: PostgresSharedLog, _ change: (inout Member) -> Void) -> Bool {
            let prove: @Sendable (PostgresConnection) throws(SharedLogError) -> Bool = {
                [weak log] connection throws(SharedLogError) in
                guard let log else { return false }
                return try log.prove(listening: connection)
            }
            let (waking, begins) = state.withLock { state -> (WakePipe?, Bool) in
                let new = Member(realm: log.name, channel: log.channel.name, prove: prove)
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
                if let member, member.isListening { state.staleChannels.insert(member.channel) }
                return (member, state.waking)
            }
            member?.news.watch?.noticed(.failure(.closed))
            waking?.signal()
        }

        // MARK: The thread

        /// Reads notifications until there is no log.
        private func run() {
            guard let waking = state.withLock({ $0.waking }) else { return }
            var connection: PostgresConnection?
            var pause = Self.interval
            var nextQuestion = Instant.now + pause
            var nextProof = Instant.now
            var isProven = true
            while shouldContinue() {
                if let open = connection, Instant.now >= nextProof {
                    isProven = prove(open, wasProven: isProven)
                    nextProof = .now + Self.proofInterval
                    // Notifications go on with another one: there may just be no standby.
                    if !isProven { open.retire() }
                }
                if let old = connection, old.isRetired {
                    connection = nil
                    // The next one may lead to another server.
                    if isProven || old.isSuperseded { nextProof = .now }
                    state.withLock { $0.forgetChannels() }
                    // What a host has read on a replaced server may not be on the next one.
                    if old.isSuperseded { fail(.unavailable(PostgresConnection.supersession)) }
                }
                do throws(SharedLogError) {
                    if connection == nil { connection = try connect() }
                    guard let open = connection else { return }
                    try listen(on: open)
                    try takeInput(of: open)
                    if Instant.now >= nextQuestion {
                        let isNew = try askForHeads(open)
                        // Notifications may have been read together with the answer.
                        try takeInput(of: open)
                        pause = nextPause(pause, isNew)
                        nextQuestion = .now + pause
                    }
                    let nextLook = beginPolling() ?? nextQuestion
                    if deliverNews() {
                        pause = nextPause(pause, true)
                        nextQuestion = min(nextQuestion, .now + pause)
                    }
                    let descriptors = [open.descriptor, waking.descriptor]
                    let end = min(nextQuestion, nextLook)
                    if Platform.poll(descriptors, until: end)[1] { waking.reset() }
                } catch {
                    connection = nil
                    nextProof = .now
                    fail(error)
                    let end = Instant.now + Self.retryInterval
                    while shouldContinue(), Platform.poll([waking.descriptor], until: end)[0] {
                        waking.reset()
                    }
                }
            }
        }

        /// False if no log is left, so that the thread ends.
        private func shouldContinue() -> Bool {
            state.withLock { state in
                state.isRunning = !state.members.isEmpty
                return state.isRunning
            }
        }

        /// Without notifications, the interval grows while nothing happens.
        private func nextPause(_ pause: Duration, _ isNew: Bool) -> Duration {
            if state.withLock({ $0.canListen }) { return Self.interval }
            return isNew ? Self.intervalMin : min(pause * 2, Self.interval)
        }

        private func connect() throws(SharedLogError) -> PostgresConnection {
            let made = try connections.connectToServerOfCalls(endingWith: PostgresEnd())
            try PostgresDurability.identify(made)
            return made
        }

        /// Whether the server of the connection proves to one of the logs that it is the primary.
        private func prove(_ connection: PostgresConnection, wasProven: Bool) -> Bool {
            // In one order on all hosts: a write that waits for standbys holds its row, and those
            // that wait for the row end. Others would stay on the server until there is a standby.
            let proofs = state.withLock { state in
                state.members.values.sorted { $0.realm < $1.realm }.map { $0.prove }
            }
            for prove in proofs {
                guard let isProven = try? prove(connection) else { return false }
                // A server that has lost the log proves nothing to it.
                guard isProven else { continue }
                // It may be another server than that of the calls.
                let others = wasProven ? [] : connections.all.filter { $0 !== connection }
                for other in others { other.retire() }
                return true
            }
            return false
        }

        /// Listens on new channels.
        private func listen(on connection: PostgresConnection) throws(SharedLogError) {
            let (channels, left) = state.withLock { state -> (Set<String>, Set<String>) in
                guard state.canListen else { return ([], []) }
                let members = state.members.values
                defer { state.staleChannels = [] }
                return (
                    Set(members.lazy.filter { !$0.isListening }.map(\.channel)),
                    state.staleChannels.subtracting(members.lazy.map(\.channel))
                )
            }
            if channels.isEmpty, left.isEmpty { return }
            let script =
                left.map { "UNLISTEN \($0);" }.joined() + channels.map { "LISTEN \($0);" }.joined()
            do throws(PostgresConnection.Failure) {
                try connection.runScript(script)
            } catch {
                if case .undone(let state, _) = error,
                    PostgresConnection.unsupportedStates.contains(state)
                {
                    return stopListening()
                }
                throw error.ofReading
            }
            changeAll { member in
                guard channels.contains(member.channel), !member.isListening else { return }
                member.isListening = true
                // Entries may have been appended before it listened.
                member.news.isCheckDue = true
            }
        }

        /// Processes the notifications that have arrived.
        private func takeInput(of connection: PostgresConnection) throws(SharedLogError) {
            let isOpen = connection.takeInput()
            while let (channel, payload) = connection.nextNotification() {
                guard let news = PostgresChannel.Notification(payload: payload) else { continue }
                changeAll { member in
                    guard member.channel == channel else { return }
                    switch news {
                    case .entry(let slot):
                        member.news.newest = max(member.news.newest, slot)
                        member.next = max(member.next ?? slot.next, slot.next)
                    case .message(let message):
                        if member.news.messages.count == Self.messagesMax {
                            member.news.messages.removeFirst()
                        }
                        member.news.messages.append(message)
                    }
                }
            }
            if !isOpen { throw .unavailable("The connection has ended.") }
        }

        /// Names are in hexadecimal, since they may contain any characters.
        private static let headsStatement = """
            SELECT wanted.place, head.next
            FROM unnest(string_to_array($1, ',')) WITH ORDINALITY AS wanted(name, place)
            JOIN realmactors_head AS head
            ON head.realm = convert_from(decode(wanted.name, 'hex'), 'UTF8')
            """

        /// Polls the heads of all logs; true if one has advanced.
        private func askForHeads(_ connection: PostgresConnection) throws(SharedLogError) -> Bool {
            let members = state.withLock { $0.members.map { ($0.key, $0.value.realm) } }
            let names = members.map { Self.hexadecimal($0.1) }.joined(separator: ",")
            let found = try connection.read(Self.headsStatement, [.text(names)])
            return state.withLock { state in
                var isNew = false
                for row in 0..<found.rows {
                    let place = Int(found.integer(row, 0)) - 1
                    guard members.indices.contains(place) else { continue }
                    let id = members[place].0
                    let next = LogSlot(column: found.integer(row, 1))
                    state.members[id]?.next = next
                    guard let last = next.previous else { continue }
                    // A log without a watch is reading already.
                    guard let watch = state.members[id]?.news.watch else { continue }
                    isNew = isNew || watch.slot <= last
                    state.members[id]?.news.newest = last
                }
                return isNew
            }
        }

        private static func hexadecimal(_ text: String) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let letters = text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return String(decoding: letters, as: UTF8.self)
        }

        /// Marks the watchers whose time has come; returns the next time.
        private func beginPolling() -> Instant? {
            state.withLock { state in
                var next: Instant?
                for (id, member) in state.members {
                    guard let time = member.notificationTime else { continue }
                    if time <= .now {
                        state.members[id]?.notificationTime = nil
                        state.members[id]?.news.isCheckDue = true
                    } else {
                        next = min(next ?? time, time)
                    }
                }
                return next
            }
        }

        /// Calls the watchers with news; false if there is none.
        private func deliverNews() -> Bool {
            let notices = state.withLock { state in
                state.members.keys.compactMap { state.members[$0]?.takeNotice() }
            }
            for notice in notices { notice.deliver() }
            return !notices.isEmpty
        }

        /// Notifies all watchers of an error, after which they may have missed entries.
        private func fail(_ error: SharedLogError) {
            let watchers = state.withLock { state in
                state.forgetChannels()
                return state.members.keys.compactMap { id -> SharedLogWatcher? in
                    defer {
                        state.members[id]?.news.watch = nil
                        state.members[id]?.next = nil
                    }
                    return state.members[id]?.news.watch?.noticed
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
#endif
