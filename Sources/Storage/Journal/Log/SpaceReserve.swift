import Synchronization

/// A file that holds nothing but space, given up when the disk is full so that the store can be
/// made smaller: for a transaction that deletes, the checkpoint after it, and a compaction.
///
/// It is there before the first commit is, and as large as the store asks for. While it is smaller,
/// nothing but what makes the store smaller gets new space; so what was given up comes back before
/// anything else grows.
final class SpaceReserve: Sendable {
    private struct State {
        /// Length of the file; nil while nobody has looked.
        var size: Int?
        /// How large the file is to be.
        var wanted: Int
    }

    private let fileSystem: any FileSystem
    private let path: String
    private let state: Mutex<State>
    private let whole = Atomic<Bool>(false)
    private let short = Atomic<Bool>(false)
    /// What the log behind the checkpoint adds to its size.
    private let extra = Atomic<Int>(0)

    init(fileSystem: any FileSystem, path: String, wanted: Int) {
        self.fileSystem = fileSystem
        self.path = path
        state = Mutex(State(wanted: wanted))
    }

    /// Whether the file is known to be as large as it can be wanted.
    var isWhole: Bool { whole.load(ordering: .acquiring) }

    /// Whether there was no space for all of it when that was last tried.
    var isShort: Bool { short.load(ordering: .relaxed) }

    /// Bytes that it holds.
    var size: Int { state.withLock { measured(&$0) } }

    /// Sets how large the file is to be. One that is known to be far too large is made anew.
    func want(_ bytes: Int) {
        state.withLock { state in
            state.wanted = bytes
            extra.store(0, ordering: .relaxed)
            if let size = state.size, size > 2 * bytes { release(&state) }
            whole.store(state.size.map { $0 >= bytes } ?? false, ordering: .releasing)
        }
    }

    /// Takes note of how much log there is that no checkpoint covers: deleting what that made takes
    /// the more space.
    func noteLog(_ bytes: Int) {
        let needed = DeletionSpace.record(deleting: bytes)
        guard needed > max(extra.load(ordering: .relaxed), 4096) else { return }
        // In steps, so that it seldom grows.
        extra.store((needed + needed / 2 + 4095) & ~4095, ordering: .relaxed)
        whole.store(false, ordering: .releasing)
    }

    /// Claims what is missing of it. Throws `.outOfSpace` when there is no space for all of that;
    /// what there is space for is claimed then. A store whose reserve cannot be made for another
    /// reason works without one.
    func refill() throws(StorageError) {
        if isWhole { return }
        try state.withLock { state throws(StorageError) in
            do throws(StorageError) {
                try claim(wanted(state), &state)
            } catch {
                // The next commit tries again.
                if error.lacksDescriptors { return }
                if case .outOfSpace = error.claimingSpace {
                    // One that was killed may have left its probe.
                    let hasRoom = (try? removeFile(probe)) != nil
                    if !hasRoom || (try? claim(wanted(state), &state)) == nil {
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

    /// Gives up the space.
    func spend() {
        whole.store(false, ordering: .releasing)
        state.withLock { release(&$0) }
    }

    /// Forgets what it knows of the file: another process may change it, or has.
    func forget() {
        whole.store(false, ordering: .releasing)
        short.store(false, ordering: .relaxed)
        state.withLock { $0.size = nil }
    }

    /// Whether there is space for so many bytes beside it, when it is whole. They are claimed and
    /// released at once, in one step for all who claim the reserve or give it up: else the space
    /// that they take for this moment is missing where a deletion needs it.
    func hasSpaceBeside(_ bytes: Int) -> Bool {
        try? refill()
        return state.withLock { _ in
            guard isWhole else { return false }
            defer { try? removeFile(probe) }
            do {
                try fileSystem.open(probe, .create).allocate(bytes)
                return true
            } catch {
                return false
            }
        }
    }

    /// Removes the file by which space was looked for, as a process that was killed meanwhile has
    /// left it with all that space. False when there was none.
    func removeProbe() -> Bool {
        state.withLock { _ in (try? removeFile(probe)) != nil }
    }

    private var probe: String { "\(path).new" }

    private func wanted(_ state: State) -> Int {
        state.wanted + extra.load(ordering: .relaxed)
    }

    private func claim(_ bytes: Int, _ state: inout State) throws(StorageError) {
        let size = measured(&state)
        if size >= bytes { return }
        if size == 0 {
            // What earlier versions of the library kept instead.
            for former in ["deletion", "checkpoint"] { try? fileSystem.remove("\(path)-\(former)") }
        }
        // Measured again if this fails half-way.
        state.size = nil
        var file = try fileSystem.open(path, .create)
        if Self.lacksBlocks(try file.size()) {
            try fileSystem.remove(path)
            file = try fileSystem.open(path, .create)
        }
        try file.allocate(bytes)
        state.size = bytes
    }

    /// Whether it has its length and not the space for that: who copies a store file by file may
    /// leave out what was never written.
    private static func lacksBlocks(_ size: FileSize) -> Bool { size.allocated < size.length }

    /// Claims about as much as there is space for.
    private func claimPart(_ state: inout State) {
        let wanted = wanted(state)
        var step = (wanted - measured(&state)) / 2
        while step >= 4096 {
            if (try? claim(measured(&state) + step, &state)) == nil {
                step /= 2
            } else {
                step = min(step, (wanted - measured(&state)) / 2)
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

    /// Where nothing is written in place, removing takes space as well: the file is cut first then,
    /// which gives back what it holds.
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
            // None is there, or none that is of use.
        }
        state.size = size
        return size
    }
}
