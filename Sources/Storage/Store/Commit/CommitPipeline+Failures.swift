extension CommitPipeline {
    /// Writing or syncing the group has failed. Latches; returns every waiter with its error: the
    /// outcome of the submitted group is unknown, everything else was lost. A running body ends
    /// with `.fail`.
    ///
    /// Without `wasWritten` nothing of the group has reached the log: it was lost, too.
    package mutating func groupFailed(
        _ cause: StorageError, wasWritten: Bool = true
    ) -> [Failed] {
        let (flight, gathering) = takeAll()
        guard let flight else { preconditionFailure("A group failed that was not in flight") }
        let latch = latchedCause ?? cause
        state = .latched(cause: latch, nil)
        let lost = StorageError.durabilityLost(cause: cause)
        failBody(lost)
        return flight.outcomes.failed(
            committed: wasWritten ? .commitOutcomeUnknown(cause: cause) : lost, others: lost)
            + (gathering?.outcomes.failed(committed: lost, others: lost) ?? [])
    }

    /// The journal has refused the group and remains usable: nothing latches. Its waiters and those
    /// of the commits on top of it fail with `error`; the caller rolls back to the published root.
    /// A running body ends with `.fail`.
    ///
    /// With ``StorageError/commitOutcomeUnknown(cause:)``, the commits of the group fail with that
    /// error, and those on top of it are lost because of its cause.
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
        failBody(reason)
        return flight.outcomes.failed(committed: error, others: reason)
            + (gathering?.outcomes.failed(committed: reason, others: reason) ?? [])
    }

    /// Another part of the store has failed: nothing more is submitted to the disk. Returns the
    /// waiters of the collected commits; a group in flight still completes.
    package mutating func latch(_ cause: StorageError) -> [Failed] {
        if case .latched = state { return [] }
        let (flight, gathering) = takeAll()
        state = .latched(cause: cause, flight)
        let lost = StorageError.durabilityLost(cause: cause)
        // A body on top of a published version may continue to read, and end without a commit.
        if flight != nil || gathering != nil { failBody(lost) }
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

    private mutating func failBody(_ error: StorageError) {
        if body == .open { body = .failed(error) }
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
