package import Storage
import Synchronization

/// A disk for tests that does what real ones may do: at a crash it loses any part of what was not
/// synced, in any order, torn inside a sector; it loses names whose directory was not synced; its
/// calls fail on request. Everything it does follows from the seeds it is given.
///
/// It stands for the operating system's file system as `POSIXFileSystem` presents it: interrupted
/// and shortened system calls are below that, and belong to `SystemCalls`.
package final class SimulatedDisk: FileSystem {
    struct State: Sendable {
        var names = SimulatedNames()
        var contents: [SimulatedFile.ID: SimulatedContent] = [:]
        /// Contents of files that were removed, which a later file may find in its blocks.
        var freed: [UInt8] = []
        var nextID = 0
        var boot = 0
        var plan = FaultPlan()
        var observer: Observer?
        var locks: [String: HeldLock] = [:]
        var space = SimulatedSpace()
    }

    /// A lock that is free again when its holder drops it.
    struct HeldLock: Sendable {
        weak var lock: MemoryLock?
    }

    /// Sees every call, on the caller's thread and outside the disk's lock, so that it may look at
    /// the disk.
    package typealias Observer = @Sendable (Call) -> Void

    /// A call that is about to be carried out, or just was.
    package struct Call: Sendable {
        package enum Moment: Sendable { case before, after }

        package let moment: Moment
        package let operation: IOOperation
        package let path: String
    }

    let state: Mutex<State>

    package init() { state = Mutex(State()) }

    private init(_ state: State) { self.state = Mutex(state) }

    /// Calls since the last crash or `resetCalls`.
    package var callCount: Int { state.withLock { $0.plan.calls } }

    /// Those of them that met a fault.
    package var faultyCallCount: Int { state.withLock { $0.plan.hits } }

    /// Counts calls from 0 again and forgets the faults.
    package func resetCalls() { state.withLock { $0.plan = FaultPlan() } }

    /// Makes a call fail.
    package func inject(_ fault: Fault) { state.withLock { $0.plan.add(fault) } }

    /// Makes the next sync of a file fail whose path ends so: what was written is on no disk, which
    /// is reported once through each open file.
    package func failNextSync(of suffix: String) {
        state.withLock { $0.plan.failNextSync(of: suffix) }
    }

    /// Calls `observer` before and after every call from now on.
    package func observe(_ observer: Observer?) { state.withLock { $0.observer = observer } }

    /// Gives the disk space for so many bytes, in blocks, and no more; nil for as many as it takes.
    /// With `copiesOnWrite` a block that is written anew takes space of its own at first.
    package func limit(to capacity: Int?, copiesOnWrite: Bool = false) {
        state.withLock {
            $0.space.capacity = capacity
            $0.space.copiesOnWrite = copiesOnWrite
        }
    }

    /// Lets the disk have so many files and no more, as a quota does; nil for as many as it takes.
    package func limitFiles(to count: Int?) { state.withLock { $0.space.filesMax = count } }

    /// Bytes of the blocks that files occupy, those included that are open and have no name.
    package var usedBytes: Int { state.withLock { $0.usedBytes } }

    // MARK: Crashes and damage

    /// The power fails: of everything unsynced a part decided by `seed` is there afterwards. Open
    /// files no longer work, locks are free, faults are forgotten.
    package func crash(seed: UInt64, _ policy: CrashPolicy = .random) {
        state.withLock { $0.crash(seed: seed, policy) }
    }

    /// The disk as it would be found if the power failed now. This one goes on.
    package func crashImage(seed: UInt64, _ policy: CrashPolicy) -> SimulatedDisk {
        var copy = state.withLock { $0 }
        copy.crash(seed: seed, policy)
        copy.observer = nil
        return SimulatedDisk(copy)
    }

    /// Flips bits on the medium: rot.
    package func damage(_ path: String, at offset: Int, mask: UInt8 = 1) {
        change(path) { $0.flip(offset, mask) }
    }

    /// Cuts the file on the medium.
    package func truncate(_ path: String, to length: Int) {
        change(path) { $0.truncate(to: length) }
    }

    private func change(_ path: String, _ body: (inout SimulatedContent) -> Void) {
        state.withLock { state in
            guard let id = state.names.file(path),
                var content = state.contents.removeValue(forKey: id)
            else { return }
            body(&content)
            state.contents[id] = content
        }
    }

    /// Every file with its length, sorted by path.
    package var files: [(path: String, length: Int)] {
        state.withLock { state in
            state.names.files.map { ($0.path, state.contents[$0.id]?.bytes.count ?? 0) }
                .sorted { $0.0 < $1.0 }
        }
    }

    /// Files with contents, and paths with names, that no sync has made durable.
    package var unsyncedPaths: Set<String> {
        state.withLock { state in
            let dirty = state.names.files.filter { state.contents[$0.id]?.isDirty == true }
            return state.names.unsyncedPaths.union(dirty.map(\.path))
        }
    }

    // MARK: Calls

    /// Carries out one call, or fails it as planned.
    func perform<R: Sendable>(
        _ operation: IOOperation, _ path: String,
        _ body: (inout State, Fault.Kind?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let observer = state.withLock { $0.observer }
        observer?(Call(moment: .before, operation: operation, path: path))
        defer { observer?(Call(moment: .after, operation: operation, path: path)) }
        return try state.withLock { state throws(StorageError) in
            try body(&state, state.plan.begin(operation, path))
        }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try perform(.open, path) { state, _ throws(StorageError) -> SimulatedFile in
            if state.names.isDirectory(path) {
                throw .notARealm(path: path, reason: "it is not a regular file")
            }
            if let id = state.names.file(path) { return opened(path, id, &state) }
            guard mode == .create, state.names.hasParent(path) else {
                throw .fileNotFound(path: path)
            }
            try state.requireAnotherFile(path)
            let id = state.nextID
            state.nextID += 1
            state.names.add(path, .file(id))
            state.contents[id] = SimulatedContent()
            return opened(path, id, &state)
        }
    }

    private func opened(
        _ path: String, _ id: SimulatedFile.ID, _ state: inout State
    ) -> SimulatedFile {
        state.space.noteOpen(id)
        return SimulatedFile(
            disk: self, id: id, path: path, boot: state.boot,
            reportedFailures: state.contents[id]?.failuresBeforeOpening ?? 0)
    }

    func noteClosed(_ id: SimulatedFile.ID, boot: Int) {
        state.withLock { if $0.boot == boot { $0.space.noteClosed(id) } }
    }

    package func createDirectory(_ path: String) throws(StorageError) {
        try perform(.createDirectory, path) { state, _ in
            if state.names[path] == nil { state.names.add(path, .directory) }
        }
    }

    package func list(_ path: String) throws(StorageError) -> [String] {
        try perform(.list, path) { state, _ throws(StorageError) in
            guard let entry = state.names[path] else { throw .fileNotFound(path: path) }
            guard entry == .directory else {
                throw .io(operation: .list, path: path, errno: Platform.notADirectory)
            }
            return state.names.names(in: path)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try perform(.rename, path) { state, _ throws(StorageError) in
            guard let entry = state.names[path] else { throw .fileNotFound(path: path) }
            try state.requireEmpty(newPath, .rename)
            state.free(newPath)
            state.names.rename(path, to: newPath, entry)
        }
    }

    package func link(_ path: String, to newPath: String) throws(StorageError) {
        try perform(.link, path) { state, _ throws(StorageError) in
            guard let id = state.names.file(path), state.names.hasParent(newPath) else {
                throw .fileNotFound(path: path)
            }
            if state.names[newPath] != nil {
                throw .io(operation: .link, path: newPath, errno: Platform.fileExists)
            }
            state.names.add(newPath, .file(id))
        }
    }

    package func remove(_ path: String) throws(StorageError) {
        try perform(.remove, path) { state, _ throws(StorageError) in
            guard state.names[path] != nil else { throw .fileNotFound(path: path) }
            try state.requireEmpty(path, .remove)
            state.free(path)
            state.names.remove(path)
        }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        try perform(.syncDirectory, path) { state, _ in
            state.names.sync(path)
            state.forgetLost()
        }
    }

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        _ = try open(path, .create)
        return state.withLock { state -> MemoryLock? in
            guard state.locks[path]?.lock == nil else { return nil }
            let lock = MemoryLock()
            state.locks[path] = HeldLock(lock: lock)
            return lock
        }
    }
}

extension SimulatedDisk.State {
    /// Bytes of removed files that are kept.
    private static let freedCapacity = 1 << 16

    mutating func crash(seed: UInt64, _ policy: CrashPolicy) {
        var random = SeededGenerator(seed: seed)
        names.crash(policy, &random)
        let used = Set(names.files.map(\.id))
        contents = contents.filter { used.contains($0.key) }
        for id in contents.keys.sorted() { contents[id]?.crash(policy, stale: freed, &random) }
        boot += 1
        space.forgetOpen()
        plan = SimulatedDisk.FaultPlan()
        locks = [:]
    }

    /// A directory with something in it is neither removed nor replaced.
    func requireEmpty(_ path: String, _ operation: IOOperation) throws(StorageError) {
        guard names.isDirectory(path), !names.names(in: path).isEmpty else { return }
        throw .io(operation: operation, path: path, errno: Platform.directoryNotEmpty)
    }

    /// Notes what stands in the blocks of a file whose name goes.
    mutating func free(_ path: String) {
        guard let id = names.file(path), let content = contents[id] else { return }
        freed.append(contentsOf: content.bytes.suffix(Self.freedCapacity))
        freed.removeFirst(max(0, freed.count - Self.freedCapacity))
    }
}
