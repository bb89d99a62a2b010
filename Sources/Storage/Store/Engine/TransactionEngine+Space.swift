import Synchronization

/// Full disks: what makes the store smaller goes through, by what is kept for that.
extension TransactionEngine {
    /// Whether the disk lacks space that the store wants to have for what makes it smaller.
    package var isShortOfSpace: Bool { segments?.reserve.isShort ?? false }

    /// What a compaction ends with that lacked the space for all it was to do.
    package var shortage: StorageError {
        .outOfSpace(path: checkpoints?.checkpointer.pages.directory ?? "")
    }

    /// Ends a group that the log has answered: one that it had no space for gets another try.
    ///
    /// Returns the group that the caller has to submit. On a thread that may wait for the disk,
    /// unless nothing was refused.
    @discardableResult
    func settle(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>,
        after duration: Duration? = nil
    ) -> CommitGroupBuffer? {
        var result = result
        var hasSpentReserve = false
        if result.isOutOfSpace, let segments, mayWriteTree {
            (result, hasSpentReserve) = appendAgain(group, to: segments, result)
        }
        let next = completed(group, result, after: duration)
        // Before anything else is written: this is what the space was given up for.
        if hasSpentReserve { makeRoom() }
        return next
    }

    /// The same on a thread of its own, where there may be one.
    func settleOnThread(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>
    ) -> Bool {
        guard let log = segments, log.options.preparesInBackground else { return false }
        return thread.run { [self] in
            if let next = settle(group, result) { submit(next) }
        }
    }

    /// Both times by the journal: what is only in the segments here, no other host has.
    private func appendAgain(
        _ group: CommitGroupBuffer, to segments: Log, _ result: Result<Void, StorageError>
    ) -> (result: Result<Void, StorageError>, hasSpentReserve: Bool) {
        // And the headers of several segments, and what remains unused at their ends.
        let size = group.byteCount + group.byteCount / 8 + (9 << 10)
        let ways: [() -> Bool] = [makeRoom, { [self] in giveUpUnread(for: size) }]
        for makesRoom in ways where makesRoom() && !group.isUsedUp {
            let again = Result { () throws(StorageError) in try log.append(group) }
            if !again.isOutOfSpace { return (again, false) }
        }
        guard group.onlyDeletes, let checkpoints, let sealed = groups.withLock({ $0.inFlight })
        else {
            // Taking it back may have cost the reserve.
            try? segments.reserve.refill()
            return (result, false)
        }
        if group.isUsedUp {
            // Then the next one goes through.
            segments.releaseSpace()
            return (result, false)
        }
        let checkpointer = checkpoints.checkpointer
        // What is deleted would take the more space, the more it is. Of a shared log, other hosts
        // read them.
        let isLean = !group.oldValues.isEmpty && !log.isOnSharedLog
        let lean = isLean ? (try? group.withoutOldValues()) ?? group : group
        // No checkpoint takes the space that this gives up.
        let answer = checkpointer.exclusively { () -> Result<Void, StorageError>? in
            guard failure == nil, canDelete(lean, leaving: sealed.root, checkpointer, segments)
            else { return nil }
            return log.isOnSharedLog ? result : appendSparingly(lean)
        }
        guard var again = answer else { return (result, false) }
        // The space is released when the shared log has the group, which may take long.
        if log.isOnSharedLog { again = appendSparingly(lean) }
        if lean.hasBegun { group.hasBegun = true }
        if again.isOutOfSpace { try? segments.reserve.refill() }
        return (again, !again.isOutOfSpace)
    }

    private func appendSparingly(_ group: CommitGroupBuffer) -> Result<Void, StorageError> {
        Result { () throws(StorageError) in try log.appendSparingly(group) }
    }

    /// Gives space back to the disk that a checkpoint makes superfluous, or that nobody needs any
    /// more. False when there was none.
    @discardableResult
    func makeRoom() -> Bool {
        guard let checkpoints, let log = segments, let end = publisher.latest.end,
            failure == nil, mayWriteTree
        else { return false }
        let checkpointer = checkpoints.checkpointer
        // First, so that the checkpoint can use that space.
        let hasClosed = checkpointer.closeRetired(tree.account)
        let hasFreed = log.reserve.removeProbe() || hasClosed
        let start = checkpoints.replayStart
        guard end.position > start else {
            return checkpointer.exclusively {
                // By now another process may have the lease, and with it the reserve.
                guard isWriting, failure == nil else { return hasFreed }
                // No checkpoint does so: there is nothing to write.
                let hasRemoved = checkpointer.removeUnknown()
                if log.reserve.isWhole { return hasFreed || hasRemoved }
                try? log.reserve.refill()
                return log.reserve.isWhole
            }
        }
        // There was no space for the same tree.
        if !hasFreed, checkpoints.wasRefused(at: end.position) { return false }
        checkpointOrLatch(for: .space)
        guard checkpoints.replayStart > start else {
            checkpoints.noteRefusal(at: end.position)
            return hasFreed
        }
        if isWasteful || isShortOfSpace { checkpoints.startUpkeep() }
        return true
    }

