/// Group commit as a pure state machine: no threads, no clocks, no disk.
///
/// Transaction bodies run one after another. While the group before them is on its way to the disk
/// they run on top of a version that is not durable yet, and their commits are collected in memory
/// as the next group; it is sealed and handed on only after the sync of the group before it has
/// returned. Three rules hold at every step:
///
/// - *Nothing undurable leaks.* The outcome of a body, also of one that threw or changed nothing,
///   is delivered only when the version it started from is durable.
/// - *A failure latches.* After a failed write or sync nothing is handed to the disk again. What
///   was handed to it has an unknown outcome, everything collected behind it is lost.
/// - *A refusal does not.* When there was no space to claim, or no descriptor to open a file with,
///   or another host was first, nothing was written: the group and what was built on top of it
///   fail, and the next body starts from the published version. So it does where a shared log has
///   not told whether it took the group.
///
/// The caller owns the bytes of the groups and the roots of the trees. `Waiter` is whatever resumes
/// the caller of a body.
package struct CommitPipeline<Waiter> {
    /// What is collected and what is on its way.
    enum State {
        /// The tip is published: nothing is collected, nothing is in flight.
        case idle
        /// Commits wait to be sealed, and nothing is in flight.
        case collecting(Gathering)
        /// A group is at the disk, and nothing was committed since.
        case syncing(Flight)
        /// A group is at the disk, and commits are collected for the next one.
        case syncingAndCollecting(Flight, Gathering)
        /// The store no longer writes. The group that was at the disk when something else failed
        /// may still come back.
        case latched(cause: StorageError, Flight?)
    }

    /// Whether a body is running, and whether its work can still become a commit.
    enum Body: Equatable {
        /// No body is running.
        case none
        /// A body is running.
        case open
        /// A body is running on top of a version that is gone: it will end with this error.
        case doomed(StorageError)
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

    /// A group that was handed to the disk.
    struct Flight {
        var version: Version
        var outcomes: Outcomes
    }

    /// The waiters of a group in the order of their arrival, and which of them committed something.
    struct Outcomes {
        private(set) var waiters: [Waiter] = []
        /// The places of those that committed nothing, ascending: as a rule none.
        private(set) var others: [Int] = []

        mutating func append(_ waiter: Waiter, committed isCommit: Bool) {
            if !isCommit { others.append(waiters.count) }
            waiters.append(waiter)
        }
    }

    /// What to do when a body has ended.
    package enum EndAction: Equatable, Sendable {
        /// Keep the outcome: the waiter comes back from `groupSynced` or `groupFailed`.
        case wait
        /// As `wait`, and nothing is in flight: call `takeGroup` now.
        case takeGroup
        /// Everything the body saw is durable and it committed nothing: deliver its outcome now.
        /// The waiter was not kept.
        case deliverNow
        /// The version under the body is gone, or the store stopped writing: the body's outcome is
        /// this error, its changes are to be dropped. The waiter was not kept.
        case fail(StorageError)
    }

    /// A group to hand to the disk.
    package struct Group: Equatable, Sendable {
        /// The version that the group makes durable.
        package var version: Version
        /// How many commits are in it.
        package var commitCount: Int
    }

    /// What to do when a group is durable: publish its tree, then resume the waiters.
    package struct Synced {
        package var version: Version
        /// In the order of their arrival; also those that committed nothing.
        package var waiters: [Waiter]
        package var next: Next
    }

    /// Whether there is another group to seal.
    package enum Next: Equatable, Sendable {
        /// Nothing was committed meanwhile.
        case none
        /// Call `takeGroup` now.
        case takeGroup
        /// Commits are collected, but a body is running on top of them: `endBody` will say.
        case whenBodyEnds
    }

    /// A waiter whose outcome is an error.
    package struct Failed {
        package var waiter: Waiter
        package var error: StorageError
    }
}
