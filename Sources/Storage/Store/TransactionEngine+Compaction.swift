/// Compaction: page segments of which little is in use are emptied and removed.
extension TransactionEngine {
    /// What to compact now, nil when nothing is worth it. With `isFull`, everything that holds
    /// unused bytes is. Blocks on the disk: not for the cooperative pool.
    package func planCompaction(isFull: Bool) throws(StorageError) -> CompactionPlan? {
        guard let checkpoints, isWriting else { return nil }
        let checkpointer = checkpoints.checkpointer
        return try checkpointer.exclusively { () throws(StorageError) -> CompactionPlan? in
            let contents = checkpointer.contents
            let victims = CompactionPlan.victims(
                contents, segmentSize: checkpointer.segmentSize(contents), isFull: isFull)
            if victims.isEmpty { return nil }
            let plan = try CompactionPlan(latestPublished.root, victims: victims)
            checkpointer.retireTail(in: victims)
            return plan
        }
    }

    /// Works off some of the plan. The caller has the write turn and is in a body that it ends
    /// without a commit.
    package func relocate(_ plan: inout CompactionPlan) { tree.relocate(&plan, limit: 32) }

    /// Writes the checkpoint that empties the segments of a plan that was worked off, and removes
    /// them; false when another process has come to write meanwhile. Blocks on the disk: not for
    /// the cooperative pool.
    @discardableResult
    package func finishCompaction() throws(StorageError) -> Bool {
        guard isWriting else { return false }
        republish()
        try checkpoint(isLast: false, isForced: true)
        return isWriting
    }

    /// Unused bytes that make a compaction worth it.
    package var isWasteful: Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return false }
        let contents = checkpointer.contents
        return contents.length > contents.live * 3 / 2 + 2 * checkpointer.segmentSize(contents)
    }
}
