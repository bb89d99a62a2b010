import Storage

/// Who is told of commits by a ``CommitHub``.
///
/// The hub calls with its lock held, on the thread that publishes: an implementation takes note and
/// wakes whoever waits. It must not call the hub, block, or do work that grows with the data.
protocol CommitSubscriber: AnyObject, Sendable {
    /// What the subscriber wants to hear of. Constant while it is subscribed.
    var interest: CommitInterest { get }
    /// A commit that touches what the subscriber watches has become visible.
    func committed(_ changes: ChangeSet)
    /// Nothing will come any more: the realm was closed (nil) or has failed.
    func ended(_ error: RealmError?)
}

/// Which commits a subscriber wants to hear of.
enum CommitInterest: Sendable, Equatable {
    /// Those that touch one of these classes.
    case classes(Set<ClassID>)
    case everything
}
