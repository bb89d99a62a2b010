import Storage

/// A subscriber that a write can keep its commit from.
///
/// The commit changes what the stream compares with and is not told: the next element says what
/// came after it. A commit before it that has not been told yet is told by itself.
protocol SilenceableSubscriber<Moment>: CommitSubscriber {
    associatedtype Moment: Sendable
    /// Whom the write names.
    var token: ChangeStreamToken { get }
    /// A commit that is not to be told has become visible: it leads from one moment to the next.
    /// Called as ``CommitSubscriber/committed(_:)`` is.
    func silenced(_ changes: ChangeSet, before: Moment, after: Moment) -> CommitWaking?
}

extension CommitHub {
    /// What a commit of which the streams that `tokens` name are not told has with it.
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

/// Which streams are not told of a commit, and the moments before and after it.
struct Silence<Moment: Sendable>: Sendable {
    let tokens: Set<ChangeStreamToken>
    let before: Moment
    let after: Moment

    /// Tells a subscriber of a commit in the way that it is to hear of it.
    func tell(_ subscriber: any CommitSubscriber, _ changes: ChangeSet) -> CommitWaking? {
        if let quiet = subscriber as? any SilenceableSubscriber<Moment>,
            tokens.contains(quiet.token)
        {
            return quiet.silenced(changes, before: before, after: after)
        }
        return subscriber.committed(changes)
    }
}
