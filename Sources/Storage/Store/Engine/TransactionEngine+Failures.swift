import Synchronization

/// What becomes of commits that cannot be stored.
extension TransactionEngine {
    /// Stops writing because something beside a group has failed.
    func latch(_ error: StorageError) {
        let failed = groups.withLock { groups in
            let failed = groups.pipeline.latch(error)
            // A group at the disk may still come to be published, a running body goes on.
            if groups.pipeline.body == .none, !groups.pipeline.isSyncing {
                rollBackToPublished(&groups)
            }
            return failed
        }
        noteFailure(error)
        removeAbandoned()
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    /// Ends the group at the disk: a refusal leaves the store as it was, a failure stops it.
    ///
    /// `wasWritten`: the log may have some of the group.
    func failed(_ error: StorageError, wasWritten: Bool) {
        let isRefused = error.isRefusal
        // The error that had stopped the log before, if one had.
        let cause = if case .durabilityLost(let before) = error { before } else { error }
        if case .outOfSpace = error { wasRefused.store(true, ordering: .relaxed) }
        let failed = groups.withLock { groups in
            // What the log may refer to stays.
            if isRefused || !wasWritten { groups.abandoned += groups.inFlight?.spills ?? [] }
            groups.inFlight = nil
            let failed =
                isRefused
                ? groups.pipeline.groupRefused(error)
                : groups.pipeline.groupFailed(cause, wasWritten: wasWritten)
            // A running body goes on with the tree; its end will rewind.
            if groups.pipeline.body == .none { rollBackToPublished(&groups) }
            return failed
        }
        if !isRefused { noteFailure(error) }
        removeAbandoned()
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    /// Tells that the store has stopped writing, and why it first did. That it was closed is known
    /// to the caller of that.
    func noteFailure(_ error: StorageError) {
        if case .closed = error { return }
        onFailure(failure ?? error)
    }

    /// Goes back to what is published, discarding every commit after it. No body runs.
    func rollBackToPublished(_ groups: inout Groups) {
        let published = latest
        tree.reset(to: published)
        groups.abandoned += groups.open?.startOver(from: published) ?? []
    }
}
