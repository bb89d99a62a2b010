import Synchronization

/// Page commits: the nodes of large commits are written to the page files before the log refers to
/// them, so that their values are written once, and need no replay.
extension TransactionEngine {
    /// Whether page commits are possible.
    var makesPageCommits: Bool { checkpoints != nil && segments?.options.makesPageCommits == true }

    /// Whether the commit of `delta` becomes a page commit; `added` is how many bytes of nodes were
    /// allocated during the transaction, regardless of releases.
    func isPageCommit(_ delta: Delta, added: Int) -> Bool {
        guard makesPageCommits, let log = segments else { return false }
        let limit = log.options.pageCommitBytes
        // A transaction writes to new nodes, so few bytes of nodes mean a small record.
        return added > limit / 2 && RecordEstimate.exceeds(limit, delta, of: tree)
    }

    /// The spilling of transactions: their nodes are written to the page files, and the log thread
    /// syncs them, in order with the groups.
    func makeSpilling() -> WorkingTree.Spilling? {
        guard let checkpoints, let log = segments, log.options.makesPageCommits
        else { return nil }
        let checkpointer = checkpoints.checkpointer
        var made: Spill.Later?
        if log.options.preparesInBackground { made = { [thread] job in thread.run(job) } }
        let later = made
        let account = tree.account
        return WorkingTree.Spilling(interval: log.options.spillBytes) {
            let spill = Spill(
                checkpointer.pages, segmentSize: checkpointer.segmentSize(checkpointer.contents),
                madeAt: account.nextCapture, lease: checkpointer.currentLease, later: later)
            if !log.isInPlace { spill.refuse(.replaced(path: log.store.path)) }
            return spill
        }
    }

    /// Removes spills of transactions that were not committed.
    func removeAbandoned() {
        let spills = groups.withLock { groups in
            defer { groups.abandoned = [] }
            return groups.abandoned
        }
        guard let checkpointer = checkpoints?.checkpointer, !spills.isEmpty,
            segments?.isInPlace != false
        else { return }
        let account = tree.account
        let remove: @Sendable () -> Void = {
            for spill in spills { checkpointer.abandon(spill, account: account) }
        }
        let isInBackground = segments?.options.preparesInBackground ?? false
        if !isInBackground || !thread.run(remove) { remove() }
    }

    /// Frees disk space after a transaction that was rolled back because its spill lacked space;
    /// `bytes` is about what it had written.
    func spillingFailed(_ failure: StorageError, of bytes: Int) {
        guard failure.isShortage else {
            log.fail(failure)
            return latch(failure)
        }
        guard case .outOfSpace = failure else { return }
        wasRefused.store(true, ordering: .relaxed)
        // For the next transaction, after the files of this one were removed.
        let prepare: @Sendable () -> Void = { [self] in
            makeRoom()
            dropUnreadHistory(for: bytes)
        }
        let isInBackground = segments?.options.preparesInBackground ?? false
        if isInBackground { thread.run(prepare) } else { prepare() }
    }

    /// Writes a group with a page commit.
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
        // No other tree is written until this one is installed. No waiter is notified in here.
        let result = Result { () throws(StorageError) in
            try checkpoints.checkpointer.exclusively { () throws(StorageError) in
                if let failure = log.failure { throw .durabilityLost(cause: failure) }
                try log.requirePlace()
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
        // For the next group.
        if result.isOutOfSpace {
            makeRoom()
            let checkpointer = checkpoints.checkpointer
            dropUnreadHistory(
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
            // Nothing of the commit is in the log, and nothing refers to the written nodes.
            if !cause.isShortage { log.fail(cause) }
            throw cause
        }
    }
}
