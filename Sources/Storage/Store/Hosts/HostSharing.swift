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
        /// Entries of the log that this host has not applied.
        package var entriesBehind = 0

        package init() {}
    }

    private struct State {
        var isStopped = false
        var status = Status()
        var watchers: [Int: @Sendable (Status) -> Void] = [:]
        var lastWatcher = 0
    }

    /// How long it waits for a notification before it asks, since one may be lost.
    private static let interval = Duration.seconds(1)
    /// How soon it asks whether an append of its own has ended.
    private static let pause = Duration.microseconds(100)

    package let journal: SharedJournal
    private let thread = SerialThread(name: "RealmActors hosts")
    private let state = Mutex(State())
    /// There is something to apply; ends when it is, or cannot be.
    private let onNews: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// `onNews` is to end in ``OpenStore/followHosts()``, and then to call what it is given.
    init(
        _ journal: SharedJournal,
        onNews: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.journal = journal
        self.onNews = onNews
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

    /// Waits for one entry of others, or for some time, has it applied, and goes on.
    private func watch() {
        var patience = RetryPatience(until: nil)
        while !isStopped {
            let next = journal.cursor.next
            do throws(SharedLogError) {
                _ = try journal.realm.log.wait(for: next, atMost: Self.interval)
                let head = try journal.realm.log.head()
                patience = RetryPatience(until: nil)
                note(isConnected: true, head)
                if head.next > next, isOthers(next) { return apply() }
            } catch .closed {
                return
            } catch {
                journal.noteFailure()
                note(isConnected: false, nil)
                _ = patience.waitsOnceMore()
            }
        }
    }

    /// Whether the entry of a slot is one of another host: those of this one are applied already
    /// when they are there.
    private func isOthers(_ slot: LogSlot) -> Bool {
        while journal.isAppending(at: slot), !isStopped { Platform.pause(for: Self.pause) }
        return journal.cursor.next == slot
    }

    private func apply() {
        onNews { [weak self] in
            guard let self else { return }
            thread.run { [weak self] in self?.watch() }
        }
    }

    private func note(isConnected: Bool, _ head: SharedLogHead?) {
        let cursor = journal.cursor
        let (status, watchers) = state.withLock {
            state -> (Status, [Int: @Sendable (Status) -> Void]) in
            var status = state.status
            status.isConnected = isConnected
            status.lastWriter = cursor.holder == .zero ? nil : cursor.holder
            if let head {
                let behind = head.next.rawValue.subtractingReportingOverflow(cursor.next.rawValue)
                status.entriesBehind = behind.overflow ? 0 : Int(behind.partialValue)
            }
            if status == state.status { return (status, [:]) }
            state.status = status
            return (status, state.watchers)
        }
        for watcher in watchers.values { watcher(status) }
    }
}
