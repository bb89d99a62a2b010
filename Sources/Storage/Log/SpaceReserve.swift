/// Files that hold nothing but space, given up when the disk is full: one so that a transaction
/// that deletes can be written, the other so that the checkpoint can after which the store becomes
/// smaller.
///
/// They are made again when there is space. A store without them works all the same.
struct SpaceReserve: Sendable {
    let fileSystem: any FileSystem
    /// What the names of the files begin with.
    let path: String
    /// Size of the smallest segment of the log.
    let segmentSize: Int

    private var deletionPath: String { "\(path)-deletion" }
    private var checkpointPath: String { "\(path)-checkpoint" }

    /// Makes the files that are missing. That one cannot be made is no failure: nothing is in it.
    func claim() {
        if claim(deletionPath, segmentSize) { _ = claim(checkpointPath, 3 * segmentSize) }
    }

    private func claim(_ path: String, _ size: Int) -> Bool {
        if length(path) == size { return true }
        do throws(StorageError) {
            try fileSystem.open(path, .create).writeZeros(from: 0, to: size)
            return true
        } catch {
            try? fileSystem.remove(path)
            return false
        }
    }

    /// Nil when there is no such file.
    private func length(_ path: String) -> Int? {
        guard let file = try? fileSystem.open(path, .readOnly) else { return nil }
        return try? file.size().length
    }

    /// Gives up the space for a transaction that deletes; false when there is none.
    func spendOnDeletion() -> Bool { spend(deletionPath) }

    /// Gives up the space for a checkpoint, if a deletion has spent its own; false when there is
    /// none. Any other checkpoint is better left: the log holds everything.
    func spendOnCheckpoint() -> Bool { length(deletionPath) == nil && spend(checkpointPath) }

    private func spend(_ path: String) -> Bool {
        do throws(StorageError) {
            try fileSystem.remove(path)
            return true
        } catch {
            return false
        }
    }
}
