/// Group commit as a pure state machine: no threads, no clocks, no disk.
///
/// Transaction bodies run one after another. While the previous group is being written, they run on
/// top of a version that is not durable yet, and their commits are collected in memory as the next
/// group; it is sealed and submitted only after the sync of the previous group has returned. Three
/// rules hold at every step:
///
/// - *Nothing undurable leaks.* The outcome of a body, also of one that threw or changed nothing,
///   is delivered only when the version it started from is durable.
/// - *A failure latches.* After a failed write or sync nothing is submitted to the disk again. The
///   outcome of the submitted group is unknown, and everything collected after it is lost.
/// - *A refusal does not.* If space or descriptors were lacking, or another host was first, nothing
///   was written: the group and the commits on top of it fail, and the next body starts from the
///   published version. Likewise if the outcome of an append to a shared log is unknown.
///
/// The caller owns the bytes of the groups and the roots of the trees. `Waiter` is whatever resumes
/// the caller of a body.
package struct CommitPipeline<Waiter> {
    /// The collected group and the one in flight.
    enum State {
        /// The tip is published: nothing is collected, nothing is in flight.
        case idle
        /// Commits wait to be sealed, and nothing is in flight.
        case collecting(Gathering)
        /// A group is at the disk, and nothing was committed since.
        case syncing(Flight)
        /// A group is at the disk, and commits are collected for the next one.
        case syncingAndCollecting(Flight, Gathering)
        /// The store no longer writes. The group that was in flight during another failure may
        /// still complete.
        case latched(cause: StorageError, Flight?)
    }

    /// Whether a body is running, and whether its work can still become a commit.
    enum Body: Equatable {
        /// No body is running.
        case none
        /// A body is running.
        case open
        /// A body is running on top of a version that was lost: it will end with this error.
        case failed(StorageError)
    }

    var state = State.idle
    var body = Body.none

    package init() {}
}

extension CommitPipeline {
    /// A group in memory that has not been sealed.
    struct Gathering {
        var version: Version
        var commitCount = 0
        var outcomes = Outcomes()
    }

    /// A group that was submitted to the disk.
    struct Flight {
        var version: Version
        var outcomes: Outcomes
    }

    /// The waiters of a group in the order of their arrival, and which of them have committed.
    struct Outcomes {
        private(set) var waiters: [Waiter] = []
        /// The indexes of those without a commit, ascending: usually none.
        private(set) var others: [Int] = []

        mutating func append(_ waiter: Waiter, committed isCommit: Bool) {
            if !isCommit { others.append(waiters.count) }
            waiters.append(waiter)
        }
    }

    /// What to do when a body has ended.
    package enum EndAction: Equatable, Sendable {
        /// Keep the outcome: the waiter is returned by `groupSynced` or `groupFailed`.
        case wait
        /// As `wait`, and nothing is in flight: call `takeGroup` now.
        case takeGroup
        /// Everything that the body has read is durable, and it has no commit: deliver its outcome
        /// now. The waiter was not kept.
        case deliverNow
        /// The version under the body was lost, or the store has stopped writing: the body fails
        /// with this error, and its changes must be rolled back. The waiter was not kept.
        case fail(StorageError)
    }

    /// A group to submit to the disk.
    package struct Group: Equatable, Sendable {
        /// The version that the group makes durable.
        package var version: Version
        /// How many commits are in it.
        package var commitCount: Int
    }

    /// What to do when a group is durable: publish its tree, then resume the waiters.
    package struct Synced {
        package var version: Version
        /// In the order of their arrival; including those without a commit.
        package var waiters: [Waiter]
        package var next: Next
    }

    /// Whether there is another group to seal.
    package enum Next: Equatable, Sendable {
        /// Nothing was committed meanwhile.
        case none
        /// Call `takeGroup` now.
        case takeGroup
        /// Commits are collected, but a body is running on top of them: its `endBody` decides.
        case whenBodyEnds
    }

    /// A waiter whose outcome is an error.
    package struct Failed {
        package var waiter: Waiter
        package var error: StorageError
    }
}
