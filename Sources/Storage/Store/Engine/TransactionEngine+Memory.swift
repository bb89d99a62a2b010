/// Keeping the nodes in memory within their budget.
extension TransactionEngine {
    /// Whether memory is short, and a checkpoint followed by ``evictStored()`` can free some.
    var isShortOfMemory: Bool { tree.account.budget.isShort(tree.account.byteCount) }

    /// Evicts nodes that a checkpoint has written if memory is short, and publishes the tree
    /// without them. The caller has the write turn.
    package func evictStored() throws(StorageError) {
        guard isShortOfMemory, isWriting else { return }
        try beginBody()
        endBody(nil, waiter: .nobody)
        republish()
    }

    /// Whether unwritten nodes fill the memory budget, so that the next write should wait for a
    /// checkpoint.
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
