import Synchronization

/// Large commits: the nodes of their tree are written to the page files before the log refers to
/// it, so that their values are written once, and are there without replay.
extension TransactionEngine {
    /// Whether commits can be written as nodes.
    var makesPageCommits: Bool { checkpoints != nil && segments?.options.makesPageCommits == true }

    /// Whether the commit of `delta` is written as nodes; `added` is how many bytes of nodes came
    /// to memory while the transaction ran, whatever else went meanwhile.
    func isPageCommit(_ delta: Delta, added: Int) -> Bool {
        guard makesPageCommits, let log = segments else { return false }
        let limit = log.options.pageCommitBytes
        // What a transaction writes is in nodes of its own: few bytes of those, few of a record.
        return added > limit / 2 && RecordEstimate.exceeds(limit, delta, of: tree)
    }

    /// How transactions spill: their nodes go to the page files, and the thread of the log syncs
    /// them, in turn with the groups.
    func makeSpilling() -> WorkingTree.Spilling? {
        guard let checkpoints, let log = segments, log.options.makesPageCommits
        else { return nil }
        let checkpointer = checkpoints.checkpointer
        var made: Spill.Later?
        if log.options.preparesInBackground { made = { [thread] job in thread.run(job) } }
        let later = made
        let account = tree.account
        return WorkingTree.Spilling(interval: log.options.spillBytes) {
            Spill(
                checkpointer.pages, segmentSize: checkpointer.segmentSize(checkpointer.contents),
                madeAt: account.nextCapture, lease: checkpointer.currentLease, later: later)
        }
    }

    /// Removes what was spilled by commits that did not come to be.
    func removeAbandoned() {
        let spills = groups.withLock { groups in
            defer { groups.abandoned = [] }
            return groups.abandoned
        }
        guard let checkpointer = checkpoints?.checkpointer, !spills.isEmpty else { return }
        let account = tree.account
        let remove: @Sendable () -> Void = {
            for spill in spills { checkpointer.abandon(spill, account: account) }
        }
        let isInBackground = segments?.options.preparesInBackground ?? false
        if !isInBackground || !thread.run(remove) { remove() }
    }

    /// Writes a group of which a commit has no values.
    func submitWithTree(_ group: CommitGroupBuffer) {
        let options = segments?.options
        if appendsInPlace, options?.preparesInBackground == false { return appendWithTree(group) }
        let isRunning = thread.run { [self] in appendWithTree(group) }
        if !isRunning {
            completed(group, .failure(.closed(path: "the log")))
        }
    }

    private func appendWithTree(_ group: CommitGroupBuffer) {
        guard let checkpoints, let log = segments,
            let sealed = groups.withLock({ $0.inFlight })
        else { preconditionFailure("A commit without values in a store without files") }
        // No other tree is written until this one counts. Nobody is notified in here.
        let result = Result { () throws(StorageError) in
            try checkpoints.checkpointer.exclusively { () throws(StorageError) in
                if let failure = log.failure { throw .durabilityLost(cause: failure) }
                let written = try writeNodes(of: sealed, checkpoints.checkpointer, log)
                group.append(GroupTree(root: written.root, contents: written.contents))
                do throws(StorageError) {
                    try log.append(group)
                } catch {
                    if error.isShortage { checkpoints.checkpointer.discard(written) }
                    throw error
                }
                checkpoints.checkpointer.install(written)
            }
        }
        if let next = completed(group, result) { submit(next) }
        // For the next one.
        if result.isOutOfSpace {
            makeRoom()
            let checkpointer = checkpoints.checkpointer
            giveUpUnread(
                for: SpaceNeed.checkpoint(
                    of: sealed.root, checkpointer.contents, overhead: checkpointer.pages.overhead))
        }
    }

    private func writeNodes(
        of sealed: SealedGroup, _ checkpointer: Checkpointer, _ log: Log
    ) throws(StorageError) -> Checkpointer.WrittenTree {
        do throws(StorageError) {
            for spill in sealed.spills { try spill.finish() }
            return try checkpointer.write(sealed.root, spills: sealed.spills)
        } catch {
            let cause = error.claimingSpace
            // Nothing of the commit is in the log, and nothing refers to what was written.
            if !cause.isShortage { log.fail(cause) }
            throw cause
        }
    }
}
