import Synchronization

/// When a store writes checkpoints, and the thread that does it.
package final class CheckpointSchedule: Sendable {
    /// When checkpoints are written.
    package enum Policy: Sendable, Hashable {
        /// In the background, when replaying the log since the last one would take a while, and at
        /// the close.
        case automatic
        /// When asked for.
        case manual
    }

    /// Replaying this many bytes of the log takes less than about 100 ms.
    private static let logBytesMax = 4 << 20
    /// At most one checkpoint begins in this time.
    private static let interval = Duration.seconds(1)

    private struct State {
        var isClosed = false
        /// Where replay would begin.
        var replayStart: LogPosition
        var isScheduled = false
        var last: ContinuousClock.Instant?
    }

    let checkpointer: Checkpointer
    let policy: Policy
    private let state: Mutex<State>
    private let thread = Mutex<SerialThread?>(nil)
    private let isStopping = Atomic<Bool>(false)
    private let compaction = Mutex<(@Sendable () -> Void)?>(nil)

    package init(_ opened: StoreOpening.Opened, policy: Policy = .automatic) {
        checkpointer = opened.checkpointer
        self.policy = policy
        state = Mutex(State(replayStart: opened.log.replayStart))
    }

    /// Sets what begins a compaction when one is worth it.
    package func onWaste(_ compact: @escaping @Sendable () -> Void) {
        compaction.withLock { $0 = compact }
    }

    func compact() { compaction.withLock { $0 }?() }

    /// Whether the store is being closed, and a checkpoint that runs should not begin anew.
    var isClosing: Bool { isStopping.load(ordering: .acquiring) }

    /// Whether the store was closed, so that its files may be another opening's.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func noteClosed() { state.withLock { $0.isClosed = true } }

    var replayStart: LogPosition { state.withLock { $0.replayStart } }

    /// Takes note of a finished checkpoint.
    func noteCheckpoint(at position: LogPosition) {
        state.withLock { $0.replayStart = max($0.replayStart, position) }
    }

    /// Whether so much log came since the last checkpoint, now that it ends at `end`, that another
    /// one is due as soon as that is allowed.
    func isDue(at end: LogPosition) -> Bool {
        policy == .automatic && (end.distance(from: replayStart) ?? 0) > Self.logBytesMax
    }

    /// Runs `checkpoint` in the background when it is time for one, with the log ending at `end`.
    func runIfDue(at end: LogPosition, _ checkpoint: @escaping @Sendable () -> Void) {
        guard policy == .automatic else { return }
        let isDue = state.withLock { state in
            let bytes = end.distance(from: state.replayStart) ?? 0
            guard bytes > Self.logBytesMax, !state.isScheduled else { return false }
            let now = ContinuousClock.now
            if let last = state.last, last.duration(to: now) < Self.interval { return false }
            state.isScheduled = true
            state.last = now
            return true
        }
        guard isDue else { return }
        let isRunning = worker.run { [self] in
            if !isClosing { checkpoint() }
            state.withLock { $0.isScheduled = false }
        }
        if !isRunning { state.withLock { $0.isScheduled = false } }
    }

    /// Runs `last` when the checkpoint under way has ended, and ends the thread.
    func stop(last: @escaping @Sendable () -> Void) {
        isStopping.store(true, ordering: .releasing)
        if !worker.stop(last: last) { last() }
    }

    private var worker: SerialThread {
        thread.withLock { thread in
            if let thread { return thread }
            let made = SerialThread(name: "RealmActors checkpoints", isInBackground: true)
            thread = made
            return made
        }
    }
}
