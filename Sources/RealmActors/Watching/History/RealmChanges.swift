import Storage

/// Every commit of a realm, one by one, in their order: never coalesced, and none left out.
///
/// Every iterator is a subscription of its own, from `makeAsyncIterator()` until it is released,
/// its task is cancelled or the realm closes. It reads commits from the log at the pace of its
/// consumer: while that is busy or waits, the iterator holds no version of the realm and only a
/// position in the log, which is kept for it up to 256 MiB, and on a full disk only where the
/// history is `.keep`.
///
/// The stream throws ``RealmError/historyTrimmed(oldest:)`` when the log no longer has what came
/// after the token, or what the iterator has yet to read, ``RealmError/invalidChangeToken(_:)`` for
/// a token of another store, and what the disk reports.
public struct RealmChanges: AsyncSequence, Sendable {
    /// What the stream delivers.
    public typealias Element = RealmCommit
    /// What the stream fails with.
    public typealias Failure = RealmError
    /// Delivers the commits of one subscription.
    public typealias AsyncIterator = ChangeStream<RealmCommit>.AsyncIterator

    private let store: RealmStore
    private let token: ChangeToken?
    private let span: HistorySpan

    init(_ store: RealmStore, since token: ChangeToken?, _ span: HistorySpan) {
        self.store = store
        self.token = token
        self.span = span
    }

    /// Subscribes; without a token, to the commits from here on.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: HistorySubscription(store, since: token, span))
    }
}

extension Realm {
    /// Every commit after a token, and then every new one as it becomes durable; without a token
    /// those from the subscription on.
    ///
    ///     for try await commit in realm.commits(since: saved) {
    ///         for dog in commit.insertions(of: Dog.self) { upload(dog.values) }
    ///         saved = commit.token
    ///     }
    ///
    /// Commits come straight from the log, also those of earlier launches;
    /// ``Configuration/history`` decides how far it goes back. A realm in memory has them where
    /// that says to keep them; otherwise the stream throws. One that was opened read-only has those
    /// that its writer keeps, whose log it cannot hold: what another process removes is
    /// ``RealmError/historyTrimmed(oldest:)``.
    public func commits(since token: ChangeToken? = nil) -> RealmChanges {
        RealmChanges(store, since: token, .following)
    }

    /// Every commit after a token that the log has now, and then the end; without a token, from the
    /// oldest on that the log still has.
    ///
    ///     for try await commit in realm.pastCommits() { print(commit) }
    ///
    /// Otherwise as ``commits(since:)``.
    public func pastCommits(since token: ChangeToken? = nil) -> RealmChanges {
        RealmChanges(store, since: token, .past)
    }
}
