import Synchronization

/// Full disks: transactions that make the store smaller can use reserved space.
extension TransactionEngine {
    /// Whether the disk lacks space for the reserve.
    package var isShortOfSpace: Bool { segments?.reserve.isShort ?? false }

    /// The error of a compaction that lacked space for a part of its work.
    package var shortage: StorageError {
        .outOfSpace(path: checkpoints?.checkpointer.pages.directory ?? "")
    }

    /// Completes a group after its append; one that lacked space is retried.
    ///
    /// Returns the group that the caller has to submit. After a refusal, this blocks on the disk.
    @discardableResult
    func finishAppend(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>,
        after duration: Duration? = nil
    ) -> CommitGroupBuffer? {
        var result = result
        var hasSpentReserve = false
        if result.isOutOfSpace, let segments, mayWriteTree {
            (result, hasSpentReserve) = appendAgain(group, to: segments, result)
        }
        let next = completed(group, result, after: duration)
        // Before any other write: the append has spent the reserve, so space must be freed.
        if hasSpentReserve { makeRoom() }
        return next
    }

    /// The same on the background thread, if there is one.
    func finishAppendOnThread(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>
    ) -> Bool {
        guard let log = segments, log.options.preparesInBackground else { return false }
        return thread.run { [self] in
            if let next = finishAppend(group, result) { submit(next) }
        }
    }

    /// Retries the append: on the journal, not only the local segments, since other hosts need it.
    private func appendAgain(
        _ group: CommitGroupBuffer, to segments: Log, _ result: Result<Void, StorageError>
    ) -> (result: Result<Void, StorageError>, hasSpentReserve: Bool) {
        // Includes the headers of several segments, and the unused space at their ends.
        let size = group.byteCount + group.byteCount / 8 + (9 << 10)
        let ways: [() -> Bool] = [
            // Retries even if nothing was freed: a checkpoint that lacked space, or a probe, may
            // have taken the space only temporarily.
            { [self] in makeRoom() || failure == nil },
            { [self] in dropUnreadHistory(for: size) },
        ]
        for mayHaveRoom in ways where mayHaveRoom() && !group.isUsedUp {
            let again = Result { () throws(StorageError) in try log.append(group) }
            if !again.isOutOfSpace { return (again, false) }
        }
        guard group.onlyDeletes, let checkpoints, let sealed = groups.withLock({ $0.inFlight })
        else {
            // Revoking the group may have spent the reserve.
            try? segments.reserve.refill()
            return (result, false)
        }
        if group.isUsedUp {
            // Lets the next group that only deletes succeed.
            segments.releaseSpace()
            return (result, false)
        }
        let checkpointer = checkpoints.checkpointer
        // Old values would take more space the more is deleted, so that a full disk would allow no
        // deletion. Only the local segments go without them: a shared log has them nevertheless,
        // for the other hosts. The two copies may differ, since an entry is compared by its version
        // and the hash of its bytes in the shared log, and with the local record only by version
        // and time. A local copy that a crash loses is read from the shared log again, with the old
        // values.
        let hasOldValues = !group.oldValues.isEmpty
        let lean = hasOldValues ? (try? group.withoutOldValues()) ?? group : group
        // Excludes checkpoints, which could take the space that this frees.
        let answer = checkpointer.exclusively { () -> Result<Void, StorageError>? in
            guard failure == nil, canDelete(lean, leaving: sealed.root, checkpointer, segments)
            else { return nil }
            return log.isOnSharedLog
                ? result
                : appendUsingReserve(group, copiedAs: lean) { (append) throws(StorageError) in
                    try append()
                }
        }
        guard var again = answer else { return (result, false) }
        // The shared log comes first, which may take long. Then the reserve is spent.
        if log.isOnSharedLog {
            again = appendUsingReserve(group, copiedAs: lean) { (append) throws(StorageError) in
                try checkpointer.exclusively(append)
            }
        }
        if lean.hasBegun { group.hasBegun = true }
        if again.isOutOfSpace { try? segments.reserve.refill() }
        return (again, !again.isOutOfSpace)
    }

