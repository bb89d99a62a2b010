import Synchronization

/// A file that only reserves space, freed when the disk is full so that the store can be made
/// smaller: for a transaction that deletes, the checkpoint after it, and a compaction.
///
/// It is created before the first commit, in the size that the store requires. While it is smaller,
/// only what makes the store smaller may allocate space; so the reserve is refilled before anything
/// else grows.
final class SpaceReserve: Sendable {
    private struct State {
        /// Length of the file; nil while it is unknown.
        var size: Int?
        /// The target size of the file.
        var targetSize: Int
    }

    private let fileSystem: any FileSystem
    private let path: String
    private let state: Mutex<State>
    private let whole = Atomic<Bool>(false)
    private let short = Atomic<Bool>(false)
    /// What the log after the checkpoint adds to the target size.
    private let extra = Atomic<Int>(0)

    init(fileSystem: any FileSystem, path: String, targetSize: Int) {
        self.fileSystem = fileSystem
        self.path = path
        state = Mutex(State(targetSize: targetSize))
    }

    /// Whether the file is known to have its target size.
    var isWhole: Bool { whole.load(ordering: .acquiring) }

    /// Whether the last attempt to refill it found too little space.
    var isShort: Bool { short.load(ordering: .relaxed) }

    /// The current size of the reserve.
    var size: Int { state.withLock { measured(&$0) } }

    /// Sets the target size. A file that is known to be more than twice as large is created anew.
    func setTargetSize(_ bytes: Int) {
        state.withLock { state in
            state.targetSize = bytes
            extra.store(0, ordering: .relaxed)
            if let size = state.size, size > 2 * bytes { release(&state) }
            whole.store(state.size.map { $0 >= bytes } ?? false, ordering: .releasing)
        }
    }

    /// Adapts the target size to the log that no checkpoint covers: deleting what it has created
    /// needs more space.
    func noteLog(_ bytes: Int) {
        let needed = DeletionSpace.record(deleting: bytes)
        guard needed > max(extra.load(ordering: .relaxed), DiskBlock.size) else { return }
        // In steps, so that it rarely grows.
        extra.store(DiskBlock.roundedUp(needed + needed / 2), ordering: .relaxed)
        whole.store(false, ordering: .releasing)
    }

    /// Allocates the missing space. Throws `.outOfSpace` if there is too little, after allocating
    /// most of that. A store whose reserve cannot be created for another reason works without one.
    func refill() throws(StorageError) {
        do throws(StorageError) {
            try claimMissing()
        } catch {
            // The next commit tries again.
            if !error.lacksDescriptors { throw error }
        }
    }

    /// As ``refill()``, and throws for lack of a descriptor.
    private func claimMissing() throws(StorageError) {
        if isWhole { return }
        try state.withLock { state throws(StorageError) in
            do throws(StorageError) {
                try claim(targetSize(state), &state)
            } catch {
                if error.lacksDescriptors { throw error }
                if case .outOfSpace = error.claimingSpace {
                    // A process that was killed may have left its probe.
                    let hasRoom = (try? removeFile(probe)) != nil
                    if !hasRoom || (try? claim(targetSize(state), &state)) == nil {
                        claimPart(&state)
                        short.store(true, ordering: .relaxed)
                        throw .outOfSpace(path: path)
                    }
                }
            }
            whole.store(true, ordering: .releasing)
            short.store(false, ordering: .relaxed)
        }
    }

    /// Frees the space.
    func spend() {
        whole.store(false, ordering: .releasing)
        state.withLock { release(&$0) }
    }

    /// Discards what is known about the file: another process may change it.
    func forget() {
        whole.store(false, ordering: .releasing)
        short.store(false, ordering: .relaxed)
        state.withLock { $0.size = nil }
    }

