import Storage

/// A subscriber to which it matters what the realm was like at a commit, and not only what that
/// touched.
protocol MomentSubscriber<Moment>: CommitSubscriber {
    associatedtype Moment: Sendable
    /// Whom a write names that is to be kept from it.
    var token: ChangeStreamToken { get }

    /// A commit has become visible, and led to `moment`: reported instead of
    /// ``CommitSubscriber/committed(_:)`` to those who ask for every version.
    ///
    /// Without `changes`, the moment is that of the commits that were delivered without one.
    func committed(_ changes: ChangeSet?, at moment: Moment) -> CommitWaking?

    /// A commit that is not to be reported has become visible: it leads from one moment to the
    /// next.
    ///
    /// The commit changes what the stream compares with and is not reported: the next element says
    /// what came after it. A commit before it that has not been delivered yet is delivered by
    /// itself.
    func silenced(_ changes: ChangeSet, before: Moment, after: Moment) -> CommitWaking?
}

extension CommitHub {
    /// What a commit of which the streams that `tokens` name are not notified has with it.
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

/// One commit that becomes visible, reported to one subscriber after another.
struct CommitTelling<Moment: Sendable> {
    /// Which streams are not notified of a commit, and the moments before and after it.
    struct Silence {
        let tokens: Set<ChangeStreamToken>
        let before: Moment
        let after: Moment
    }

    let changes: ChangeSet
    var silence: Silence?
    /// What the commit led to, for those who ask for every version; nil when that was not kept
    /// because nobody did when it was made.
    var moment: Moment?

    var hasMoments: Bool { moment != nil || silence != nil }

    /// Notifies a subscriber of the commit in the way that it asks for. Those who miss the moment
    /// are noted in `early`.
    func tell(
        _ subscriber: any CommitSubscriber,
        early: inout [ObjectIdentifier: any MomentSubscriber<Moment>]
    ) -> CommitWaking? {
        if silence == nil, !subscriber.hearsEveryVersion { return subscriber.committed(changes) }
        guard let subscriber = subscriber as? any MomentSubscriber<Moment> else {
            return subscriber.committed(changes)
        }
        if let silence, silence.tokens.contains(subscriber.token) {
            return subscriber.silenced(changes, before: silence.before, after: silence.after)
        }
        guard subscriber.hearsEveryVersion else { return subscriber.committed(changes) }
        early[ObjectIdentifier(subscriber)] = moment == nil ? subscriber : nil
        return moment.map { subscriber.committed(changes, at: $0) } ?? subscriber.committed(changes)
    }
}