    private func appendUsingReserve(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer,
        _ exclusively: SpaceExclusion
    ) -> Result<Void, StorageError> {
        do throws(StorageError) {
            try log.appendUsingReserve(group, copiedAs: copy, exclusively)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Frees disk space: of files that nothing needs any more, or that a checkpoint makes obsolete.
    /// False if there was none.
    @discardableResult
    func makeRoom() -> Bool {
        guard let checkpoints, let log = segments, let end = publisher.latest.end,
            failure == nil, mayWriteTree
        else { return false }
        let checkpointer = checkpoints.checkpointer
        // First, so that the checkpoint can use the space.
        let hasClosed = checkpointer.closeRetired(tree.account)
        let hasFreed = log.reserve.removeProbe() || hasClosed
        let start = checkpoints.replayStart
        guard end.position > start else {
            return checkpointer.exclusively {
                // Another process may have acquired the lease, and with it the reserve.
                guard isWriting, failure == nil, log.isInPlace else { return hasFreed }
                // Done here, since without changes no checkpoint would do it.
                let hasRemoved = checkpointer.removeUnknown()
                if log.reserve.isWhole { return hasFreed || hasRemoved }
                try? log.reserve.refill()
                return log.reserve.isWhole
            }
        }
        if !hasFreed, let before = checkpoints.reserveWhenRefused(at: end.position) {
            // The same checkpoint lacked space before. Other programs may have freed some since,
            // which the reserve takes if it is not whole.
            let fits = hasSpaceForCheckpoint(checkpointer, log)
            if !fits, log.reserve.size <= before { return false }
        }
        checkpointOrLatch(for: .space)
        guard checkpoints.replayStart > start else {
            checkpoints.noteRefusal(at: end.position, reserve: log.reserve.size)
            return hasFreed
        }
        if isWasteful || isShortOfSpace { checkpoints.startUpkeep() }
        return true
    }

    /// Whether there is space for a checkpoint of the newest version beside the whole reserve.
    private func hasSpaceForCheckpoint(_ checkpointer: Checkpointer, _ log: Log) -> Bool {
        checkpointer.exclusively {
            guard isWriting, failure == nil, log.isInPlace else { return false }
            let need = SpaceNeed.checkpoint(
                of: latest, checkpointer.contents, overhead: checkpointer.pages.overhead)
            return (try? log.reserve.hasSpaceBeside(need)) ?? false
        }
    }

    /// Drops the log that is retained for streams of commits that have yet to read it: a disk may
    /// be smaller than the log for a stream that makes no progress. False if there was none, or
    /// there is space for `bytes`.
    @discardableResult
    func dropUnreadHistory(for bytes: @autoclosure () -> Int) -> Bool {
        guard let checkpoints, let log = segments, log.retention.keepsForReaders, mayWriteTree
        else { return false }
        let bytes = bytes()
        return checkpoints.checkpointer.exclusively {
            guard isWriting, failure == nil else { return false }
            // The next checkpoint retries the removal of the rest.
            return (try? log.dropUnreadHistoryIfFull(for: bytes)) ?? false
        }
    }

    /// Whether this thread may wait for a checkpoint. Without background threads, a running one is
    /// on this thread.
    private var mayWriteTree: Bool {
        guard let checkpoints, let log = segments else { return false }
        return log.options.preparesInBackground || !checkpoints.checkpointer.isBusy
    }

    /// Whether the reserved space suffices to write the tree of `root`, and afterwards still to
    /// delete everything, including the log that this frees.
    func canSpendReserve(
        on root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log
    ) -> Bool {
        claimFreeSpace(checkpointer, log)
        return canWrite(root, checkpointer, log, besides: 0)
    }

    private func canWrite(
        _ root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log, besides bytes: Int
    ) -> Bool {
        let need =
            bytes
            + SpaceNeed.checkpoint(
                of: root, checkpointer.contents, overhead: checkpointer.pages.overhead)
        if need > log.spaceHeld { return false }
        let isCovered = SpaceNeed.isCovered(
            need, by: log, classes: root.schema.classes.count, live: checkpointer.contents.live)
        if isCovered { return true }
        let rows = root.rowCount
        return rows == 0 || rows <= latest.rowCount / 16
    }

    /// Whether the reserved space suffices for `group`, which deletes all rows but those of `root`,
    /// and afterwards still to delete these.
    ///
    /// The checkpoint that would free the space of deleted rows may not fit. It does once enough is
    /// deleted, at the latest when nothing is left.
    private func canDelete(
        _ group: CommitGroupBuffer, leaving root: SnapshotRoot, _ checkpointer: Checkpointer,
        _ log: Log
    ) -> Bool {
        claimFreeSpace(checkpointer, log)
        // Includes a partly filled segment of its own.
        let size = group.byteCount + (8 << 10)
        if canWrite(root, checkpointer, log, besides: size) { return true }
        let left = root.rowCount
        let deleted = max(latest.rowCount - left, 1)
        let rest = DeletionSpace.emptying(
            classes: root.schema.classes.count,
            bytes: checkpointer.contents.live + log.bytesToReplay, rows: left,
            bytesOfRow: group.byteCount / deleted + 1)
        return size + rest <= log.spaceHeld
    }

    /// Refills the reserve: it may have been spent without success, its name may have been lost in
    /// a crash, and a crash may have left other files. After an opening, the extra size for the log
    /// is unknown.
    ///
    /// Not in a store that has failed: its superblock, or its log, may refer to files that this
    /// process does not know of.
    private func claimFreeSpace(_ checkpointer: Checkpointer, _ log: Log) {
        if log.failure != nil || !log.isInPlace { return }
        checkpointer.removeUnknown()
        log.reserve.noteLog(log.bytesToReplay)
        try? log.reserve.refill()
    }

    /// On a full disk, drops history that the policy retains: the oldest, as much as is necessary
    /// to write again. Without such a policy, drops history that is retained only for readers.
    /// Blocks on the disk: not for the cooperative pool.
    package func dropHistoryIfFull() throws(StorageError) {
        dropUnreadHistory(for: 0)
        guard let checkpoints, let log = segments, log.retention.keepsHistory else { return }
        let dropHistory = { [self] () throws(StorageError) -> Bool in
            try checkpoints.checkpointer.exclusively { () throws(StorageError) in
                isWriting && failure == nil ? try log.dropHistoryIfFull() : false
            }
        }
        guard try dropHistory() else { return }
        // The log before a checkpoint becomes history, too.
        checkpointOrLatch(for: .space)
        _ = try dropHistory()
    }

    /// Adapts the size of the reserve to the store.
    func resizeReserve(_ root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log) {
        log.reserve.setTargetSize(reserveSize(root, checkpointer))
        // Missing space is allocated before anything else grows.
        try? log.reserve.refill()
    }

    func reserveSize(_ root: SnapshotRoot, _ checkpointer: Checkpointer) -> Int {
        let contents = checkpointer.contents
        return DeletionSpace.reserve(
            classes: root.schema.classes.count, bytes: contents.live,
            segmentSize: checkpointer.segmentSize(contents))
    }
}

extension Result where Success == Void, Failure == StorageError {
    /// Whether there was no space, and nothing was written.
    var isOutOfSpace: Bool {
        if case .failure(.outOfSpace) = self { true } else { false }
    }
}

extension SnapshotRoot {
    /// Rows of all classes.
    fileprivate var rowCount: Int {
        schema.classes.indices.reduce(0) { $0 + view.classView(ClassID($1)).count }
    }
}
