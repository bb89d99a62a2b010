/// How a change stream buffers commits that its consumer has not requested yet.
public enum ChangeBuffering: Sendable, Hashable {
    /// They are coalesced, exactly: the consumer gets one element for all of them. What the stream
    /// keeps while it waits is bounded, and it holds no version of the realm, except for silenced
    /// writes, which are never coalesced with others.
    case latest
    /// Each is delivered separately, also those that became durable together: one element for every
    /// version that changed what is watched, from the subscription on.
    ///
    /// The stream holds the versions that its consumer has not requested yet, and no other. When
    /// there are more of them than `bufferLimit`, which is at least 1, it keeps no more: it
    /// delivers those that it has and then throws ``RealmError/streamOverflow(bufferLimit:)``.
    case everyVersion(bufferLimit: Int)

    var limit: Int? {
        switch self {
        case .latest: nil
        case .everyVersion(let bufferLimit): max(bufferLimit, 1)
        }
    }
}
