/// What commits of other hosts do to the versions of this one. Called by the holder of the write
/// turn, while nothing is on its way to the journal.
extension TransactionEngine {
    /// Applies and publishes what other hosts have appended to the shared log, while `goesOn`.
    func catchUp(
        with journal: SharedJournal, to reach: SharedJournal.Reach,
        while goesOn: @escaping @Sendable () -> Bool = { true }
    ) throws(StorageError) {
        if let failure { throw failure.ofLaterWrites }
        do throws(StorageError) {
            do throws(StorageError) {
                try applyNews(of: journal, to: reach, while: goesOn)
            } catch .outOfSpace(let path) {
                // It may be kept for streams of commits that nobody reads.
                guard giveUpUnread(for: 2 * SharedJournal.pieceBytesMax) else {
                    throw StorageError.outOfSpace(path: path)
                }
                try applyNews(of: journal, to: reach, while: goesOn)
            }
        } catch {
            // The failure may be found by a write, and no entry may follow: without this, streams
            // would wait forever.
            if journal.local.failure != nil { noteFailure(error) }
            throw error
        }
    }

    private func applyNews(
        of journal: SharedJournal, to reach: SharedJournal.Reach,
        while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) {
        try journal.catchUp(to: reach, while: goesOn) { (group) throws(StorageError) in
            // The folder may have kept it in a crash, or of an append that was in doubt.
            if group.lastVersion <= tip { return }
            try keepToMemoryBudget()
            try apply(group, to: journal.local)
        } orJump: { () throws(StorageError) in
            try jump(with: journal, while: goesOn)
        }
    }

    /// Goes on from the newest image of the log, and publishes what differs from the version before
    /// as one change.
    private func jump(
        with journal: SharedJournal, while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) {
        guard let checkpoints else { return }
        let before = latest
        let adopted = try journal.jump(
            from: tip, checkpoints.checkpointer, tree.account, while: goesOn)
        guard let root = adopted, let end = journal.local.end else { return }
        do throws(StorageError) {
            try goOn(from: root)
        } catch {
            journal.local.fail(error)
            throw error
        }
        let changes =
            root.version == before.version ? [] : [CommitChanges(from: before, to: root)]
        publishFollowed(root, changes, end: end)
        checkpoints.noteCheckpoint(at: journal.local.replayStart)
    }

    /// Gives up in memory what the page files have when memory runs short. Once the rest fills the
    /// budget, a checkpoint comes before more is applied: without space for one, nothing is.
    private func keepToMemoryBudget() throws(StorageError) {
        guard isMemorySpent, let checkpoints else { return tree.trimIfShort() }
        do throws(StorageError) {
            try checkpointLatching()
        } catch .outOfSpace(let path) {
            // Where it is written, not all is removed that it makes superfluous.
            guard checkpoints.checkpointer.contents.version == latest.version else {
                throw .outOfSpace(path: path)
            }
        }
        try giveUpStored()
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
            forgetFollowed()
            throw error
        }
        guard let version = commits.last?.version else { return }
        let root = tree.capture(version: version, life: log.life)
        let changes = CommitChanges.all(of: commits, groupRoot: root)
        if let end = log.end { publishFollowed(root, changes, end: end) }
        checkpointIfDue(at: log.end, hasTree: false)
    }
}
