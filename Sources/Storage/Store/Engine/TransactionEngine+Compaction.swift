/// Compaction: page segments with few used bytes are emptied and removed.
extension TransactionEngine {
    /// Plans a compaction; nil if it is not worthwhile. With `isFull`, of everything that has
    /// unused bytes, and if it `erases`, of every cluster that has values of deleted rows. Blocks
    /// on the disk: not for the cooperative pool.
    package func planCompaction(
        isFull: Bool, erases: Bool = true
    ) throws(StorageError) -> CompactionPlan? {
        guard let checkpoints, isWriting else { return nil }
        // What was deleted since the last checkpoint counts as unused only after the next.
        let version = latest.version
        if isFull { try checkpoint() }
        let checkpointer = checkpoints.checkpointer
        let found = try checkpointer.exclusively { () throws(StorageError) -> StateToPlan? in
            try stateToPlan(checkpointer, behind: version, isFull: isFull)
        }
        // Outside the lock: the walk is O(size of the store), and commits may wait for a
        // checkpoint. Its snapshot stays readable.
        guard let found, isFull || !found.victims.isEmpty else { return nil }
        let walked = try CompactionPlan(
            found.root, victims: found.victims, erases: isFull && erases)
        if !isFull { return try complete(walked, found, checkpointer) }
        return try checkpointer.exclusively { () throws(StorageError) -> CompactionPlan? in
            if isWriting, checkpointer.contents.contents == found.contents.contents {
                return try complete(walked, found, checkpointer)
            }
            // A checkpoint may have written deleted values to further segments: plan again, with no
            // checkpoint in between.
            guard let newer = try stateToPlan(checkpointer, behind: version, isFull: true)
            else { return nil }
            let again = try CompactionPlan(newer.root, victims: newer.victims, erases: erases)
            return try complete(again, newer, checkpointer)
        }
    }

    /// The input of a plan.
    private struct StateToPlan {
        let root: SnapshotRoot
        let contents: Checkpointer.Contents
        /// The segments that are worth emptying; automatic maintenance skips those that lack space.
        let victims: Set<PageIndex>
        let isPartial: Bool
        let isFull: Bool
        let adoptions: Int
    }

    /// Nil if no plan can be made now. The caller is in ``Checkpointer/exclusively(_:)``.
    private func stateToPlan(
        _ checkpointer: Checkpointer, behind version: Version, isFull: Bool
    ) throws(StorageError) -> StateToPlan? {
        let contents = checkpointer.contents
        if awaitsCheckpoint(of: contents) {
            if isFull { throw shortage }
            return nil
        }
        // Another process may have become the writer.
        guard isWriting, !isFull || contents.version >= version else { return nil }
        let all = CompactionPlan.victims(
            contents, segmentSize: checkpointer.segmentSize(contents), isFull: isFull)
        // Under the lock: probing for space allocates it for a moment, and a checkpoint may need
        // it.
        let victims = try isFull || all.isEmpty ? all : victimsWithSpace(all, contents)
        return StateToPlan(
            root: publisher.latest.root, contents: contents, victims: victims,
            isPartial: victims.count < all.count, isFull: isFull,
            adoptions: checkpointer.adoptions)
    }

    /// The plan for `state`, whose nodes are in `walked`.
    private func complete(
        _ walked: CompactionPlan, _ state: StateToPlan, _ checkpointer: Checkpointer
    ) throws(StorageError) -> CompactionPlan {
        var plan = walked
        plan.isPartial = state.isPartial
        if state.isFull {
            let victims = try victimsWithSpace(plan.victims, state.contents)
            if victims.count < plan.victims.count {
                // Deleted values are erased from their clusters only if there is space for all of
                // that.
                plan = try CompactionPlan(state.root, victims: victims)
                plan.isPartial = true
            }
        }
        let segments = state.contents.segments
        plan.newest = segments.last?.key
        checkpointer.retireTail(in: plan.erases ? Set(segments.keys) : plan.victims)
        plan.adoptions = state.adoptions
        return plan
    }

