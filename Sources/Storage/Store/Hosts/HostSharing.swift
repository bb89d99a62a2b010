import Synchronization

/// This host among all that have a realm on a shared log open: it watches the log, and has what
/// others append applied.
package final class HostSharing: Sendable {
    /// How this host stands to the others.
    package struct Status: Sendable, Hashable {
        /// Whether the engine answered when it was last asked.
        package var isConnected = true
        /// The host that appended last; nil before the first entry.
        package var lastWriter: Bits128?
        /// Entries of the log that this host has not applied, as far as it has looked ahead.
        package var entriesBehind = 0

        package init() {}
    }

    private struct State {
        var isStopped = false
        var status = Status()
        var watchers: [Int: @Sendable (Status) -> Void] = [:]
        var lastWatcher = 0
        /// Messages that wait for what was appended before them.
        var messages: [HostMessage] = []
    }

    /// How soon it asks again an engine that did not answer.
    private static let retryInterval = Duration.milliseconds(100)
    /// How far it looks ahead.
    private static let lookBytes = 64 << 10
    /// How soon it asks whether an append of its own has ended.
    private static let pause = Duration.microseconds(100)

    package let journal: SharedJournal
    private let thread = SerialThread(name: "RealmActors hosts")
    private let state = Mutex(State())
    /// There is something to apply; ends when that is done, or cannot be.
    private let onNews: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Called after everything that is appended.
    private let onPass: @Sendable () -> Void
    /// Another host is to write, now or once this one is done: ends with ``pass(to:_:)``, or with
    /// ``HostGate/keep()``.
    private let onTurn: @Sendable (Bits128, Turn) -> Void

    /// Whether this host has something to write when it passes that right on.
    enum Turn {
        case over
        /// It is not passed on if there is something after all.
        case idle
    }

    /// - Parameter before: this host as the store was opened before, whose watchers it takes over.
    init(
        _ journal: SharedJournal, after before: HostSharing?,
        onNews: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        onPass: @escaping @Sendable () -> Void,
        onTurn: @escaping @Sendable (Bits128, Turn) -> Void
    ) {
        self.journal = journal
        self.onNews = onNews
        self.onPass = onPass
        self.onTurn = onTurn
        guard let before else { return }
        let (watchers, last) = before.state.withLock { state in
            defer { state.watchers = [:] }
            return (state.watchers, state.lastWatcher)
        }
        state.withLock { state in
            state.watchers = watchers
            state.lastWatcher = last
        }
    }

    // MARK: Turns

    /// Waits while another host has the writer lease, though never for long.
    func awaitTurn(timeout: Duration?) async {
        await journal.gate.enter(timeout: timeout) { isLate in
            send([.ask(journal.host, isLate: isLate)])
        } pass: { asker in
            onTurn(asker, .over)
        }
    }

    /// Lets another host write. What this one has appended is durable.
    func pass(to next: Bits128, _ turn: Turn) {
        journal.gate.passed(to: next)
        var messages = [HostMessage.pass(from: journal.host, to: next)]
        if turn == .over { messages.append(.ask(journal.host, isLate: false)) }
        send(messages)
    }

    private func send(_ messages: [HostMessage]) {
        BlockingWork.start { [log = journal.realm.log] in
            for message in messages { try? log.send(message.bytes) }
        }
    }

    /// Passes the writer lease on where this host does not need it.
    private func offerTurn() {
        if isStopped { return }
        guard let (asker, delay) = journal.gate.successor else { return }
        if delay > .zero {
            thread.runWhenIdle(after: delay) { [weak self] in self?.offerTurn() }
        } else {
            onTurn(asker, .idle)
        }
    }

    // MARK: Watching

    /// Begins to watch.
    func begin() { thread.run { [weak self] in self?.watch() } }

    /// Ends watching. Returns at once.
    func stop() {
        state.withLock { $0.isStopped = true }
        journal.gate.stop()
        journal.realm.log.wake()
        thread.stop {}
    }

    package var status: Status { state.withLock { $0.status } }

    /// Calls `watcher` with the status, now and whenever it is another one, until ``unwatch(_:)``
    /// with what this returns. It must not wait, nor ask this object for anything.
    package func watch(_ watcher: @escaping @Sendable (Status) -> Void) -> Int {
        state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = watcher
            // With the lock, so that it is notified of what changes meanwhile behind this.
            watcher(state.status)
            return state.lastWatcher
        }
    }

    package func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Has the log tell of the next entry, or of what others have sent. Returns at once.
    private func watch() {
        if isStopped { return }
        onPass()
        offerTurn()
        let next = journal.cursor.next
        journal.realm.log.watch(for: next) { [weak self] news in
            self?.thread.run { [weak self] in self?.look(at: next, news) }
        }
    }

    /// Reads what has come, has it applied, and goes on watching.
    private func look(at next: LogSlot, _ news: Result<[[UInt8]], SharedLogError>) {
        if isStopped { return }
        do throws(SharedLogError) {
            let isPassedOn = take(try news.get())
            guard let entries = try entries(from: next) else {
                note(isConnected: true, 0)
                return isPassedOn ? lookAgain() : watch()
            }
            note(isConnected: true, entries.count)
            guard let last = entries.last else {
                deliver()
                return watch()
            }
            journal.lookAhead(entries)
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            apply { sharing in
                sharing.note(isConnected: true, sharing.entriesBehind(through: last.slot))
                let author = sharing.journal.cursor.holder
                if author != sharing.journal.host { sharing.journal.gate.noteEntry(of: author) }
                // There may be more of what was appended before.
                if bytes > Self.lookBytes / 2 { return sharing.lookAgain() }
                if isPassedOn { sharing.deliver() }
                sharing.watch()
            }
        } catch .closed {
            return
        } catch .trimmed {
            note(isConnected: true, nil)
            apply { $0.lookAgain() }
        } catch {
            journal.demandBarrier()
            note(isConnected: false, nil)
            Platform.pause(for: Self.retryInterval)
            // No other notification may follow, so it has to try again by itself.
            if error.mayPass { lookAgain() } else { watch() }
        }
    }

    /// What others have appended from a slot on; nil where this host has filled that, before or
    /// during the call. That wakes it as well.
    private func entries(from slot: LogSlot) throws(SharedLogError) -> [SharedLogEntry]? {
        if hasAppended(slot) { return nil }
        let entries = try journal.realm.log.entries(from: slot, bytesMax: Self.lookBytes)
        return hasAppended(slot) ? nil : entries
    }

    private func lookAgain() {
        let next = journal.cursor.next
        thread.run { [weak self] in self?.look(at: next, .success([])) }
    }

    /// Takes messages: true while the writer lease was passed on, and what was appended before is
    /// not applied.
    private func take(_ messages: [[UInt8]]) -> Bool {
        let messages = messages.compactMap(HostMessage.init)
        let (asks, waits) = state.withLock { state in
            let isPassedOn = !state.messages.isEmpty
            let asks = messages.prefix { if case .ask = $0, !isPassedOn { true } else { false } }
            state.messages += messages.dropFirst(asks.count)
            return (Array(asks), !state.messages.isEmpty)
        }
        journal.gate.receive(asks)
        return waits
    }

    /// What was appended before the messages is applied.
    private func deliver() {
        let messages = state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
        journal.gate.receive(messages)
    }

    /// Whether the entry of a slot is one of this host, which has applied it then. Waits for one
    /// that it is appending.
    private func hasAppended(_ slot: LogSlot) -> Bool {
        while journal.isAppending(at: slot), !isStopped { Platform.pause(for: Self.pause) }
        return journal.cursor.next != slot
    }

    private func apply(then goOn: @escaping @Sendable (HostSharing) -> Void) {
        onNews { [weak self] in
            guard let self else { return }
            thread.run { [weak self] in
                if let self { goOn(self) }
            }
        }
    }

    /// How many entries up to a slot are not applied.
    private func entriesBehind(through last: LogSlot) -> Int {
        let next = journal.cursor.next
        return next > last ? 0 : Int(clamping: last.rawValue - next.rawValue + 1)
    }

    private func note(isConnected: Bool, _ entriesBehind: Int?) {
        let holder = journal.cursor.holder
        let (status, watchers) = state.withLock {
            state -> (Status, [Int: @Sendable (Status) -> Void]) in
            var status = state.status
            status.isConnected = isConnected
            status.lastWriter = holder == .zero ? nil : holder
            status.entriesBehind = entriesBehind ?? status.entriesBehind
            if status == state.status { return (status, [:]) }
            state.status = status
            return (status, state.watchers)
        }
        for watcher in watchers.values { watcher(status) }
    }
}
