extension CommitPipeline {
    /// Writing or syncing the group failed. Latches; returns every waiter with its error: the
    /// outcome of what was handed to the disk is unknown, everything else was lost. A running body
    /// ends with `.fail`.
    ///
    /// Without `wasWritten` nothing of the group reached the log: it was lost, too.
    package mutating func groupFailed(
        _ cause: StorageError, wasWritten: Bool = true
    ) -> [Failed] {
        let (flight, gathering) = takeAll()
        guard let flight else { preconditionFailure("A group failed that was not in flight") }
        let latch = latchedCause ?? cause
        state = .latched(cause: latch, nil)
        let lost = StorageError.durabilityLost(cause: cause)
        doomBody(lost)
        return flight.outcomes.failed(
            committed: wasWritten ? .commitOutcomeUnknown(cause: cause) : lost, others: lost)
            + (gathering?.outcomes.failed(committed: lost, others: lost) ?? [])
    }

    /// The journal did not take the group, and goes on: nothing is latched. Its waiters and those
    /// of the commits on top of it fail with `error`; the caller goes back to the published root.
    /// A running body ends with `.fail`.
    ///
    /// In doubt, with ``StorageError/commitOutcomeUnknown(cause:)``, that is what its commits fail
    /// with; what was built on top of them is lost for the reason.
    package mutating func groupRefused(_ error: StorageError) -> [Failed] {
        var reason = error
        if case .commitOutcomeUnknown(let cause) = error { reason = cause }
        let (flight, gathering) = takeAll()
        guard let flight else { preconditionFailure("A group was refused that was not in flight") }
        if let cause = latchedCause {
            state = .latched(cause: cause, nil)
        } else {
            state = .idle
        }
        doomBody(reason)
        return flight.outcomes.failed(committed: error, others: reason)
            + (gathering?.outcomes.failed(committed: reason, others: reason) ?? [])
    }

    /// Something else that the store needs has failed: nothing more is handed to the disk. Returns
    /// the waiters of what was collected; a group that is in flight still comes back.
    package mutating func latch(_ cause: StorageError) -> [Failed] {
        if case .latched = state { return [] }
        let (flight, gathering) = takeAll()
        state = .latched(cause: cause, flight)
        let lost = StorageError.durabilityLost(cause: cause)
        // A body on top of a published version may still read to its end, and end without a commit.
        if flight != nil || gathering != nil { doomBody(lost) }
        return gathering?.outcomes.failed(committed: lost, others: lost) ?? []
    }

    private mutating func takeAll() -> (Flight?, Gathering?) {
        switch state {
        case .idle: return (nil, nil)
        case .collecting(let gathering): return (nil, gathering)
        case .syncing(let flight): return (flight, nil)
        case .syncingAndCollecting(let flight, let gathering): return (flight, gathering)
        case .latched(_, let flight): return (flight, nil)
        }
    }

    private mutating func doomBody(_ error: StorageError) {
        if body == .open { body = .doomed(error) }
    }
}

extension CommitPipeline.Outcomes {
    fileprivate func failed(
        committed commitError: StorageError, others otherError: StorageError
    ) -> [CommitPipeline.Failed] {
        let others = Set(others)
        return waiters.enumerated().map { index, waiter in
            CommitPipeline.Failed(
                waiter: waiter, error: others.contains(index) ? otherError : commitError)
        }
    }
}
