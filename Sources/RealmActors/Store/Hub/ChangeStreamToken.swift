import Synchronization

/// Names a change stream to a write that does not notify the stream, see
/// ``Realm/write(author:silencing:fileID:line:_:)->_``. The same for every iterator and every copy
/// of the stream.
public struct ChangeStreamToken: Sendable, Hashable {
    private let number: UInt64
    /// Where its stream is notified of commits.
    let hub: CommitHubID

    private static let newest = Atomic<UInt64>(0)

    /// A token that no other stream has.
    init(_ hub: CommitHubID) {
        number = Self.newest.wrappingAdd(1, ordering: .relaxed).newValue
        self.hub = hub
    }
}

/// Tells one hub from every other of this process.
struct CommitHubID: Sendable, Hashable {
    private let number: UInt64

    private static let newest = Atomic<UInt64>(0)

    /// One that no other hub has.
    init() { number = Self.newest.wrappingAdd(1, ordering: .relaxed).newValue }
}
