extension CommitPipeline {
    /// The latched error that has stopped writing; nil while the store writes.
    package var latchedCause: StorageError? {
        guard isLatched, case .latched(let cause, _) = state else { return nil }
        return cause
    }

    /// Called for each transaction: matching without payloads copies none of them.
    private var isLatched: Bool {
        if case .latched = state { true } else { false }
    }

    /// Whether nothing is collected or in flight and no body runs: the tip is published.
    package var isDrained: Bool {
        guard body == .none else { return false }
        switch state {
        case .idle, .latched(_, nil): return true
        case .collecting, .syncing, .syncingAndCollecting, .latched(_, .some): return false
        }
    }

    /// Whether commits wait to be sealed and can be: call `takeGroup`.
    package var offersGroup: Bool {
        if case .collecting = state { return body == .none }
        return false
    }

    /// How many commits wait to be sealed.
    package var collectedCount: Int {
        switch state {
        case .collecting(let gathering), .syncingAndCollecting(_, let gathering):
            return gathering.commitCount
        case .idle, .syncing, .latched: return 0
        }
    }

    /// Whether a group is at the disk.
    package var isSyncing: Bool {
        switch state {
        case .syncing, .syncingAndCollecting, .latched(_, .some): return true
        case .idle, .collecting, .latched(_, nil): return false
        }
    }

    /// A body is about to run on top of the newest collected version. Throws `.durabilityLost` once
    /// the store is latched.
    package mutating func beginBody() throws(StorageError) {
        precondition(body == .none, "A transaction body started while another one was running")
        if let latchedCause { throw .durabilityLost(cause: latchedCause) }
        body = .open
    }

    /// The body has ended. `commit` is the version it made, or nil when it threw, was cancelled or
    /// changed nothing.
    package mutating func endBody(commit: Version?, waiter: Waiter) -> EndAction {
        let ended = body
        body = .none
        switch ended {
        case .none: preconditionFailure("A transaction body ended that had not started")
        case .failed(let error): return .fail(error)
        case .open: break
        }
        guard let commit else { return endWithoutCommit(waiter) }
        // Moved out and back, since a copy would copy the array of waiters.
        switch take() {
        case .idle:
            var gathering = Gathering(version: commit)
            gathering.add(commit, waiter)
            state = .collecting(gathering)
            return .takeGroup
        case .collecting(var gathering):
            gathering.add(commit, waiter)
            state = .collecting(gathering)
            return .takeGroup
        case .syncing(let flight):
            var gathering = Gathering(version: commit)
            gathering.add(commit, waiter)
            state = .syncingAndCollecting(flight, gathering)
            return .wait
        case .syncingAndCollecting(let flight, var gathering):
            gathering.add(commit, waiter)
            state = .syncingAndCollecting(flight, gathering)
            return .wait
        case .latched(let cause, let flight):
            state = .latched(cause: cause, flight)
            return .fail(.durabilityLost(cause: cause))
        }
    }

    /// Moves the state out, which is idle until it is set again.
    private mutating func take() -> State {
        var taken = State.idle
        swap(&taken, &state)
        return taken
    }

    private mutating func endWithoutCommit(_ waiter: Waiter) -> EndAction {
        switch state {
        case .collecting: _ = awaitTip(waiter); return .takeGroup
        case .idle, .syncing, .syncingAndCollecting: return awaitTip(waiter)
        // The body has not failed, so the version that it started from is published.
        case .latched: return .deliverNow
        }
    }

    /// Keeps the waiter until the newest collected version is durable, like that of a body without
    /// a commit. `.deliverNow` if it is durable already.
    package mutating func awaitTip(_ waiter: Waiter) -> EndAction {
        switch take() {
        case .idle:
            return .deliverNow
        case .collecting(var gathering):
            gathering.outcomes.append(waiter, committed: false)
            state = .collecting(gathering)
            return .wait
        case .syncing(var flight):
            flight.outcomes.append(waiter, committed: false)
            state = .syncing(flight)
            return .wait
        case .syncingAndCollecting(let flight, var gathering):
            gathering.outcomes.append(waiter, committed: false)
            state = .syncingAndCollecting(flight, gathering)
            return .wait
        case .latched(let cause, let flight):
            state = .latched(cause: cause, flight)
            return .fail(.durabilityLost(cause: cause))
        }
    }

    /// Seals the collected commits as the group in flight.
    package mutating func takeGroup() -> Group {
        precondition(body == .none, "A group was sealed while a transaction body was running")
        guard case .collecting(let gathering) = take() else {
            preconditionFailure("A group was sealed that the pipeline had not offered")
        }
        state = .syncing(Flight(version: gathering.version, outcomes: gathering.outcomes))
        return Group(version: gathering.version, commitCount: gathering.commitCount)
    }

    /// The sync of the group has returned: publish it, resume its waiters, and continue.
    package mutating func groupSynced() -> Synced {
        switch take() {
        case .syncing(let flight):
            return flight.synced(next: .none)
        case .syncingAndCollecting(let flight, let gathering):
            state = .collecting(gathering)
            return flight.synced(next: body == .none ? .takeGroup : .whenBodyEnds)
        case .latched(let cause, .some(let flight)):
            state = .latched(cause: cause, nil)
            return flight.synced(next: .none)
        case .idle, .collecting, .latched(_, nil):
            preconditionFailure("A group was synced that was not in flight")
        }
    }
}

extension CommitPipeline.Gathering {
    fileprivate mutating func add(_ commit: Version, _ waiter: Waiter) {
        precondition(commit >= version, "Versions are collected in ascending order")
        version = commit
        commitCount += 1
        outcomes.append(waiter, committed: true)
    }
}

extension CommitPipeline.Flight {
    fileprivate func synced(next: CommitPipeline.Next) -> CommitPipeline.Synced {
        CommitPipeline.Synced(version: version, waiters: outcomes.waiters, next: next)
    }
}
