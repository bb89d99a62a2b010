import Dispatch
import Synchronization

/// The processes that want to write to a store: the lock of the one that does, and in front of it
/// another one, which the first of those who wait has.
///
/// Without the second, a process that releases the lock and wants it again would get it before
/// whoever it released it for has woken up. Both go with their process, so that nobody who was
/// killed keeps others waiting.
struct LockQueue: Sendable {
    private let files: any SharedFileSystem
    private let store: StoreDirectory

    init(_ files: any SharedFileSystem, _ store: StoreDirectory) {
        self.files = files
        self.store = store
    }

    /// The queue of a store whose files others can use; nil for one that is this process's alone.
    init?(_ store: StoreDirectory) {
        guard let files = store.fileSystem.shared else { return nil }
        self.init(files, store)
    }

    /// What is written to when somebody begins to wait.
    var bell: String { store.waitingPath }

    /// Whether somebody waits.
    var isAwaited: Bool { (try? files.isLocked(store.waitingPath)) ?? false }

    /// The process that has the lock, as far as it said so.
    var holder: Int32? { files.lockHolder(store.lockPath) }

    /// The lock, when it is free and nobody waits for it.
    func tryTake() throws(StorageError) -> (any FileLock)? {
        guard let place = try files.lock(store.waitingPath) else { return nil }
        defer { withExtendedLifetime(place) {} }
        return try files.lock(store.lockPath)
    }

    /// Makes the file that those who wait lock, so that it can be watched.
    func makeBell() throws(StorageError) {
        _ = try store.fileSystem.open(store.waitingPath, .create)
    }

    /// Waits for the lock, for as long as it takes. Blocks its thread.
    func wait() throws(StorageError) -> any FileLock {
        let place = try files.waitForLock(store.waitingPath)
        defer { withExtendedLifetime(place) {} }
        if let lock = try files.lock(store.lockPath) { return lock }
        try files.ring(store.waitingPath)
        return try files.waitForLock(store.lockPath)
    }

    /// Waits for the lock until `timeout` has passed, and throws `.busy` then. Blocks its thread.
    func wait(upTo timeout: Duration?) throws(StorageError) -> any FileLock {
        guard let timeout else { return try wait() }
        let arrival = Arrival()
        let isWaiting = Platform.runOnThread { [self] in
            arrival.come(Result { () throws(StorageError) in try wait() })
        }
        guard isWaiting else { throw .noThread(for: store.lockPath) }
        guard let result = arrival.wait(upTo: timeout) else { throw .busy(process: holder) }
        return try result.get()
    }

    /// Hands a lock from the thread that waited for it to the one that wants it, as long as that
    /// does: later on it is released at once.
    private final class Arrival: Sendable {
        private struct State {
            var result: Result<any FileLock, StorageError>?
            var isGivenUp = false
        }

        private let state = Mutex(State())
        private let signal = DispatchSemaphore(value: 0)

        func come(_ result: Result<any FileLock, StorageError>) {
            state.withLock { if !$0.isGivenUp { $0.result = result } }
            signal.signal()
        }

        func wait(upTo timeout: Duration) -> Result<any FileLock, StorageError>? {
            let nanoseconds = Int(clamping: Int64(timeout / .nanoseconds(1)))
            _ = signal.wait(timeout: .now() + .nanoseconds(nanoseconds))
            return state.withLock { state in
                state.isGivenUp = true
                return state.result
            }
        }
    }
}
