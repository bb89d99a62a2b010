import Storage

/// The changes of one object, as they become visible.
///
/// Every iterator is a subscription of its own, from `makeAsyncIterator()` until it is dropped, its
/// task is cancelled or the object is deleted. It starts from the version of the object that it was
/// asked of: nothing between fetching and watching is lost. A slow consumer gets fewer, larger
/// changes, and holds no version of the realm while it waits; ``buffering(_:)`` has another way.
public struct ObjectChanges<T: ObjectBase>: AsyncSequence, Sendable {
    /// What the stream delivers.
    public typealias Element = ObjectChange<T>
    /// What the stream fails with.
    public typealias Failure = RealmError

    /// Names the stream to a write that does not notify it.
    public let token: ChangeStreamToken
    private var buffering = ChangeBuffering.latest
    let hub: CommitHub<Snapshot>
    let producer: ObjectProducer<T>

    init(hub: CommitHub<Snapshot>, producer: ObjectProducer<T>) {
        self.hub = hub
        token = ChangeStreamToken(hub.id)
        self.producer = producer
    }

    /// Subscribes; commits from here on are not missed. Inside the write that the object's state is
    /// of, which may never come to be, the stream throws ``RealmError/invalidObject(_:)``.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            subscription: ChangeStreamSubscription(
                hub: hub, producer: producer, token: token, buffering: buffering))
    }

    /// The same stream, with the same token, that does otherwise with commits which its consumer
    /// has not asked for yet.
    ///
    ///     for try await change in stream.buffering(.everyVersion(bufferLimit: 100)) { ... }
    public func buffering(_ buffering: ChangeBuffering) -> Self {
        var stream = self
        stream.buffering = buffering
        return stream
    }

    /// Delivers the changes of one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What the stream delivers.
        public typealias Element = ObjectChange<T>
        /// What the stream fails with.
        public typealias Failure = RealmError

        let subscription: ChangeStreamSubscription<ObjectProducer<T>>

        /// The next change; nil after the object was deleted, the task was cancelled or the realm
        /// was closed.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RealmError) -> ObjectChange<T>? {
            try await subscription.storage.next()
        }

        /// The next change; nil at the end.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next() async throws(RealmError) -> ObjectChange<T>? {
            try await subscription.storage.next()
        }
    }
}
