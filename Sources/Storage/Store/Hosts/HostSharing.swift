import Synchronization

/// The participation of this host in a shared log: watches the log, triggers the application of
/// other hosts' entries, and passes the writer lease on.
package final class HostSharing: Sendable {
    /// The status of this host in relation to the others.
    package struct Status: Sendable, Hashable {
        /// Whether the last call to the engine has succeeded.
        package var isConnected = true
        /// The host that appended last; nil before the first entry.
        package var lastWriter: Bits128?
        /// Entries of the log that this host has not applied, as far as it has read them.
        package var entriesBehind = 0

        package init() {}
    }

    private struct State {
        var isStopped = false
        var status = Status()
        var watchers: [Int: @Sendable (Status) -> Void] = [:]
        var lastWatcher = 0
        /// Messages that are pending until all earlier entries are applied.
        var messages: [HostMessage] = []
    }

    /// How soon a failed call to the engine is repeated.
    private static let retryInterval = Duration.milliseconds(100)
    /// How many bytes are prefetched.
    private static let pollBytes = 64 << 10
    /// The interval at which it polls for the end of an own append.
    private static let pause = Duration.microseconds(100)

    package let journal: SharedJournal
    private let thread = SerialThread(name: "RealmActors hosts")
    private let state = Mutex(State())
    /// Called when there are entries to apply; calls back when that is done, or cannot be.
    private let onEntries: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Called each time before the log is watched again, so after each append.
    private let onWatch: @Sendable () -> Void
    /// Called to pass the lease to another host: ends with ``pass(to:_:)``, or with
    /// ``HostGate/keep()``.
    private let onHandover: @Sendable (Bits128, HandoverReason) -> Void

    /// Why this host passes the writer lease on.
    enum HandoverReason {
        case sliceEnded
        /// This host is idle. The lease is kept if a write has begun by then.
        case idle
    }

    /// - Parameter before: the instance from before the store was reopened, whose watchers are
    ///   moved to this one.
    init(
        _ journal: SharedJournal, after before: HostSharing?,
        onEntries: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        onWatch: @escaping @Sendable () -> Void,
        onHandover: @escaping @Sendable (Bits128, HandoverReason) -> Void
    ) {
        self.journal = journal
        self.onEntries = onEntries
        self.onWatch = onWatch
        self.onHandover = onHandover
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

    // MARK: The lease

    /// Waits while another host has the writer lease, for a limited time.
    func awaitLease(timeout: Duration?) async {
        await journal.gate.enter(timeout: timeout) { isLate in
            send([.request(journal.host, isLate: isLate)])
        } pass: { requester in
            onHandover(requester, .sliceEnded)
        }
    }

    /// Passes the lease to another host. All appends of this one are durable.
    func pass(to next: Bits128, _ reason: HandoverReason) {
        journal.gate.passed(to: next)
        var messages = [HostMessage.pass(from: journal.host, to: next)]
        if reason == .sliceEnded { messages.append(.request(journal.host, isLate: false)) }
        send(messages)
    }

    private func send(_ messages: [HostMessage]) {
        BlockingWork.start { [log = journal.realm.log] in
            for message in messages { try? log.send(message.bytes) }
        }
    }

    /// Passes the writer lease on if another host waits and this one is idle.
    private func offerLease() {
        if isStopped { return }
        guard let (requester, delay) = journal.gate.successor else { return }
        if delay > .zero {
            thread.runWhenIdle(after: delay) { [weak self] in self?.offerLease() }
        } else {
            onHandover(requester, .idle)
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

    /// Calls `watcher` with the status, now and after each change, until ``unwatch(_:)`` with the
    /// returned number. It must not block, nor call this object.
    package func watch(_ watcher: @escaping @Sendable (Status) -> Void) -> Int {
        state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = watcher
            // Under the lock, so that a concurrent change is reported after this.
            watcher(state.status)
            return state.lastWatcher
        }
    }

    package func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Watches the log for the next entry and for messages. Returns at once.
    private func watch() {
        if isStopped { return }
        onWatch()
        offerLease()
        let next = journal.cursor.next
        journal.realm.log.watch(for: next) { [weak self] news in
            self?.thread.run { [weak self] in self?.poll(at: next, news) }
        }
    }

    /// Reads new entries, triggers their application, and continues to watch.
    private func poll(at next: LogSlot, _ news: Result<[[UInt8]], SharedLogError>) {
        if isStopped { return }
        do throws(SharedLogError) {
            let isPassedOn = take(try news.get())
            guard let entries = try entries(from: next) else {
                note(isConnected: true, 0)
                return isPassedOn ? pollAgain() : watch()
            }
            // An engine that was unreachable may have lost entries that this host has.
            if entries.isEmpty, journal.needsBarrier {
                try awaitProof()
                return apply { $0.pollAgain() }
            }
            note(isConnected: true, entries.count)
            guard let last = entries.last else {
                deliver()
                return watch()
            }
            journal.notePrefetched(entries)
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            apply { sharing in
                sharing.note(isConnected: true, sharing.entriesBehind(through: last.slot))
                let author = sharing.journal.cursor.holder
                if author != sharing.journal.host { sharing.journal.gate.noteEntry(of: author) }
                // There may be more entries already.
                if bytes > Self.pollBytes / 2 { return sharing.pollAgain() }
                if isPassedOn { sharing.deliver() }
                sharing.watch()
            }
        } catch .closed {
            return
        } catch .trimmed {
            note(isConnected: true, nil)
            apply { $0.pollAgain() }
        } catch {
            journal.demandBarrier()
            note(isConnected: false, nil)
            Platform.pause(for: Self.retryInterval)
            // No other notification may follow, so it has to retry.
            if error.isTransient { pollAgain() } else { watch() }
        }
    }

    /// The entries of others from a slot on; nil if this host has filled the slot, before or during
    /// the call, which wakes the watch as well.
    private func entries(from slot: LogSlot) throws(SharedLogError) -> [SharedLogEntry]? {
        if hasAppended(slot) { return nil }
        let entries = try journal.realm.log.entries(from: slot, bytesMax: Self.pollBytes)
        return hasAppended(slot) ? nil : entries
    }

    /// Waits until the engine can prove what it has: reading requires that again, but with the
    /// turn, for which writes wait meanwhile. A refusal is left to that.
    private func awaitProof() throws(SharedLogError) {
        do throws(SharedLogError) {
            try journal.realm.log.barrier()
            note(isConnected: true, 0)
        } catch {
            if error.isTransient { throw error }
        }
    }

    private func pollAgain() {
        let next = journal.cursor.next
        thread.run { [weak self] in self?.poll(at: next, .success([])) }
    }

    /// Processes messages; true while a handover of the lease is pending until the entries before
    /// it are applied.
    private func take(_ messages: [[UInt8]]) -> Bool {
        let messages = messages.compactMap(HostMessage.init)
        let (requests, waits) = state.withLock { state in
            let isPassedOn = !state.messages.isEmpty
            let requests = messages.prefix {
                if case .request = $0, !isPassedOn { true } else { false }
            }
            state.messages += messages.dropFirst(requests.count)
            return (Array(requests), !state.messages.isEmpty)
        }
        journal.gate.receive(requests)
        return waits
    }

    /// Delivers the pending messages: all earlier entries are applied.
    private func deliver() {
        let messages = state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
        journal.gate.receive(messages)
    }

    /// Whether the entry of a slot is one of this host, which has applied it. Waits for an append
    /// in progress.
    private func hasAppended(_ slot: LogSlot) -> Bool {
        while journal.isAppending(at: slot), !isStopped { Platform.pause(for: Self.pause) }
        return journal.cursor.next != slot
    }

    private func apply(then continuation: @escaping @Sendable (HostSharing) -> Void) {
        onEntries { [weak self] in
            guard let self else { return }
            thread.run { [weak self] in
                if let self { continuation(self) }
            }
        }
    }

    /// The number of entries up to a slot that are not applied.
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
