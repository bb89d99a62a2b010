/// A compaction under way: which step comes next. ``TransactionEngine/perform(_:)`` does the steps;
/// what surrounds them, the turn to write and the threads, is the caller's.
package struct Compaction {
    package enum Step {
        /// Finds out what is worth it. Blocks on the disk, beside the writes; the writer lease has
        /// to be here.
        case plan
        /// Moves some rows, in a body. With the write turn and the lease.
        case relocate
        /// Makes that the newest version. With the write turn and the lease, and nothing under way.
        case publish
        /// Writes it. Blocks on the disk, beside the writes.
        case write
        /// Writes the little that is left. Blocks on the disk, with all that ``publish`` needs.
        case finish
    }

    /// Whether nothing is to be left of what was deleted before.
    package let isFull: Bool
    /// Nil at the end.
    package private(set) var step: Step? = .plan
    /// How often it was at its end, and had to begin anew because others had undone some of it.
    package private(set) var attempts = 0
    /// Whether the first plan is worked off.
    package private(set) var isFirst = true
    /// Whether it gives up the oldest history where the disk is full.
    fileprivate let givesUpHistory: Bool
    /// Whether there may be rows in memory that were deleted before it began.
    fileprivate var erases = true
    fileprivate var plan: CompactionPlan?
    private var total = 1
    /// Bytes of the page files before the last plan that lacked space.
    private var stored = Int.max

    package init(isFull: Bool, givesUpHistory: Bool = false) {
        self.isFull = isFull
        self.givesUpHistory = givesUpHistory
    }

    /// How much of the plan is worked off, from 0 to 1.
    package var progress: Double { 1 - Double(plan?.remaining ?? 0) / Double(total) }

    /// Begins anew, in a store that was closed and opened meanwhile; there is no need to where
    /// nobody asked for it.
    package mutating func restart() {
        attempts += 1
        if isFull { begin() } else { step = nil }
    }

    private mutating func begin() {
        isFirst = false
        plan = nil
        step = .plan
    }

    fileprivate mutating func planned(_ planned: CompactionPlan?, hasFiles: Bool) {
        guard let planned else {
            attempts += 1
            // Another process has come to write, and plans as well.
            return step = isFull && hasFiles ? .plan : nil
        }
        plan = planned
        total = max(planned.remaining, 1)
        step = planned.isDone ? .publish : .relocate
    }

    fileprivate mutating func relocated() { if plan?.isDone ?? true { step = .publish } }

    fileprivate mutating func published() { step = .write }

    /// `isWritten`: all of it, by this process. False when the rest needs the turn.
    fileprivate mutating func wrote(isWritten: Bool) -> Bool {
        if isWritten, !isFull { return true }
        step = .finish
        return false
    }

    fileprivate mutating func ended(in engine: TransactionEngine) throws(StorageError) {
        guard let plan else { return }
        if plan.isPartial {
            // There may be space now for what is left.
            let left = engine.storedBytes
            if left < stored {
                stored = left
                return begin()
            }
            step = nil
            if isFull { throw engine.shortage }
            return
        }
        attempts += 1
        if isFull, !engine.isWorkedOff(plan) { return begin() }
        if plan.wasOvertaken {
            // The deleted rows are no longer in memory: no checkpoint writes them again.
            erases = false
            return begin()
        }
        step = nil
    }
}

extension TransactionEngine {
    /// Does the next step of a compaction. What it needs is said there.
    package func perform(_ compaction: inout Compaction) throws(StorageError) {
        switch compaction.step {
        case .plan:
            if compaction.givesUpHistory { try giveUpHistoryIfFull() }
            let plan = try planCompaction(isFull: compaction.isFull, erases: compaction.erases)
            compaction.planned(plan, hasFiles: checkpoints != nil)
        case .relocate:
            try beginBody()
            if var plan = compaction.plan {
                relocate(&plan)
                compaction.plan = plan
            }
            endBody(nil, waiter: .nobody)
            compaction.relocated()
        case .publish:
            if var plan = compaction.plan {
                publishRelocated(&plan)
                compaction.plan = plan
            }
            compaction.published()
        case .write:
            if compaction.wrote(isWritten: try writeRelocated()) { try compaction.ended(in: self) }
        case .finish:
            try finishCompaction(isFull: compaction.isFull)
            if compaction.givesUpHistory { try giveUpHistoryIfFull() }
            try compaction.ended(in: self)
        case nil: break
        }
    }
}
