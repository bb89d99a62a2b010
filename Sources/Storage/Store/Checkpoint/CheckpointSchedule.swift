import Synchronization

/// Decides when a store writes checkpoints, and runs them on a thread.
package final class CheckpointSchedule: Sendable {
    /// When checkpoints are written.
    package enum Policy: Sendable, Hashable {
        /// In the background, when replay of the log since the last one would take long, and before
        /// closing.
        case automatic
        /// On request.
        case manual
    }

    /// Replaying this many bytes of the log takes less than about 100 ms.
    private static let logBytesMax = 4 << 20
    /// The minimum interval of checkpoints, unless the log becomes large in relation to the tree.
    private static let interval = Duration.seconds(1)
    /// The limits when memory is short: of the log, and of the interval.
    private static let logBytesShort = 256 << 10
    private static let intervalShort = Duration.milliseconds(100)
    /// The minimum interval after a checkpoint that lacked space: while it is written it takes
    /// space that commits may need.
    private static let intervalFull = Duration.seconds(10)

    private struct State {
        var isClosed = false
        /// Where replay would begin.
        var replayStart: LogPosition
        var isScheduled = false
        /// With more log than this, a checkpoint begins at once, to bound the space.
        var logBytesFull = 0
        var last: Instant?
        /// Whether the last checkpoint lacked space.
        var lacksSpace = false
        /// The end of the log when a checkpoint lacked space, and the size of the reserve.
        var refusal: (end: LogPosition, reserve: Int)?
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

    /// Sets the maintenance to start when a checkpoint has left unused bytes on disk, or evictable
    /// nodes in memory.
    package func onUpkeep(_ start: @escaping @Sendable () -> Void) {
        upkeep.withLock { $0 = start }
    }

    /// Sets the observer of written checkpoints.
    func onEvent(_ observer: @escaping @Sendable (StoreEvent) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// Reports a checkpoint that was begun at `start` and has been written.
    func report(_ version: Version, since start: Instant) {
        guard let observer = observer.withLock({ $0 }) else { return }
        let contents = checkpointer.contents
        observer(
            .checkpoint(
                version: version, live: contents.live, stored: contents.length,
                duration: start.duration(to: .now)))
    }

    func startUpkeep() { upkeep.withLock { $0 }?() }

    /// Whether the store is being closed, so that a running checkpoint should not be restarted.
    var isClosing: Bool { isStopping.load(ordering: .acquiring) }

    /// Whether the store was closed, so that its files may be in use by another instance.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func noteClosed() { state.withLock { $0.isClosed = true } }

    var replayStart: LogPosition { state.withLock { $0.replayStart } }

    /// Records a finished checkpoint.
    func noteCheckpoint(at position: LogPosition) {
        let live = checkpointer.contents.live
        state.withLock {
            $0.replayStart = max($0.replayStart, position)
            $0.logBytesFull = live / 2
            $0.lacksSpace = false
        }
    }

    /// Records that a checkpoint lacked space.
    func noteShortage() { state.withLock { $0.lacksSpace = true } }

    /// The size of the reserve when a checkpoint with the log ending at `end` lacked space; nil if
    /// none did.
    func reserveWhenRefused(at end: LogPosition) -> Int? {
        state.withLock { $0.refusal?.end == end ? $0.refusal?.reserve : nil }
    }

    func noteRefusal(at end: LogPosition, reserve: Int) {
        state.withLock { $0.refusal = (end, reserve) }
    }

    /// Records where replay would begin after the checkpoint of another process.
    func noteTakeOver(at position: LogPosition) {
        state.withLock {
            $0.replayStart = position
            $0.logBytesFull = 0
        }
    }

    /// Why a checkpoint is due sooner than usual.
    enum Urgency {
        case none
        /// Memory is short, and only a checkpoint can free nodes.
        case memory
        /// The page files have the tree already, so a checkpoint writes little and makes much of
        /// the log obsolete.
        case cheap
    }

    /// Runs `checkpoint` in the background if one is due, with the log ending at `end`.
    func runIfDue(
        at end: LogPosition, _ urgency: Urgency, _ checkpoint: @escaping @Sendable () -> Void
    ) {
        guard policy == .automatic else { return }
        let isDue = state.withLock { state in
            let (bytesMax, interval): (Int, Duration) =
                switch urgency {
                case .none: (Self.logBytesMax, Self.interval)
                case .memory: (Self.logBytesShort, Self.intervalShort)
                case .cheap: (0, .zero)
                }
            let bytes = end.distance(from: state.replayStart) ?? 0
            guard bytes > bytesMax, !state.isScheduled else { return false }
            let now = Instant.now
            // A cheap one needs little space, and removes what the page commit has made obsolete.
            let isDeferred = state.lacksSpace && urgency != .cheap
            let pause = isDeferred ? Self.intervalFull : interval
            let mayWait = bytes <= state.logBytesFull || isDeferred
            if mayWait, let last = state.last, last.duration(to: now) < pause { return false }
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

    /// Runs `job` in the background, or here if the schedule has ended.
    func run(_ job: @escaping @Sendable () -> Void) {
        if !worker.run(job) { job() }
    }

    /// Runs `last` after the running checkpoint, and ends the thread.
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
