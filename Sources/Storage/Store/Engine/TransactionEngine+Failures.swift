import Synchronization

/// The handling of commits that cannot be stored.
extension TransactionEngine {
    /// Stops writing because of a failure outside of a group.
    func latch(_ error: StorageError) {
        let failed = groups.withLock { groups in
            let failed = groups.pipeline.latch(error)
            // A group at the disk may still be published, and a running body continues.
            if groups.pipeline.body == .none, !groups.pipeline.isSyncing {
                rollBackToPublished(&groups)
            }
            return failed
        }
        noteFailure(error)
        removeAbandoned()
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    /// Ends the group in flight: a refusal leaves the store unchanged, a failure stops it.
    ///
    /// `wasWritten`: the log may have some of the group.
    func failed(_ error: StorageError, wasWritten: Bool) {
        let isRefused = error.isRefusal
        // The error that had stopped the log before, if one had.
        let cause = if case .durabilityLost(let before) = error { before } else { error }
        if case .outOfSpace = error { wasRefused.store(true, ordering: .relaxed) }
        let failed = groups.withLock { groups in
            // Files that the log may refer to are kept.
            if isRefused || !wasWritten { groups.abandoned += groups.inFlight?.spills ?? [] }
            groups.inFlight = nil
            let failed =
                isRefused
                ? groups.pipeline.groupRefused(error)
                : groups.pipeline.groupFailed(cause, wasWritten: wasWritten)
            // A running body continues to use the tree, which is rolled back at its end.
            if groups.pipeline.body == .none { rollBackToPublished(&groups) }
            return failed
        }
        if !isRefused { noteFailure(error) }
        removeAbandoned()
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    /// Reports that the store has stopped writing, with the first error. A close is not reported.
    func noteFailure(_ error: StorageError) {
        if case .closed = error { return }
        onFailure(failure ?? error)
    }

    /// Rolls back to the published version, discarding every later commit. No body runs.
    func rollBackToPublished(_ groups: inout Groups) {
        let published = latest
        tree.reset(to: published)
        groups.abandoned += groups.open?.restart(from: published) ?? []
    }
}
