/// The processes that want to write to a store: the lock of the one that does, and in front of it
/// another one, which the first of those who wait has.
///
/// Without the second, a process that releases the lock and wants it again would get it before the
/// process that it was released for has woken up. Both go with their process, so that nobody who
/// was killed keeps others waiting.
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

    /// What is written to when another process begins to wait.
    var bell: String { store.waitingPath }

    /// Whether another process waits.
    var isAwaited: Bool { (try? files.isLocked(store.waitingPath)) ?? false }

    /// The process that has the lock, as far as it said so.
    var holder: Int32? { files.lockHolder(store.lockPath) }

    /// The lock, when it is free and nobody waits for it.
    func tryTake() throws(StorageError) -> (any FileLock)? {
        guard let place = try files.lock(store.waitingPath) else { return nil }
        defer { withExtendedLifetime(place) {} }
        return try files.lock(store.lockPath)
    }

    /// Makes the file that those who wait lock, so that it can be watched, with the space for what
    /// they write to it: on a full disk, too, others may want to delete something.
    func makeBell() throws(StorageError) {
        let file = try store.fileSystem.open(store.waitingPath, .create)
        let start = POSIXLock.signatureSize
        if try file.size().length <= start { try file.writeZeros(from: start, to: start + 1) }
    }

    /// The place of the first process that waits, unless another one has it.
    func tryTakePlace() throws(StorageError) -> (any FileLock)? {
        try files.lock(store.waitingPath)
    }

    /// The lock, when it is free: for who has the place before it.
    func tryTakeLock() throws(StorageError) -> (any FileLock)? { try files.lock(store.lockPath) }

    /// Tells the process that has the lock that another one waits.
    func ring() throws(StorageError) { try files.ring(store.waitingPath) }

    /// Waits for the lock until `timeout` has passed, and throws `.busy` then; without one, for as
    /// long as it takes. Blocks its thread.
    func wait(upTo timeout: Duration?) throws(StorageError) -> any FileLock {
        let wait = LockWait(self)
        defer { wait.cancel() }
        guard try wait.run(upTo: timeout), let lock = wait.take() else {
            throw .busy(process: holder)
        }
        return lock
    }
}
