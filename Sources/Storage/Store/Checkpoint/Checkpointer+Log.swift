extension Checkpointer {
    /// Writes the tree of a version whose last commit ends at `end` in the log, and the frame that
    /// refers to it. The caller is in ``exclusively(_:)``.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``: nothing of it was kept.
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
        } catch {
            if error.isShortage { discard(tree) }
            throw error
        }
        install(tree)
    }

    /// Removes segments of the log and the page files that are obsolete after the newest
    /// checkpoint, of the version `snapshot`. The caller is in ``exclusively(_:)``.
    ///
    /// - Parameter keepingHistory: whether history is retained.
    /// - Returns: ``StorageError/outOfSpace(path:)`` if some are left: on a copy-on-write file
    ///   system, removing needs space as well. The checkpoint is valid, and the next one removes
    ///   the rest.
    @discardableResult
    func removeSuperfluous(
        behind snapshot: SnapshotRoot, in log: Log, keepingHistory: Bool = true
    ) throws(StorageError) -> StorageError? {
        do throws(StorageError) {
            try removeAll(behind: snapshot, in: log, keepingHistory)
            return nil
        } catch .outOfSpace {
            log.releaseSpace()
        }
        defer { try? log.reserve.refill() }
        do throws(StorageError) {
            try removeAll(behind: snapshot, in: log, keepingHistory)
            return nil
        } catch .outOfSpace(let path) {
            return .outOfSpace(path: path)
        }
    }

    private func removeAll(
        behind snapshot: SnapshotRoot, in log: Log, _ keepingHistory: Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            try log.removeSegmentsBeforeCheckpoint(keepingHistory: keepingHistory)
            try removeUnused(capture: snapshot.capture, account: snapshot.account)
        } catch {
            throw error.claimingSpace
        }
    }
}
