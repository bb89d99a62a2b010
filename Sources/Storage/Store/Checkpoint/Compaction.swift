/// The state of a compaction: which step comes next. ``TransactionEngine/perform(_:)`` performs the
/// steps; the caller provides the turn to write and the threads.
package struct Compaction {
    package enum Step {
        /// Determines what is worthwhile. Blocks on the disk, concurrently with writes; requires
        /// the writer lease.
        case plan
        /// Relocates some rows, in a body. Requires the write turn and the lease.
        case relocate
        /// Publishes that. Requires the write turn and the lease, and no commit in progress.
        case publish
        /// Writes it. Blocks on the disk, concurrently with writes.
        case write
        /// Writes the remainder. Blocks on the disk, and requires the same as ``publish``.
        case finish
    }

    /// Whether all values that were deleted before must be erased.
    package let isFull: Bool
    /// Nil at the end.
    package private(set) var step: Step? = .plan
    /// How often it was restarted because others have undone part of it.
    package private(set) var attempts = 0
    /// Whether the first plan is being executed.
    package private(set) var isFirst = true
    /// Whether it drops the oldest history if the disk is full.
    fileprivate let dropsHistory: Bool
    /// Whether values of rows that were deleted before it began may still be in memory.
    fileprivate var erases = true
    fileprivate var plan: CompactionPlan?
    private var total = 1
    /// Bytes of the page files before the last plan that lacked space.
    private var stored = Int.max

    package init(isFull: Bool, dropsHistory: Bool = false) {
        self.isFull = isFull
        self.dropsHistory = dropsHistory
    }

    /// The executed fraction of the plan, from 0 to 1.
    package var progress: Double { 1 - Double(plan?.remaining ?? 0) / Double(total) }

    /// Restarts after the store was reopened; an automatic compaction ends instead.
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
            // Another process has become the writer, and plans its own.
            return step = isFull && hasFiles ? .plan : nil
        }
        plan = planned
        total = max(planned.remaining, 1)
        step = planned.isDone ? .publish : .relocate
    }

    fileprivate mutating func relocated() { if plan?.isDone ?? true { step = .publish } }

    fileprivate mutating func published() { step = .write }

    /// `isWritten`: all of it was written by this process. False if the rest needs the turn.
    fileprivate mutating func wrote(isWritten: Bool) -> Bool {
        if isWritten, !isFull { return true }
        step = .finish
        return false
    }

    fileprivate mutating func ended(in engine: TransactionEngine) throws(StorageError) {
        guard let plan else { return }
        if plan.isPartial {
            // There may be space for the rest now.
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
        if isFull, !engine.isExecuted(plan) { return begin() }
        if plan.isStale {
            // The deleted values are no longer in memory: no checkpoint writes them again.
            erases = false
            return begin()
        }
        step = nil
    }
}

extension TransactionEngine {
    /// Performs the next step of a compaction, whose requirements are documented there.
    package func perform(_ compaction: inout Compaction) throws(StorageError) {
        switch compaction.step {
        case .plan:
            if compaction.dropsHistory { try dropHistoryIfFull() }
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
            if compaction.dropsHistory { try dropHistoryIfFull() }
            try compaction.ended(in: self)
        case nil: break
        }
    }
}
