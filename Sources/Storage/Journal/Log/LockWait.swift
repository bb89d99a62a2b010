import Synchronization

/// A wait for the writer lease, which can be cancelled at any moment.
///
/// A thread that blocks in the system on a file lock cannot be cancelled: it would take the lock
/// after the wait was abandoned, perhaps in a suspended app, which is terminated for holding a
/// lock. So the lock is polled, under a mutex: once ``cancel()`` has returned, this wait holds no
/// lock and takes none.
final class LockWait: Sendable {
    private struct State {
        /// The lock of the first waiter, see ``LockQueue``.
        var place: (any FileLock)?
        var lock: (any FileLock)?
        /// When this wait last notified the process that has the lock.
        var lastNotified: Instant?
        var isCancelled = false
    }

    private enum Progress { case hasLock, isFirst, isBehindOthers, isCancelled }

    private let queue: LockQueue
    private let state = Mutex(State())
    private let cancelled = ThreadSemaphore()

    init(_ queue: LockQueue) { self.queue = queue }

    /// Takes the lock if it is free and no process waits for it.
    func tryTake() throws(StorageError) -> Bool {
        try state.withLock { state throws(StorageError) in
            if state.isCancelled { return false }
            state.lock = try queue.tryTake()
            return state.lock != nil
        }
    }

    /// Waits for the lock until `timeout` has passed, or it or `monitor` is cancelled; returns
    /// whether it has the lock. Blocks the thread.
    ///
    /// - Parameter delay: for how long other processes have priority.
    func run(
        upTo timeout: Duration? = nil, after delay: Duration = .zero,
        monitor: ReadingMonitor? = nil
    ) throws(StorageError) -> Bool {
        let start = Instant.now
        if delay > .zero { pause(for: delay) }
        while true {
            if let monitor, monitor.isCancelled { return false }
            let waited = start.duration(to: .now)
            switch try proceed() {
            case .hasLock: return true
            case .isCancelled: return false
            case .isFirst: pause(for: min(max(waited / 16, Self.pauseMin), Self.pauseMax))
            case .isBehindOthers: pause(for: Self.pauseBehindOthers)
            }
            if let timeout, waited >= timeout {
                // One last attempt.
                return try proceed() == .hasLock
            }
        }
    }

    /// Hands the acquired lock to the caller.
    func take() -> (any FileLock)? {
        state.withLock { state in
            defer { state.lock = nil }
            return state.lock
        }
    }

    /// Ends the wait, and releases the locks.
    func cancel() {
        let held = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state
        }
        withExtendedLifetime(held) {}
        cancelled.signal()
    }

    /// The polling interval of the first waiter, which grows with the wait: a process that is asked
    /// for the lock usually releases it within milliseconds, or was killed.
    private static let pauseMin = Duration.microseconds(100)
    private static let pauseMax = Duration.milliseconds(4)
    /// The constant interval of all others, so that newcomers have no advantage.
    private static let pauseBehindOthers = Duration.milliseconds(2)
    /// How long a process that has released the lock waits before it takes it again, so that
    /// waiting processes come first.
    static let reacquireDelay = Duration.milliseconds(3)

    private func pause(for time: Duration) {
        _ = cancelled.wait(upTo: time)
    }

    private func proceed() throws(StorageError) -> Progress {
        try state.withLock { state throws(StorageError) in
            if state.isCancelled { return .isCancelled }
            if state.place == nil { state.place = try queue.tryTakePlace() }
            if state.place == nil { return .isBehindOthers }
            state.lock = try queue.tryTakeLock()
            if state.lock != nil {
                state.place = nil
                return .hasLock
            }
            try notifyHolder(&state)
            return .isFirst
        }
    }

    /// How soon it notifies again: the holder may have lacked a descriptor to check for waiters.
    private static let notifyInterval = Duration.seconds(1)

    private func notifyHolder(_ state: inout State) throws(StorageError) {
        guard let lastNotified = state.lastNotified else {
            try queue.notifyHolder()
            return state.lastNotified = .now
        }
        guard lastNotified.duration(to: .now) >= Self.notifyInterval else { return }
        // Repeated after the interval if it fails.
        try? queue.notifyHolder()
        state.lastNotified = .now
    }
}
