/// What becomes of commits that a change stream's consumer has not asked for yet.
public enum ChangeBuffering: Sendable, Hashable {
    /// They are merged, exactly: the consumer gets one element for all of them. What the stream
    /// keeps while it waits is bounded, and no version of the realm is kept for it, but for writes
    /// that are silenced: those are never merged with others.
    case latest
    /// Each is delivered by itself, also those that became durable together: one element for every
    /// version that changed what is watched, from the subscription on.
    ///
    /// The stream keeps the versions that its consumer has yet to ask for, and no other one. When
    /// there are more of them than `bufferLimit`, which is at least 1, it keeps no more: it tells
    /// those that it has and then throws ``RealmError/streamOverflow(bufferLimit:)``.
    case everyVersion(bufferLimit: Int)

    var limit: Int? {
        switch self {
        case .latest: nil
        case .everyVersion(let bufferLimit): max(bufferLimit, 1)
        }
    }
}
