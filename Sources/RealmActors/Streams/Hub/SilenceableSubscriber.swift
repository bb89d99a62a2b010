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
    /// Runs what makes a commit durable, of which the streams that `tokens` name are not told. It
    /// must be published by itself. Without a commit nothing is kept from anybody.
    func silencing(
        _ tokens: [ChangeStreamToken], at commit: Storage.Version?,
        isolation: isolated (any Actor)? = #isolation, _ makeDurable: () async throws -> Void
    ) async throws {
        guard !tokens.isEmpty, let commit else { return try await makeDurable() }
        silence(Set(tokens), at: commit)
        do {
            try await makeDurable()
        } catch {
            unsilence(commit)
            throw error
        }
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
