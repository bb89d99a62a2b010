import Storage

/// The changes of a collection, as they become visible.
///
/// Every iterator is a subscription of its own, from `makeAsyncIterator()` until it is dropped, its
/// task is cancelled or the stream ends. Elements are made when the consumer asks, off its actor: a
/// slow consumer gets fewer, larger changes, and holds no version of the realm while it waits;
/// ``buffering(_:)`` has another way.
public struct CollectionChanges<C: ObservedCollection>: AsyncSequence, Sendable {
    /// What the stream delivers.
    public typealias Element = CollectionChange<C>
    /// What the stream fails with.
    public typealias Failure = RealmError

    /// Names the stream to a write that does not notify it.
    public let token: ChangeStreamToken
    private var buffering = ChangeBuffering.latest
    let hub: CommitHub<Snapshot>
    let producer: CollectionProducer<C>

    init(hub: CommitHub<Snapshot>, producer: CollectionProducer<C>) {
        self.hub = hub
        token = ChangeStreamToken(hub.id)
        self.producer = producer
    }

    /// Subscribes; commits from here on are not missed. Works anywhere, inside a write too.
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
        public typealias Element = CollectionChange<C>
        /// What the stream fails with.
        public typealias Failure = RealmError

        let subscription: ChangeStreamSubscription<CollectionProducer<C>>

        /// The next change; nil once the task was cancelled, the realm closed, or what is watched
        /// is gone for good.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RealmError) -> CollectionChange<C>? {
            try await subscription.storage.next()
        }

        /// The next change; nil at the end.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next() async throws(RealmError) -> CollectionChange<C>? {
            try await subscription.storage.next()
        }
    }
}
