import Synchronization

/// A wait for the writer lease, which can be cancelled at any moment.
///
/// A thread that the system has waiting for a lock cannot be called back: it would stay for as long
/// as another process has the lock, and then get what nobody wants any more, perhaps in an app that
/// is suspended and is ended for it. So the lock is tried again and again, under a mutex:
/// once ``cancel()`` has returned, this wait holds no lock and takes none.
final class LockWait: Sendable {
    private struct State {
        /// The lock of the first process that waits.
        var place: (any FileLock)?
        var lock: (any FileLock)?
        /// When the process that has the lock was last notified of this wait.
        var rung: ContinuousClock.Instant?
        var isCancelled = false
    }

    private enum Progress { case hasLock, isFirst, isBehindOthers, isCancelled }

    private let queue: LockQueue
    private let state = Mutex(State())
    private let cancelled = ThreadSemaphore()

    init(_ queue: LockQueue) { self.queue = queue }

    /// Takes the lock when it is free and nobody waits for it.
    func tryTake() throws(StorageError) -> Bool {
        try state.withLock { state throws(StorageError) in
            if state.isCancelled { return false }
            state.lock = try queue.tryTake()
            return state.lock != nil
        }
    }

    /// Waits for the lock until `timeout` has passed or it is cancelled; whether it is there.
    /// Blocks its thread.
    ///
    /// - Parameter delay: for how long others may come first.
    func run(upTo timeout: Duration? = nil, after delay: Duration = .zero) throws(StorageError)
        -> Bool
    {
        let start = ContinuousClock.now
        if delay > .zero { pause(for: delay) }
        while true {
            let waited = start.duration(to: .now)
            switch try proceed() {
            case .hasLock: return true
            case .isCancelled: return false
            case .isFirst: pause(for: min(max(waited / 16, Self.pauseMin), Self.pauseMax))
            case .isBehindOthers: pause(for: Self.pauseBehindOthers)
            }
            if let timeout, waited >= timeout {
                // It may have come just now.
                return try proceed() == .hasLock
            }
        }
    }

    /// The lock that it has got, which is the caller's from then on.
    func take() -> (any FileLock)? {
        state.withLock { state in
            defer { state.lock = nil }
            return state.lock
        }
    }

    /// Ends it, and releases what it has got.
    func cancel() {
        let held = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state
        }
        withExtendedLifetime(held) {}
        cancelled.signal()
    }

    /// How soon the first one tries again: the longer it has waited, the later. What a process that
    /// was killed held is found free then; one that releases the lock does so within milliseconds.
    private static let pauseMin = Duration.microseconds(100)
    private static let pauseMax = Duration.milliseconds(4)
    /// The same for all others, so that none of them is behind one that has just come.
    private static let pauseBehindOthers = Duration.milliseconds(2)
    /// For how long a process that has released the lock lets those come first that waited
    /// meanwhile.
    static let courtesy = Duration.milliseconds(3)

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
            try ring(&state)
            return .isFirst
        }
    }

    /// How soon it rings again: who has the lock may have had no descriptor left to look who waits.
    private static let ringInterval = Duration.seconds(1)

    private func ring(_ state: inout State) throws(StorageError) {
        guard let rung = state.rung else {
            try queue.ring()
            return state.rung = .now
        }
        guard rung.duration(to: .now) >= Self.ringInterval else { return }
        // What fails now is tried again later.
        try? queue.ring()
        state.rung = .now
    }
}
