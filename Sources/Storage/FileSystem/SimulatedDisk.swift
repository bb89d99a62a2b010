import Synchronization

/// A disk for tests that does what real ones may do: at a crash it loses any part of what was not
/// synced, in any order, torn inside a sector; it forgets names whose directory was not synced; its
/// calls fail when told to. Everything it does follows from the seeds it is given.
package final class SimulatedDisk: FileSystem {
    /// A call to fail.
    package struct Fault: Sendable, Hashable {
        package enum Kind: Sendable, Hashable, CaseIterable {
            /// The call does nothing and reports an I/O error.
            case inputOutput
            /// A call that needs space does nothing and reports that the disk is full.
            case noSpace
            /// A write does half of its work, then reports that the disk is full.
            case shortWrite
            /// A sync fails, and the unsynced bytes count as clean from then on: they are seen by
            /// readers, are on no disk, and the next sync reports success.
            case failedSync
        }
        package var kind: Kind
        /// Which call fails, counted from 1 since the last crash or `resetCalls`.
        package var call: Int
        /// Whether every call after it fails too.
        package var isLasting: Bool

        package init(_ kind: Kind, call: Int, isLasting: Bool = false) {
            self.kind = kind
            self.call = call
            self.isLasting = isLasting
        }
    }

    struct State {
        var names: [String: SimulatedFile.ID] = [:]
        var durableNames: [String: SimulatedFile.ID] = [:]
        var directories: Set<String> = ["", ".", "/"]
        var durableDirectories: Set<String> = ["", ".", "/"]
        var contents: [SimulatedFile.ID: SimulatedContent] = [:]
        var nextID = 0
        var boot = 0
        var calls = 0
        var faults: [Fault] = []
        /// Whether syncs do nothing, to show that the tests would notice.
        var ignoresSync = false
        weak var lock: MemoryLock?
    }

    let state = Mutex(State())

    package init() {}

    /// Calls since the last crash or `resetCalls`.
    package var callCount: Int { state.withLock { $0.calls } }

    /// Counts calls from 0 again and forgets the faults.
    package func resetCalls() {
        state.withLock { state in
            state.calls = 0
            state.faults = []
        }
    }

    /// Makes a call fail.
    package func inject(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }

    /// Makes every sync a lie: a canary.
    package func ignoreSyncs() { state.withLock { $0.ignoresSync = true } }

    /// Flips a bit on the medium: rot.
    package func damage(_ path: String, at offset: Int, mask: UInt8 = 1) {
        state.withLock { state in
            guard let id = state.names[path] else { return }
            state.contents[id]?.flip(offset, mask)
        }
    }

    /// The power fails: of everything unsynced a part decided by `seed` is there afterwards. Open
    /// files no longer work, locks are free, faults are forgotten.
    package func crash(seed: UInt64) {
        state.withLock { state in
            var random = SeededGenerator(seed: seed)
            state.keepSomeNames(&random)
            for id in state.contents.keys.sorted() {
                state.contents[id]?.crash(&random)
            }
            state.boot += 1
            state.calls = 0
            state.faults = []
            state.lock = nil
        }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try state.withLock { state throws(StorageError) in
            try state.begin(.open, path)
            if state.directories.contains(path) {
                throw .notARealm(path: path, reason: "it is not a regular file")
            }
            if state.names[path] == nil {
                guard mode == .create else { throw .fileNotFound(path: path) }
                state.names[path] = state.nextID
                state.contents[state.nextID] = SimulatedContent()
                state.nextID += 1
            }
            guard let id = state.names[path] else { throw .fileNotFound(path: path) }
            return SimulatedFile(disk: self, id: id, path: path, boot: state.boot)
        }
    }

    package func createDirectory(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try state.begin(.createDirectory, path)
            state.directories.insert(path)
        }
    }

    package func list(_ path: String) throws(StorageError) -> [String] {
        try state.withLock { state throws(StorageError) in
            try state.begin(.list, path)
            guard state.directories.contains(path) else { throw .fileNotFound(path: path) }
            let paths = Array(state.names.keys) + Array(state.directories)
            return paths.compactMap { $0.name(in: path) }.sorted()
        }
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try state.begin(.rename, path)
            guard let id = state.names.removeValue(forKey: path) else {
                throw .fileNotFound(path: path)
            }
            state.names[newPath] = id
        }
    }

    package func remove(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try state.begin(.remove, path)
            guard
                state.names.removeValue(forKey: path) != nil
                    || state.directories.remove(path) != nil
            else { throw .fileNotFound(path: path) }
        }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try state.begin(.syncDirectory, path)
            guard !state.ignoresSync else { return }
            state.syncNames(in: path)
        }
    }

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        _ = try open(path, .create)
        return state.withLock { state -> MemoryLock? in
            guard state.lock == nil else { return nil }
            let lock = MemoryLock()
            state.lock = lock
            return lock
        }
    }
}

extension SimulatedDisk.State {
    /// Counts a call and fails it when told to. Returns what a write or sync has to do besides.
    @discardableResult
    mutating func begin(
        _ operation: IOOperation, _ path: String
    ) throws(StorageError) -> SimulatedDisk.Fault.Kind? {
        calls += 1
        let call = calls
        let fault = faults.first { $0.isLasting ? $0.call <= call : $0.call == call }
        guard let fault else { return nil }
        switch fault.kind {
        case .inputOutput:
            throw .io(operation: operation, path: path, errno: Platform.inputOutput)
        case .noSpace:
            guard operation.takesSpace else { return nil }
            throw .io(operation: operation, path: path, errno: Platform.noSpace)
        case .shortWrite:
            return operation == .write ? .shortWrite : nil
        case .failedSync:
            return operation == .sync ? .failedSync : nil
        }
    }

    mutating func syncNames(in directory: String) {
        for name in durableNames.keys where name.name(in: directory) != nil {
            durableNames[name] = names[name]
        }
        for (name, id) in names where name.name(in: directory) != nil {
            durableNames[name] = id
        }
        durableDirectories = durableDirectories.filter {
            $0.name(in: directory) == nil || directories.contains($0)
        }
        durableDirectories.formUnion(directories.filter { $0.name(in: directory) != nil })
    }

    /// Decides for every changed name whether the change reached the medium.
    mutating func keepSomeNames(_ random: inout SeededGenerator) {
        for name in Set(names.keys).union(durableNames.keys).sorted()
        where names[name] != durableNames[name] && random.next(below: 2) == 0 {
            durableNames[name] = names[name]
        }
        for name in directories.union(durableDirectories).sorted()
        where directories.contains(name) != durableDirectories.contains(name) {
            guard random.next(below: 2) == 0 else { continue }
            if directories.contains(name) {
                durableDirectories.insert(name)
            } else {
                durableDirectories.remove(name)
            }
        }
        // A file without its directory is nowhere.
        let kept = durableDirectories
        durableNames = durableNames.filter { path, _ in
            guard let slash = path.lastIndex(of: "/") else { return true }
            return kept.contains(String(path[..<slash]))
        }
        names = durableNames
        directories = durableDirectories
        let used = Set(names.values)
        contents = contents.filter { used.contains($0.key) }
    }
}

extension IOOperation {
    /// Whether the call can meet a full disk.
    fileprivate var takesSpace: Bool {
        switch self {
        case .write, .allocate, .createDirectory: true
        case .open, .size, .read, .sync, .list, .rename, .remove, .syncDirectory, .lock: false
        }
    }
}

/// The generator that tests and the simulated disk draw from: SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in 0 ..< limit.
    package mutating func next(below limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }
}