    /// Whether the checkpoint of a tree from a shared log's image is pending for lack of space: no
    /// other one is written before it. The caller is in ``Checkpointer/exclusively(_:)``.
    private func awaitsCheckpoint(of contents: Checkpointer.Contents) -> Bool {
        // With a drained pipeline, it cannot be a page commit, which would be published already.
        isDrained && contents.version > latest.version
            && segments?.replayStart(of: contents.version) == nil
    }

    /// Those of `victims` whose nodes can be copied before they are removed: all, or the emptiest
    /// ones if the disk lacks space. Nodes that were relocated in memory must be written.
    private func victimsWithSpace(
        _ victims: Set<PageIndex>, _ contents: Checkpointer.Contents
    ) throws(StorageError) -> Set<PageIndex> {
        guard let log = segments else { return victims }
        let emptiest = victims.compactMap { contents.segments[$0] }.sorted { $0.live < $1.live }
        let live = emptiest.reduce(0) { $0 + $1.live }
        let held = log.reserve.size
        let emptying = DeletionSpace.emptying(
            classes: latest.schema.classes.count, bytes: contents.live)
        let floor = emptying + DeletionSpace.moving
        if live <= held - floor { return victims }
        if try log.reserve.hasSpaceBeside(live + live / 8 + floor) { return victims }
        var room = max(held - floor, 0)
        let fitting = emptiest.prefix { segment in
            room -= segment.live
            return room >= 0
        }
        return Set(fitting.map(\.index))
    }

    /// Executes some steps of the plan. The caller has the write turn and is in a body that it ends
    /// without a commit.
    package func relocate(_ plan: inout CompactionPlan) {
        tree.relocate(&plan, limit: 32)
        // A cluster that was copied with placeholders after a failed read must not be published or
        // written with the commits of the group.
        if tree.account.failure != nil { return rollBack() }
        // Otherwise the next body that throws would undo the steps.
        withBody { group in
            let tip = group.tip
            group.advanceBase(to: tree.capture(version: tip.version, life: tip.life))
        }
    }

    /// Publishes the executed steps of `plan`, unless a pending commit does so anyway. The caller
    /// has the write turn. From then on no rollback undoes them.
    package func publishRelocated(_ plan: inout CompactionPlan) {
        if let resets = plan.resets, resets != tree.resets { plan.wasRolledBack = true }
        if isWriting { republish() }
    }

    /// Writes the checkpoint of a plan that was executed and published, and removes the emptied
    /// segments; false if another process has become the writer. Blocks on the disk: not for the
    /// cooperative pool.
    package func writeRelocated() throws(StorageError) -> Bool {
        guard isWriting else { return false }
        try checkpoint(for: .replay, isForced: true)
        return isWriting
    }

    /// Ends the compaction of an executed plan: publishes it and writes the rest of it. With
    /// `isFull` the log is restarted after all of its deleted values, and takes as little space as
    /// possible. The caller has the write turn and the writer lease, and no commit is in progress.
    /// Blocks on the disk: not for the cooperative pool.
    package func finishCompaction(isFull: Bool = true) throws(StorageError) {
        guard isWriting else { return }
        republish()
        try checkpoint(for: isFull ? .erasure : .replay, isForced: true)
    }

    /// Whether everything that a plan had to empty and to erase is done.
    package func isExecuted(_ plan: CompactionPlan) -> Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return true }
        // Another compaction may have emptied the same segments without erasing, after the steps of
        // this one were undone by a rollback, or by switching to the tree of another process.
        let isUndone = plan.wasRolledBack || plan.adoptions != checkpointer.adoptions
        if plan.erases, isUndone { return false }
        let contents = checkpointer.contents
        return plan.victims.allSatisfy { contents.segments[$0] == nil }
    }

    /// Bytes of the page files, including unused ones.
    package var storedBytes: Int { checkpoints?.checkpointer.contents.length ?? 0 }

    /// Whether there are enough unused bytes for a compaction.
    package var isWasteful: Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return false }
        let contents = checkpointer.contents
        return contents.length > contents.live * 3 / 2 + 2 * checkpointer.segmentSize(contents)
    }
}
