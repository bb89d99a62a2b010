/// Compaction: page segments of which little is in use are emptied and removed.
extension TransactionEngine {
    /// What to compact now, nil when nothing is worth it. With `isFull`, everything that holds
    /// unused bytes is, and where it `erases` every cluster that holds values of deleted rows.
    /// Blocks on the disk: not for the cooperative pool.
    package func planCompaction(
        isFull: Bool, erases: Bool = true
    ) throws(StorageError) -> CompactionPlan? {
        guard let checkpoints, isWriting else { return nil }
        // What was deleted since the last one is unused only from then on.
        let version = latest.version
        if isFull { try checkpoint() }
        let checkpointer = checkpoints.checkpointer
        if isFull {
            // What is written meanwhile may hold deleted values, and would have to be emptied, too.
            return try checkpointer.exclusively { () throws(StorageError) -> CompactionPlan? in
                let found = try stateToPlan(checkpointer, behind: version, isFull: true)
                guard let found else { return nil }
                return try makePlan(found, erases: erases, checkpointer)
            }
        }
        let found = try checkpointer.exclusively { () throws(StorageError) -> StateToPlan? in
            try stateToPlan(checkpointer, behind: version, isFull: false)
        }
        // Without the lock: the walk takes as long as the store is large, and commits may wait for
        // a checkpoint. What it reads stays readable for the version that it holds.
        guard let found, !found.victims.isEmpty else { return nil }
        return try makePlan(found, erases: false, checkpointer)
    }

    /// What a plan is made from.
    private struct StateToPlan {
        let root: SnapshotRoot
        let contents: Checkpointer.Contents
        /// The segments that are worth emptying, of which the upkeep leaves out what there is no
        /// space for.
        let victims: Set<PageIndex>
        let isPartial: Bool
        let isFull: Bool
        let adoptions: Int
    }

    /// Nil when there is nothing to plan now. The caller is in ``Checkpointer/exclusively(_:)``.
    private func stateToPlan(
        _ checkpointer: Checkpointer, behind version: Version, isFull: Bool
    ) throws(StorageError) -> StateToPlan? {
        let contents = checkpointer.contents
        if awaitsCheckpoint(of: contents) {
            if isFull { throw shortage }
            return nil
        }
        // Another process may have come to write meanwhile.
        guard isWriting, !isFull || contents.version >= version else { return nil }
        let all = CompactionPlan.victims(
            contents, segmentSize: checkpointer.segmentSize(contents), isFull: isFull)
        // Under the lock: looking for space claims it for a moment, and a checkpoint may need it.
        let victims = isFull || all.isEmpty ? all : victimsWithSpace(all, contents)
        return StateToPlan(
            root: publisher.latest.root, contents: contents, victims: victims,
            isPartial: victims.count < all.count, isFull: isFull,
            adoptions: checkpointer.adoptions)
    }

    private func makePlan(
        _ state: StateToPlan, erases: Bool, _ checkpointer: Checkpointer
    ) throws(StorageError) -> CompactionPlan {
        var plan = try CompactionPlan(state.root, victims: state.victims, erases: erases)
        plan.isPartial = state.isPartial
        if state.isFull {
            let victims = victimsWithSpace(plan.victims, state.contents)
            if victims.count < plan.victims.count {
                // What was deleted leaves its clusters when there is space for all of that.
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

    /// Whether there was no space for the checkpoint of a tree that was taken over from a shared
    /// log: no other one is written before that. The caller is in ``Checkpointer/exclusively(_:)``.
    private func awaitsCheckpoint(of contents: Checkpointer.Contents) -> Bool {
        // A commit that wrote its tree itself is published before nothing is under way.
        isDrained && contents.version > latest.version
            && segments?.replayStart(of: contents.version) == nil
    }

    /// Those of `victims` whose nodes can be written elsewhere before they are removed: all, or on
    /// a disk that lacks the space the emptiest. What is moved in memory must be written.
    private func victimsWithSpace(
        _ victims: Set<PageIndex>, _ contents: Checkpointer.Contents
    ) -> Set<PageIndex> {
        guard let log = segments else { return victims }
        let emptiest = victims.compactMap { contents.segments[$0] }.sorted { $0.live < $1.live }
        let live = emptiest.reduce(0) { $0 + $1.live }
        let held = log.reserve.size
        let emptying = DeletionSpace.emptying(
            classes: latest.schema.classes.count, bytes: contents.live)
        let floor = emptying + DeletionSpace.moving
        if live <= held - floor || log.reserve.hasSpaceBeside(live + live / 8 + floor) {
            return victims
        }
        var room = max(held - floor, 0)
        let fitting = emptiest.prefix { segment in
            room -= segment.live
            return room >= 0
        }
        return Set(fitting.map(\.index))
    }

    /// Works off some of the plan. The caller has the write turn and is in a body that it ends
    /// without a commit.
    package func relocate(_ plan: inout CompactionPlan) { tree.relocate(&plan, limit: 32) }

    /// Publishes what was worked off of `plan`, if nothing is under way that does so anyway. The
    /// caller has the write turn. From then on no rollback undoes it.
    package func publishRelocated(_ plan: inout CompactionPlan) {
        if let resets = plan.resets, resets != tree.resets { plan.wasUndone = true }
        if isWriting { republish() }
    }

    /// Writes the checkpoint that empties the segments of a plan that was worked off and published,
    /// and removes them; false when another process has come to write meanwhile. Blocks on the
    /// disk: not for the cooperative pool.
    package func writeRelocated() throws(StorageError) -> Bool {
        guard isWriting else { return false }
        try checkpoint(for: .replay, isForced: true)
        return isWriting
    }

    /// Ends the compaction of a plan that was worked off: publishes it and writes what is missing
    /// of it. With `isFull` the log begins anew behind all that it says of deleted values, and
    /// takes no more space than it has to. The caller has the write turn, and nothing is under way;
    /// the writer lease stays here for so long. Blocks on the disk: not for the cooperative pool.
    package func finishCompaction(isFull: Bool = true) throws(StorageError) {
        guard isWriting else { return }
        republish()
        try checkpoint(for: isFull ? .erasure : .replay, isForced: true)
    }

    /// Whether nothing is left of what a plan was to empty, and to erase.
    package func isWorkedOff(_ plan: CompactionPlan) -> Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return true }
        // Another compaction may have emptied the same segments and kept what was deleted, and what
        // was erased here before went with a rollback, or with the tree that another process's has
        // taken the place of.
        let isUndone = plan.wasUndone || plan.adoptions != checkpointer.adoptions
        if plan.erases, isUndone { return false }
        let contents = checkpointer.contents
        return plan.victims.allSatisfy { contents.segments[$0] == nil }
    }

    /// Bytes of the page files, unused ones included.
    package var storedBytes: Int { checkpoints?.checkpointer.contents.length ?? 0 }

    /// Unused bytes that make a compaction worth it.
    package var isWasteful: Bool {
        guard let checkpointer = checkpoints?.checkpointer else { return false }
        let contents = checkpointer.contents
        return contents.length > contents.live * 3 / 2 + 2 * checkpointer.segmentSize(contents)
    }
}
