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
        } catch {
            if error.isShortage { discard(tree) }
            throw error
        }
        install(tree)
    }

    /// Removes what of the log and of the page files nothing needs behind the newest checkpoint,
    /// which `snapshot` is the version of. The caller is in ``exclusively(_:)``.
    ///
    /// - Parameter keepingHistory: whether the log stays that the history reaches back to.
    /// - Returns: ``StorageError/outOfSpace(path:)`` where some of it is still there: on disks that
    ///   write nothing in place, removing takes space as well. The checkpoint stands, and the next
    ///   one removes the rest.
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
