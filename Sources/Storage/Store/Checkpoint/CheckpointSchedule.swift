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
    /// At most one checkpoint begins in this time, unless the log becomes large beside the tree.
    private static let interval = Duration.seconds(1)
    /// When memory is short, checkpoints come after as many bytes, and this long after another.
    private static let logBytesShort = 256 << 10
    private static let intervalShort = Duration.milliseconds(100)

    private struct State {
        var isClosed = false
        /// Where replay would begin.
        var replayStart: LogPosition
        var isScheduled = false
        /// With more of the log than this a checkpoint begins at once, to bound the space.
        var logBytesFull = 0
        var last: ContinuousClock.Instant?
        /// Where the log ended when there was no space for a checkpoint.
        var refusal: LogPosition?
    }

    let checkpointer: Checkpointer
    let policy: Policy
    private let state: Mutex<State>
    private let thread = Mutex<SerialThread?>(nil)
    private let isStopping = Atomic<Bool>(false)
    private let upkeep = Mutex<(@Sendable () -> Void)?>(nil)
    private let observer = Mutex<(@Sendable (StoreEvent) -> Void)?>(nil)

    package init(_ opened: StoreOpening.Opened, policy: Policy = .automatic) {
        checkpointer = opened.checkpointer
        self.policy = policy
        state = Mutex(State(replayStart: opened.log.replayStart))
    }

    /// Sets what is to begin when a checkpoint has left waste on the disk, or in memory.
    package func onUpkeep(_ start: @escaping @Sendable () -> Void) {
        upkeep.withLock { $0 = start }
    }

    /// Sets who is notified of checkpoints that were written.
    func onEvent(_ observer: @escaping @Sendable (StoreEvent) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// Reports a checkpoint that was begun at `start` and has been written.
    func tell(_ version: Version, since start: ContinuousClock.Instant) {
        guard let observer = observer.withLock({ $0 }) else { return }
        let contents = checkpointer.contents
        observer(
            .checkpoint(
                version: version, live: contents.live, stored: contents.length,
                duration: start.duration(to: .now)))
    }

    func startUpkeep() { upkeep.withLock { $0 }?() }

    /// Whether the store is being closed, and a checkpoint that runs should not begin anew.
    var isClosing: Bool { isStopping.load(ordering: .acquiring) }

    /// Whether the store was closed, so that its files may be another opening's.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func noteClosed() { state.withLock { $0.isClosed = true } }

    var replayStart: LogPosition { state.withLock { $0.replayStart } }

    /// Takes note of a finished checkpoint.
    func noteCheckpoint(at position: LogPosition) {
        let live = checkpointer.contents.live
        state.withLock {
            $0.replayStart = max($0.replayStart, position)
            $0.logBytesFull = live / 2
        }
    }

    /// Whether there was no space for a checkpoint with the log ending at `end`.
    func wasRefused(at end: LogPosition) -> Bool { state.withLock { $0.refusal == end } }

    func noteRefusal(at end: LogPosition) { state.withLock { $0.refusal = end } }

    /// Takes note of where replay would begin by what another process has written.
    func noteTakeOver(at position: LogPosition) {
        state.withLock {
            $0.replayStart = position
            $0.logBytesFull = 0
        }
    }

    /// Why a checkpoint is due sooner than usual.
    enum Haste {
        case none
        /// Memory is short of what only a checkpoint can free.
        case memory
        /// The page files have the tree already, so that there is little left to write, and much of
        /// the log to be gained.
        case isCheap
    }

    /// Runs `checkpoint` in the background when it is time for one, with the log ending at `end`.
    func runIfDue(
        at end: LogPosition, _ haste: Haste, _ checkpoint: @escaping @Sendable () -> Void
    ) {
        guard policy == .automatic else { return }
        let isDue = state.withLock { state in
            let (bytesMax, interval): (Int, Duration) =
                switch haste {
                case .none: (Self.logBytesMax, Self.interval)
                case .memory: (Self.logBytesShort, Self.intervalShort)
                case .isCheap: (0, .zero)
                }
            let bytes = end.distance(from: state.replayStart) ?? 0
            guard bytes > bytesMax, !state.isScheduled else { return false }
            let now = ContinuousClock.now
            if bytes <= state.logBytesFull, let last = state.last, last.duration(to: now) < interval
            {
                return false
            }
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

    /// Runs `job` in the background, or here when the schedule has ended.
    func run(_ job: @escaping @Sendable () -> Void) {
        if !worker.run(job) { job() }
    }

    /// Runs `last` when the checkpoint under way has ended, and ends the thread.
    func stop(last: @escaping @Sendable () -> Void) {
        isStopping.store(true, ordering: .releasing)
        if !worker.stop(last: last) { last() }
    }

    private var worker: SerialThread {
        thread.withLock { thread in
            if let thread { return thread }
            let made = SerialThread(name: "RealmActors checkpoints")
            thread = made
            return made
        }
    }
}
