import Synchronization

/// Which commits wait for others, to be written together with them.
extension TransactionEngine {
    /// Who writes after a body, as far as its writer knows.
    package enum Successors: Sendable {
        /// Nobody that is known of, and the commit is wanted at once.
        case none
        /// Perhaps those who are notified of their commits about now.
        case possible
        /// Someone waits for the turn already.
        case waiting
    }

    /// Commits that are written together where writing does not wait for the disk.
    private static let gatheredMax = 32

    /// Whether the group that is offered waits for more commits.
    func keepsOpen(_ groups: inout Groups, _ successors: Successors) -> Bool {
        if isRefusing { return false }
        let count = groups.pipeline.collectedCount
        if appendsInPlace { return successors == .waiting && count < Self.gatheredMax }
        return successors != .none && !groups.patience.isComplete(count)
    }

    /// Has the commits written that were gathered for a writer who did not come, unless a body
    /// runs, whose end will.
    package func submitGathered() {
        // Where writing waits for the disk, the log thread looks after them.
        if appendsInPlace { submitCollected() }
    }

    func submitCollected() {
        let group = groups.withLock { groups in
            groups.pipeline.offersGroup ? seal(&groups) : nil
        }
        if let group { submit(group) }
    }

    /// Writes the group that was kept open, whatever is missing.
    func waitIsOver() {
        groups.withLock { $0.patience.timeIsUp() }
        submitCollected()
    }
}