    /// Whether there is space for `bytes` besides the whole reserve. They are allocated and freed
    /// again under the mutex: otherwise a deletion could find the space missing at that moment.
    ///
    /// Throws if that cannot be determined, for lack of a descriptor for example: a reported lack
    /// of space would have history removed.
    func hasSpaceBeside(_ bytes: Int) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try claimMissing()
        } catch {
            if error.lacksDescriptors { throw error }
            return false
        }
        return try state.withLock { _ throws(StorageError) -> Bool in
            guard isWhole else { return false }
            if try hasSpace(for: bytes, inFilesOf: bytes) { return true }
            // The size of a single file may be limited on a disk that has space for many, and no
            // larger files than these are needed.
            let size = max(bytes / Self.probesMax + 1, Self.probeMin)
            guard size < bytes else { return false }
            // Without descriptors for that many files, the first result is used.
            return (try? hasSpace(for: bytes, inFilesOf: size)) ?? false
        }
    }

    /// The maximum number of files that a probe is divided into, and their minimum size.
    private static let probesMax = 32
    private static let probeMin = 256 << 10

    /// Whether there is space for files of `bytes` in total, each of `size` bytes except the last.
    private func hasSpace(
        for bytes: Int, inFilesOf size: Int
    ) throws(StorageError) -> Bool {
        defer { try? removeFile(probe) }
        // Unlinked files keep their space while they are open, and only the last one has a name: if
        // the process is killed, little has to be removed.
        var held: [any File] = []
        var left = bytes
        do throws(StorageError) {
            repeat {
                if !held.isEmpty { try fileSystem.remove(probe) }
                let file = try fileSystem.open(probe, .create)
                held.append(file)
                try file.allocate(min(left, size))
                left -= size
            } while left > 0
            return withExtendedLifetime(held) { true }
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            return false
        }
    }

    /// Removes the probe file that a process left when it was killed in ``hasSpaceBeside(_:)``.
    /// False if there was none.
    func removeProbe() -> Bool {
        state.withLock { _ in (try? removeFile(probe)) != nil }
    }

    private var probe: String { "\(path).new" }

    private func targetSize(_ state: State) -> Int {
        state.targetSize + extra.load(ordering: .relaxed)
    }

    private func claim(_ bytes: Int, _ state: inout State) throws(StorageError) {
        let size = measured(&state)
        if size >= bytes { return }
        if size == 0 {
            // The files of earlier versions of the library.
            for former in ["deletion", "checkpoint"] { try? fileSystem.remove("\(path)-\(former)") }
        }
        // Unknown if this fails half-way.
        state.size = nil
        var file = try fileSystem.open(path, .create)
        if Self.lacksBlocks(try file.size()) {
            try fileSystem.remove(path)
            file = try fileSystem.open(path, .create)
        }
        try file.allocate(bytes)
        state.size = bytes
    }

    /// Whether the file is sparse: tools that copy a store may not copy blocks that were never
    /// written.
    private static func lacksBlocks(_ size: FileSize) -> Bool { size.allocated < size.length }

    /// Allocates about as much as there is space for.
    private func claimPart(_ state: inout State) {
        let target = targetSize(state)
        var step = (target - measured(&state)) / 2
        while step >= DiskBlock.size {
            if (try? claim(measured(&state) + step, &state)) == nil {
                step /= 2
            } else {
                step = min(step, (target - measured(&state)) / 2)
            }
        }
        if measured(&state) == 0 { release(&state) }
    }

    private func release(_ state: inout State) {
        do throws(StorageError) {
            try removeFile(path)
            state.size = 0
        } catch {
            state.size = nil
        }
    }

    /// On a copy-on-write file system, removing needs space as well: then the file is truncated
    /// first, which frees its blocks.
    private func removeFile(_ path: String) throws(StorageError) {
        do throws(StorageError) {
            try fileSystem.remove(path)
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            try fileSystem.open(path, .readWrite).truncate(to: 0)
            try fileSystem.remove(path)
        }
    }

    private func measured(_ state: inout State) -> Int {
        if let size = state.size { return size }
        var size = 0
        do throws(StorageError) {
            let found = try fileSystem.open(path, .readOnly).size()
            size = Self.lacksBlocks(found) ? 0 : found.length
        } catch {
            // There is no usable file.
        }
        state.size = size
        return size
    }
}
