/// How a change stream buffers commits that its consumer has not requested yet.
public enum ChangeBuffering: Sendable, Hashable {
    /// Commits are coalesced without loss: the consumer gets one element for all of them. The
    /// memory of a waiting stream is bounded, and it holds no version of the realm, except for
    /// silenced writes, which are never coalesced with others.
    case latest
    /// Each commit is delivered separately, even if several became durable together: one element
    /// for every version since the subscription that changed what is watched.
    ///
    /// The stream holds the versions that its consumer has not requested yet, and no other. When
    /// there are more than `bufferLimit` of them, it stops collecting, delivers those that it has
    /// and then throws ``RealmError/streamOverflow(bufferLimit:)``. A limit below 1 counts as 1.
    /// Every commit that touches the watched classes counts, also if it turns out to change nothing
    /// that is watched. In the stream of an object without key paths across links, and in that of a
    /// list, set or map of values, those count that touch the object.
    case everyVersion(bufferLimit: Int)

    var limit: Int? {
        switch self {
        case .latest: nil
        case .everyVersion(let bufferLimit): max(bufferLimit, 1)
        }
    }
}
