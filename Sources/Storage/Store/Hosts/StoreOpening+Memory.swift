/// Keeping to the memory budget while what other hosts have committed is applied.
extension StoreOpening.State {
    /// Evicts nodes that the page files have when memory is short. Once the others fill the budget,
    /// they are written first, with a checkpoint. Between commits that are all in `log`.
    mutating func enforceMemoryBudget(_ log: Log) throws(StorageError) {
        tree.trimIfShort()
        let account = tree.account
        guard account.budget.isSpent(account.byteCount),
            log.bytesToReplay > account.budget.logBytesMin, let end = log.end
        else { return }
        try checkpoint(endingAt: end, in: log, .replay)
        tree.trimIfShort()
    }

    /// Like that of an engine, which does not exist yet: after a crash, the next opening continues
    /// with the version at the end of the log.
    mutating func checkpoint(
        endingAt end: LogEnd, in log: Log, _ purpose: CheckpointPurpose
    ) throws(StorageError) {
        let account = tree.account
        let checkpointer = Checkpointer(pages: pages, contents: contents)
        // Versions may be held that were read before the store was reopened.
        checkpointer.retireFormer(account)
        let root = tree.capture(version: version, life: log.lastLife)
        try checkpointer.exclusively { () throws(StorageError) -> Void in
            try checkpointer.writeCheckpoint(of: root, endingAt: end, in: log, purpose)
            try checkpointer.removeSuperfluous(behind: root, in: log)
        }
        contents = checkpointer.contents
    }
}
