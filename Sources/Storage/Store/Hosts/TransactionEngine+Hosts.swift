/// Applies commits of other hosts. Called by the holder of the write turn, while no commit is in
/// progress.
extension TransactionEngine {
    /// Applies and publishes the entries of other hosts, until it is cancelled.
    func catchUp(
        with journal: SharedJournal, to reach: SharedJournal.Reach,
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) {
        if let failure { throw failure.ofLaterWrites }
        do throws(StorageError) {
            do throws(StorageError) {
                try applyNews(of: journal, to: reach, monitor: monitor)
            } catch .outOfSpace(let path) {
                // The space may be taken by history that is retained for readers.
                guard dropUnreadHistory(for: 2 * SharedJournal.pieceBytesMax) else {
                    throw StorageError.outOfSpace(path: path)
                }
                try applyNews(of: journal, to: reach, monitor: monitor)
            }
        } catch {
            // The failure may be found by a write, and no entry may follow: without this, streams
            // would never end.
            if journal.local.failure != nil { noteFailure(error) }
            throw error
        }
    }

    private func applyNews(
        of journal: SharedJournal, to reach: SharedJournal.Reach,
        monitor: ReadingMonitor
    ) throws(StorageError) {
        try journal.catchUp(to: reach, monitor: monitor) { (group) throws(StorageError) in
            // The folder may have the group already: after a crash, or an append whose outcome was
            // unknown.
            if group.lastVersion <= tip { return }
            try enforceMemoryBudget()
            try applyMakingRoom(group, of: journal)
        } orJump: { () throws(StorageError) in
            try jump(with: journal, monitor: monitor)
        }
    }

    /// Resumes from the newest image of the log, and publishes the difference to the previous
    /// version as one change.
    private func jump(
        with journal: SharedJournal, monitor: ReadingMonitor
    ) throws(StorageError) {
        guard let checkpoints else { return }
        let before = latest
        let adopted = try journal.jump(
            from: tip, checkpoints.checkpointer, tree.account, monitor: monitor)
        guard let root = adopted, let end = journal.local.end else { return }
        do throws(StorageError) {
            try resume(from: root, extending: tree.schema)
        } catch {
            journal.local.fail(error)
            throw error
        }
        let changes =
            root.version == before.version ? [] : [CommitChanges(from: before, to: root)]
        publishFollowed(root, changes, end: end)
        checkpoints.noteCheckpoint(at: journal.local.replayStart)
    }

    /// Evicts nodes that the page files have when memory is short. Once the others fill the budget,
    /// a checkpoint is written before more is applied; without space for one, nothing is.
    private func enforceMemoryBudget() throws(StorageError) {
        guard isMemorySpent, let checkpoints else { return tree.trimIfShort() }
        do throws(StorageError) {
            try checkpointLatching()
        } catch .outOfSpace(let path) {
            // If the checkpoint was written, only the removal of obsolete files has failed.
            guard checkpoints.checkpointer.contents.version == latest.version else {
                throw .outOfSpace(path: path)
            }
        }
        try evictStored()
    }

    /// Applies a group, and retries once after freeing space: a small disk may be full of obsolete
    /// log before a checkpoint is due.
    private func applyMakingRoom(
        _ group: SharedGroup, of journal: SharedJournal
    ) throws(StorageError) {
        journal.requireUniqueIdentifier(group)
        // A group of this host is that of an append whose outcome was unknown. Its keys are those
        // of the rows that had them before it was rolled back, and so are not reused. The host's
        // identifier does not tell: a copy of its folder has the same.
        let floors = journal.hasAppended(group) ? tree.keyFloors : nil
        if floors != nil { tree.clearKeyFloors() }
        defer { if let floors { tree.keyFloors = floors } }
        do throws(StorageError) {
            return try apply(group, to: journal.local)
        } catch .outOfSpace(let path) {
            guard makeRoom() else { throw .outOfSpace(path: path) }
        }
        try apply(group, to: journal.local)
    }

    private func apply(_ group: SharedGroup, to log: Log) throws(StorageError) {
        let buffer = CommitGroupBuffer(capacity: group.payload.count)
        buffer.onlyDeletes = false
        var commits: [CollectedCommit] = []
        do throws(StorageError) {
            try group.forEachCommit { (record) throws(StorageError) in
                let delta = try apply(record) { error in
                    .sharedLogDiverged(reason: "commit \(record.version): \(error.reason)")
                }
                commits.append(collected(record, delta, life: log.life))
                try buffer.append(version: record.version, payload: record.payload)
            }
            try log.append(buffer)
        } catch {
            rollBackFollowed()
            throw error
        }
        guard let version = commits.last?.version else { return }
        let root = tree.capture(version: version, life: log.life)
        let changes = CommitChanges.all(of: commits, groupRoot: root)
        if let end = log.end { publishFollowed(root, changes, end: end) }
        checkpointIfDue(at: log.end, hasTree: false)
    }
}
