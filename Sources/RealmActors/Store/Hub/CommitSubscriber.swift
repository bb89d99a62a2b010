import Storage

/// A subscriber that a ``CommitHub`` notifies of commits.
///
/// The hub calls ``committed(_:)`` with its lock held, on the thread that publishes: an
/// implementation notes the commit and returns what wakes its consumer. It must not call the hub,
/// block, resume a task, or do work that grows with the data.
///
/// Waking comes after the lock, because resuming a task takes the lock of that task's status, under
/// which a task that is being cancelled unsubscribes: each would wait for the other.
protocol CommitSubscriber: AnyObject, Sendable {
    /// What the subscriber is to be notified of. Constant while it is subscribed.
    var interest: CommitInterest { get }
    /// Whether each version is reported separately, with its moment. Constant.
    var receivesEveryVersion: Bool { get }
    /// A commit that touches what the subscriber watches has become visible. Returns what wakes its
    /// consumer; nil when that does not wait.
    func committed(_ changes: ChangeSet) -> CommitWaking?
    /// The elements that its consumer has not requested; nil when it keeps none.
    var backlog: StreamBacklog? { get }
    /// There will be no more commits: the realm was closed (nil) or has failed.
    func ended(_ error: RealmError?)
}

extension CommitSubscriber {
    var receivesEveryVersion: Bool { false }
    var backlog: StreamBacklog? { nil }
}

/// The elements that a stream keeps for its consumer.
struct StreamBacklog: Sendable, Equatable {
    /// How many elements are due.
    var due: Int
    /// How often the consumer has taken what was due.
    var taken: Int
}

/// Which commits a subscriber is to be notified of.
enum CommitInterest: Sendable, Equatable {
    /// Those that touch one of these classes.
    case classes(Set<ClassID>)
    /// Those that create, delete or write this row.
    case row(RowKey, of: ClassID)
    case everything

    /// The only row that matters; nil for all rows.
    var row: RowKey? { if case .row(let key, _) = self { key } else { nil } }
}

/// Wakes the consumer of a subscription. Called once, without a lock held.
typealias CommitWaking = @Sendable () -> Void
