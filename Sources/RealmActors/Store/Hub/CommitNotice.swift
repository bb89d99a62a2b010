import Storage

/// One commit that becomes visible, reported to one subscriber after another.
struct CommitNotice<Moment: Sendable> {
    /// Which streams are not notified of a commit, and the moments before and after it.
    struct Silence {
        let tokens: Set<ChangeStreamToken>
        let before: Moment
        let after: Moment
    }

    let changes: ChangeSet
    var silence: Silence?
    /// The moment after the commit, for subscribers that receive every version; nil if there was no
    /// such subscriber when the commit was made.
    var moment: Moment?

    var hasMoments: Bool { moment != nil || silence != nil }

    /// Notifies a subscriber of the commit in the way that it needs. Subscribers for which there is
    /// no moment are added to `early`.
    func notify(
        _ subscriber: any CommitSubscriber,
        early: inout [ObjectIdentifier: any MomentSubscriber<Moment>]
    ) -> CommitWaking? {
        if silence == nil, !subscriber.receivesEveryVersion { return subscriber.committed(changes) }
        guard let subscriber = subscriber as? any MomentSubscriber<Moment> else {
            return subscriber.committed(changes)
        }
        if let silence, silence.tokens.contains(subscriber.token) {
            return subscriber.silenced(changes, before: silence.before, after: silence.after)
        }
        guard subscriber.receivesEveryVersion else { return subscriber.committed(changes) }
        early[ObjectIdentifier(subscriber)] = moment == nil ? subscriber : nil
        return moment.map { subscriber.committed(changes, at: $0) } ?? subscriber.committed(changes)
    }
}
