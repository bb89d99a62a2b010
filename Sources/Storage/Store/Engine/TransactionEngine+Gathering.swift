import Synchronization

/// Decides which commits wait for others, to be written in one group.
extension TransactionEngine {
    /// The expected next writers after a body.
    package enum Successors: Sendable {
        /// None are known, and the commit is needed at once.
        case none
        /// Perhaps writers that are acknowledged about now.
        case possible
        /// A writer already waits for the turn.
        case waiting
    }

    /// The maximum number of commits in a group if writing does not block.
    private static let gatheredMax = 32

    /// Whether the group that is offered waits for more commits.
    func keepsOpen(_ groups: inout Groups, _ successors: Successors) -> Bool {
        if isRefusing { return false }
        let count = groups.pipeline.collectedCount
        if appendsInPlace { return successors == .waiting && count < Self.gatheredMax }
        return successors != .none && !groups.delay.isComplete(count)
    }

    /// Submits the collected commits because there is no next writer. If a body runs, its end does
    /// that.
    package func submitGathered() {
        // If writing blocks, the log thread submits them.
        if appendsInPlace { submitCollected() }
    }

    func submitCollected() {
        let group = groups.withLock { groups in
            groups.pipeline.offersGroup ? seal(&groups) : nil
        }
        if let group { submit(group) }
    }

    /// Submits the group that was kept open, complete or not.
    func delayExpired() {
        groups.withLock { $0.delay.expire() }
        submitCollected()
    }
}
