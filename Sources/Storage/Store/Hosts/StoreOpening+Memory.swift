/// Keeping to the memory budget while what other hosts have committed is applied.
extension StoreOpening.State {
    /// Gives up in memory what the page files have when memory runs short. Once the rest fills the
    /// budget, that is written first, with a checkpoint. Between commits that are all in `log`.
    mutating func keepToMemoryBudget(_ log: Log) throws(StorageError) {
        tree.trimIfShort()
        let account = tree.account
        guard account.budget.isSpent(account.byteCount),
            log.bytesToReplay > account.budget.logBytesMin, let end = log.end
        else { return }
        try checkpoint(endingAt: end, in: log)
        tree.trimIfShort()
    }

    /// As an engine does it, of which there is none yet: a crash leaves the version that the log
    /// ends with, on which the next opening goes on.
    private mutating func checkpoint(
        endingAt end: LogEnd, in log: Log
    ) throws(StorageError) {
        let account = tree.account
        let checkpointer = Checkpointer(pages: pages, contents: contents)
        // Versions may be held that were read before the store was reopened.
        checkpointer.retireFormer(account)
        let root = tree.capture(version: version, life: log.lastLife)
        try checkpointer.exclusively { () throws(StorageError) -> Void in
            try checkpointer.writeCheckpoint(of: root, endingAt: end, in: log, .replay)
            try checkpointer.removeSuperfluous(behind: root, in: log)
        }
        contents = checkpointer.contents
    }
}
