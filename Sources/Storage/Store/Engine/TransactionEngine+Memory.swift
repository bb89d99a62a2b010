/// Keeping the nodes in memory within their budget.
extension TransactionEngine {
    /// Whether memory is short of what a checkpoint and then ``giveUpStored()`` can free.
    var isShortOfMemory: Bool { tree.account.budget.isShort(tree.account.byteCount) }

    /// Evicts what a checkpoint has written when memory is short, also for those who read from
    /// now on. The caller has the write turn.
    package func giveUpStored() throws(StorageError) {
        guard isShortOfMemory, isWriting else { return }
        try beginBody()
        endBody(nil, waiter: .nobody)
        republish()
    }

    /// Whether so much that no checkpoint has written fills the memory that the next write should
    /// wait for one.
    package var isMemorySpent: Bool {
        let account = tree.account
        guard account.budget.isSpent(account.byteCount), let checkpoints,
            checkpoints.policy == .automatic, failure == nil, let end = log.end
        else { return false }
        let bytes = end.position.distance(from: checkpoints.replayStart) ?? 0
        return bytes > account.budget.logBytesMin
    }

    /// Writes a checkpoint in the background and then calls `completion`.
    package func checkpointForMemory(completion: @escaping @Sendable () -> Void) {
        guard let checkpoints else { return completion() }
        checkpoints.run { [weak self] in
            self?.checkpointOrLatch()
            completion()
        }
    }
}
