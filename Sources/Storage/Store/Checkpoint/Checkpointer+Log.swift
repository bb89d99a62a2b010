extension Checkpointer {
    /// Writes the tree of a version whose last commit ends at `end` in the log, and the frame that
    /// refers to it. The caller is in ``exclusively(_:)``.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``: nothing of it is there.
    func writeCheckpoint(
        of snapshot: SnapshotRoot, endingAt end: LogEnd, in log: Log,
        _ purpose: CheckpointPurpose, isContended: (() -> Bool)? = nil
    ) throws(StorageError) {
        let tree: WrittenTree
        do throws(StorageError) {
            tree = try write(snapshot, apart: purpose == .space, isContended: isContended)
        } catch {
            throw error.claimingSpace
        }
        let record = CheckpointRecord(
            version: snapshot.version, replayStart: end, root: tree.root, contents: tree.contents)
        do throws(StorageError) {
            try log.append(record, purpose)
        } catch .outOfSpace(let path) {
            discard(tree)
            throw .outOfSpace(path: path)
        }
        install(tree)
    }
}
