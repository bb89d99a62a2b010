import Storage

/// A subscriber that needs the state of the realm at a commit, and not only what the commit
/// touched.
protocol MomentSubscriber<Moment>: CommitSubscriber {
    associatedtype Moment: Sendable
    /// The token by which a write excludes the subscriber.
    var token: ChangeStreamToken { get }

    /// A commit that led to `moment` has become visible: called instead of
    /// ``CommitSubscriber/committed(_:)`` for subscribers that receive every version.
    ///
    /// Without `changes`, the moment is that of the commits that were delivered without one.
    func committed(_ changes: ChangeSet?, at moment: Moment) -> CommitWaking?

    /// A commit that is not to be reported has become visible: it leads from one moment to the
    /// next.
    ///
    /// The commit is not reported, but the next element is compared with `after`. Commits before it
    /// that are not delivered yet become an element of their own.
    func silenced(_ changes: ChangeSet, before: Moment, after: Moment) -> CommitWaking?
}

extension CommitHub {
    /// The tokens of the streams that a commit does not notify; nil if it notifies all.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for a token of another realm's stream, which the
    ///   commit would not reach anyway.
    func silence(
        _ tokens: [ChangeStreamToken]
    ) throws(RealmError) -> Set<ChangeStreamToken>? {
        if tokens.isEmpty { return nil }
        guard tokens.allSatisfy({ $0.hub == id }) else {
            throw .invalidValue(
                "A write can silence change streams of its own realm, and this token is one of "
                    + "another realm, or of this one before it was closed and opened again. Give "
                    + "the token of a stream that this realm's objects or results have made.")
        }
        return Set(tokens)
    }
}
