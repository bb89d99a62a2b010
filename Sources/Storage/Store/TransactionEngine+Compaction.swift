/// Compaction: page segments of which little is in use are emptied and removed.
extension TransactionEngine {
    /// What to compact now, nil when nothing is worth it. With `isFull`, everything that holds
    /// unused bytes is, and every cluster that holds values of deleted rows. Blocks on the disk:
    /// not for the cooperative pool.
    package func planCompaction(isFull: Bool) throws(StorageError) -> CompactionPlan? {
        guard let checkpoints, isWriting else { return nil }
        // What was deleted since the last one is unused only from then on.
        if isFull { try checkpoint() }
        let checkpointer = checkpoints.checkpointer
        return try checkpointer.exclusively { () throws(StorageError) -> CompactionPlan? in
            let contents = checkpointer.contents
            let victims = CompactionPlan.victims(
                contents, segmentSize: checkpointer.segmentSize(contents), isFull: isFull)
            if victims.isEmpty, !isFull { return nil }
            let plan = try CompactionPlan(
                latestPublished.root, victims: victims, erases: isFull)
            checkpointer.retireTail(in: plan.victims)
            return plan
        }
    }

    /// Works off some of the plan. The caller has the write turn and is in a body that it ends
    /// without a commit.
    package func relocate(_ plan: inout CompactionPlan) { tree.relocate(&plan, limit: 32) }

    /// Publishes what was worked off, if nothing is under way that does so anyway. The caller has
    /// the write turn.
    package func publishRelocated() {
        if isWriting { republish() }
    }

    /// Writes the checkpoint that empties the segments of a plan that was worked off and published,
    /// and removes them; false when another process has come to write meanwhile. Blocks on the
    /// disk: not for the cooperative pool.
    package func writeRelocated() throws(StorageError) -> Bool {
        guard isWriting else { return false }
        try checkpoint(isLast: false, isForced: true)
        return isWriting
    }

    /// Ends the compaction of a plan that was worked off: publishes it, writes what is missing of
    /// it, and has the log begin anew behind all that it says of deleted values. The caller has the
    /// write turn, and nothing is under way; the right to write stays here for so long. Blocks on
    /// the disk: not for the cooperative pool.
    package func finishCompaction() throws(StorageError) {
        guard isWriting else { return }
        republish()
        try checkpoint(isLast: false, isForced: true, renewsLog: true)
    }

    /// Whether nothing is left of what a plan was to empty.
    package func isWorkedOff(_ plan: CompactionPlan) -> Bool {
        guard let contents = checkpoints?.checkpointer.contents else { return true }
        return plan.victims.allSatisfy { contents.segments[$0] == nil }
    }

    /// Unused bytes that make a compaction worth it.
    package var isWasteful: Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return false }
        let contents = checkpointer.contents
        return contents.length > contents.live * 3 / 2 + 2 * checkpointer.segmentSize(contents)
    }
}