    /// Gives up the log that is kept for streams of commits which have yet to read it: a disk may
    /// be smaller than what is kept for one that nobody reads. False when there was none, or there
    /// is space for `bytes`.
    @discardableResult
    func giveUpUnread(for bytes: @autoclosure () -> Int) -> Bool {
        guard let checkpoints, let log = segments, log.retention.keepsForReaders, mayWriteTree
        else { return false }
        let bytes = bytes()
        return checkpoints.checkpointer.exclusively {
            guard isWriting, failure == nil else { return false }
            // The next checkpoint tries again to remove the rest.
            return (try? log.giveUpUnreadIfFull(for: bytes)) ?? false
        }
    }

    /// Whether a checkpoint can be waited for. Where nothing is done in the background, one that is
    /// being written is this thread's own.
    private var mayWriteTree: Bool {
        guard let checkpoints, let log = segments else { return false }
        return log.options.preparesInBackground || !checkpoints.checkpointer.isBusy
    }

    /// Whether the space that is kept is enough to write the tree of `root`, and then still for
    /// deleting all, with what the log before gives back.
    func canSpendReserve(
        on root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log
    ) -> Bool {
        claimWhatThereIs(checkpointer, log)
        return canWrite(root, checkpointer, log, besides: 0)
    }

    private func canWrite(
        _ root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log, besides bytes: Int
    ) -> Bool {
        let need =
            bytes
            + SpaceNeed.checkpoint(
                of: root, checkpointer.contents, overhead: checkpointer.pages.overhead)
        let available = log.spaceHeld
        if need > available { return false }
        let toReplay = log.bytesToReplay
        let floor = DeletionSpace.emptying(
            classes: root.schema.classes.count, bytes: checkpointer.contents.live + toReplay)
        // Where no history is kept, nothing of that is there afterwards but a small segment.
        let freed = log.retention.wantsOldValues ? 0 : toReplay - log.options.segmentSizeMin
        if need + floor <= available + max(freed, 0) { return true }
        let rows = root.rowCount
        return rows == 0 || rows <= latest.rowCount / 16
    }

    /// Whether the space that is kept is enough for `group`, which deletes all rows but those of
    /// `root`, and then still for deleting these.
    ///
    /// The checkpoint that would give back the space of what is gone may not fit. It does when
    /// enough is deleted, at the latest when nothing is left.
    private func canDelete(
        _ group: CommitGroupBuffer, leaving root: SnapshotRoot, _ checkpointer: Checkpointer,
        _ log: Log
    ) -> Bool {
        claimWhatThereIs(checkpointer, log)
        // A segment of its own, which is filled in part.
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

    /// Claims the reserve again: it may have been given up in vain, its name may have gone with a
    /// crash, which may have left other files instead. What it is to have for the log is not known
    /// after an opening.
    ///
    /// Not in a store that has failed: its superblock, or its log, may refer to files that nothing
    /// in here knows.
    private func claimWhatThereIs(_ checkpointer: Checkpointer, _ log: Log) {
        if log.failure != nil { return }
        checkpointer.removeUnknown()
        log.reserve.noteLog(log.bytesToReplay)
        try? log.reserve.refill()
    }

    /// On a disk that is full, gives up history that is kept on purpose: the oldest, as much as
    /// makes it possible to write again. Where none is, gives up what is kept for those alone who
    /// have yet to read it. Blocks on the disk: not for the cooperative pool.
    package func giveUpHistoryIfFull() throws(StorageError) {
        giveUpUnread(for: 0)
        guard let checkpoints, let log = segments, log.retention.keepsHistory else { return }
        let giveUp = { [self] () throws(StorageError) -> Bool in
            try checkpoints.checkpointer.exclusively { () throws(StorageError) in
                isWriting && failure == nil ? try log.giveUpHistoryIfFull() : false
            }
        }
        guard try giveUp() else { return }
        // What comes before a checkpoint becomes history, too.
        checkpointOrLatch(for: .space)
        _ = try giveUp()
    }

    /// Brings the space that is kept to what the store is to have.
    func resizeReserve(_ root: SnapshotRoot, _ checkpointer: Checkpointer, _ log: Log) {
        log.reserve.want(reserveSize(root, checkpointer))
        // What is missing is claimed before anything else grows.
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
