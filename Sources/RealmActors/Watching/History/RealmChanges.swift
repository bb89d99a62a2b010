import Storage

/// Every commit of a realm, one by one, in their order: never coalesced, and none left out.
///
/// Every iterator is a separate subscription, from `makeAsyncIterator()` until it is released, its
/// task is cancelled or the realm closes. It reads commits from the log at the pace of its
/// consumer. Meanwhile it holds no version of the realm, only a position in the log. The log is
/// retained for it up to 256 MiB; on a full disk, only if the history is `.keep`.
///
/// The stream throws ``RealmError/historyTrimmed(oldest:)`` when the log no longer has the commits
/// after the token, or those that the iterator has yet to read,
/// ``RealmError/invalidChangeToken(_:)`` for a token of another store, and errors of the disk.
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
    /// Every commit after a token, and then every new one as it becomes durable; without a token,
    /// every commit after the subscription.
    ///
    ///     for try await commit in realm.commits(since: saved) {
    ///         for dog in commit.insertions(of: Dog.self) { upload(dog.values) }
    ///         saved = commit.token
    ///     }
    ///
    /// Commits are read from the log, including those of earlier launches;
    /// ``Configuration/history`` decides how far it reaches back. In a realm in memory the stream
    /// throws unless the history is `.keep`. A realm that was opened read-only cannot retain the
    /// log of the writing process: it throws ``RealmError/historyTrimmed(oldest:)`` for commits
    /// that this process has removed.
    public func commits(since token: ChangeToken? = nil) -> RealmChanges {
        RealmChanges(store, since: token, .following)
    }

    /// Every commit in the log after a token, and then the end of the stream; without a token, from
    /// the oldest commit in the log.
    ///
    ///     for try await commit in realm.pastCommits() { print(commit) }
    ///
    /// Otherwise as ``commits(since:)``.
    public func pastCommits(since token: ChangeToken? = nil) -> RealmChanges {
        RealmChanges(store, since: token, .past)
    }
}
