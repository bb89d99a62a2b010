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
    /// Whether a request to the other hosts is on its way.
    private let isAsking = Atomic(false)
    /// There is something to apply, and perhaps a host that asks to be first; ends when that is
    /// done, or cannot be.
    private let onNews: @Sendable (Bits128?, @escaping @Sendable () -> Void) -> Void
    /// Called after everything that is appended.
    private let onPass: @Sendable () -> Void

    /// `onNews` is to end in ``OpenStore/followHosts(yieldingTo:)``, and then to call what it is
    /// given.
    init(
        _ journal: SharedJournal,
        onNews: @escaping @Sendable (Bits128?, @escaping @Sendable () -> Void) -> Void,
        onPass: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.onNews = onNews
        self.onPass = onPass
    }

    /// Asks the other hosts to hold their writes back for a moment, for one that has come too late
    /// again and again. It is a courtesy: the request may be lost.
    package func askToBeFirst() {
        if isAsking.exchange(true, ordering: .acquiringAndReleasing) { return }
        BlockingWork.start { [self] in
            try? journal.realm.log.send(journal.host.bytes)
            isAsking.store(false, ordering: .releasing)
        }
    }

    /// Begins to watch.
    func begin() { thread.run { [weak self] in self?.watch() } }

    /// Ends watching. Returns at once.
    func stop() {
        state.withLock { $0.isStopped = true }
        journal.realm.log.wake()
        thread.stop {}
    }

    package var status: Status { state.withLock { $0.status } }

    /// Calls `watcher` with the status, now and whenever it is another one, until ``unwatch(_:)``
    /// with what this returns.
    package func watch(_ watcher: @escaping @Sendable (Status) -> Void) -> Int {
        let (status, number) = state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = watcher
            return (state.status, state.lastWatcher)
        }
        watcher(status)
        return number
    }

    package func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Has the log tell of the next entry, or of what others have sent. Returns at once.
    private func watch() {
        if isStopped { return }
        onPass()
        let next = journal.cursor.next
        journal.realm.log.watch(for: next) { [weak self] news in
            self?.thread.run { [weak self] in self?.look(at: next, news) }
        }
    }

    /// Reads what has come, has it applied, and goes on watching.
    private func look(at next: LogSlot, _ news: Result<[[UInt8]], SharedLogError>) {
        if isStopped { return }
        do throws(SharedLogError) {
            let asker = try news.get().lazy.compactMap(Self.host).first { $0 != journal.host }
            // What this host appends wakes it as well.
            if asker == nil, hasAppended(next) { return watch() }
            let entries = try journal.realm.log.entries(from: next, bytesMax: Self.lookBytes)
            note(isConnected: true, entries.count)
            if asker == nil, entries.isEmpty { return watch() }
            journal.lookAhead(entries)
            apply(yieldingTo: asker)
        } catch .closed {
            return
        } catch .trimmed {
            note(isConnected: true, nil)
            apply(yieldingTo: nil)
        } catch {
            journal.demandBarrier()
            note(isConnected: false, nil)
            Platform.pause(for: Self.retryInterval)
            watch()
        }
    }

    /// Whether the entry of a slot is one of this host, which has applied it then. Waits for one
    /// that it is appending.
    private func hasAppended(_ slot: LogSlot) -> Bool {
        while journal.isAppending(at: slot), !isStopped { Platform.pause(for: Self.pause) }
        return journal.cursor.next != slot
    }

    /// The host that a message is of; nil for one that says something else.
    private static func host(_ message: [UInt8]) -> Bits128? {
        guard message.count == 16 else { return nil }
        // Unsafe: 16 bytes, lent for the call.
        return message.withUnsafeBytes { Bits128($0, at: 0) }
    }

    private func apply(yieldingTo asker: Bits128?) {
        onNews(asker) { [weak self] in
            guard let self else { return }
            thread.run { [weak self] in self?.watch() }
        }
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
