import Synchronization

/// Identifies a change stream to a write that is not to notify it, see
/// ``Realm/write(author:silencing:fileID:line:_:)->_``. The same for every iterator and every copy
/// of the stream.
public struct ChangeStreamToken: Sendable, Hashable {
    private let number: UInt64
    /// The hub that notifies the stream of commits.
    let hub: CommitHubID

    private static let newest = Atomic<UInt64>(0)

    /// A token that no other stream has.
    init(_ hub: CommitHubID) {
        number = Self.newest.wrappingAdd(1, ordering: .relaxed).newValue
        self.hub = hub
    }
}

/// Distinguishes one hub from every other of this process.
struct CommitHubID: Sendable, Hashable {
    private let number: UInt64

    private static let newest = Atomic<UInt64>(0)

    /// One that no other hub has.
    init() { number = Self.newest.wrappingAdd(1, ordering: .relaxed).newValue }
}
