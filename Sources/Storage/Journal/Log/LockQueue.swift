/// The queue of the processes that want to write to a store, made of two file locks: the one of the
/// writer, and one that the first waiter holds.
///
/// Without the second, a process that releases the lock and wants it again would get it before the
/// waiting process has woken up. The system releases both when their process ends, so a killed
/// process blocks no other.
struct LockQueue: Sendable {
    private let files: any SharedFileSystem
    private let store: StoreDirectory

    init(_ files: any SharedFileSystem, _ store: StoreDirectory) {
        self.files = files
        self.store = store
    }

    /// The queue of a store; nil if other processes cannot use its files.
    init?(_ store: StoreDirectory) {
        guard let files = store.fileSystem.shared else { return nil }
        self.init(files, store)
    }

    /// The file that a process writes to when it begins to wait.
    var requestPath: String { store.waitingPath }

    /// Whether a process waits for the lock.
    var isAwaited: Bool { (try? files.isLocked(store.waitingPath)) ?? false }

    /// The process that has the lock, if it has recorded its number.
    var holder: Int32? { files.lockHolder(store.lockPath) }

    /// The lock, if it is free and no process waits for it.
    func tryTake() throws(StorageError) -> (any FileLock)? {
        guard let place = try files.lock(store.waitingPath) else { return nil }
        defer { withExtendedLifetime(place) {} }
        return try files.lock(store.lockPath)
    }

    /// Creates the file that waiting processes lock, so that it can be watched, with the space for
    /// the byte that they write to it: they must be able to do so on a full disk.
    func makeRequestFile() throws(StorageError) {
        let file = try store.fileSystem.open(store.waitingPath, .create)
        let start = POSIXLock.signatureSize
        if try file.size().length <= start { try file.writeZeros(from: start, to: start + 1) }
    }

    /// The lock of the first waiter, unless another process has it.
    func tryTakePlace() throws(StorageError) -> (any FileLock)? {
        try files.lock(store.waitingPath)
    }

    /// The lock, if it is free. The caller holds the lock of the first waiter.
    func tryTakeLock() throws(StorageError) -> (any FileLock)? { try files.lock(store.lockPath) }

    /// Notifies the process that has the lock that another one waits.
    func notifyHolder() throws(StorageError) {
        try files.notifyWatchers(of: store.waitingPath)
    }

    /// Waits for the lock until `timeout` has passed or `monitor` is cancelled, and throws `.busy`
    /// then; without them, for as long as it takes. Blocks its thread.
    func wait(
        upTo timeout: Duration?, _ monitor: ReadingMonitor? = nil
    ) throws(StorageError) -> any FileLock {
        let wait = LockWait(self)
        defer { wait.cancel() }
        guard try wait.run(upTo: timeout, monitor: monitor), let lock = wait.take() else {
            throw .busy(process: holder)
        }
        return lock
    }
}
