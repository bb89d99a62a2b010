import Storage

/// The changes of what is watched, as they become visible.
///
/// Every iterator is a separate subscription, from `makeAsyncIterator()` until it is released, its
/// task is cancelled or the stream ends. Elements are computed when the consumer requests them, off
/// its actor: a slow consumer gets fewer, larger changes, and holds no version of the realm while
/// it waits. ``buffering(_:)`` selects another policy.
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
    /// What the stream fails with.
    public typealias Failure = RealmError

    /// Identifies the stream to a write that is not to notify it.
    ///
    /// Reading the token of an object's stream subscribes it, and its first iterator takes over the
    /// subscription: a write before that is silenced, too.
    public var token: ChangeStreamToken {
        first.begin(subscribedEarly)
        return name
    }

    private let name: ChangeStreamToken
    private var first = FirstSubscription<Element>()
    private var buffering = ChangeBuffering.latest
    let hub: CommitHub<Snapshot>
    let producer: any ChangeProducer<Snapshot, Element>

    /// A stream of the elements of a producer. If making the producer fails, the stream throws that
    /// error.
    init(
        _ hub: CommitHub<Snapshot>,
        _ producer: () throws(RealmError) -> any ChangeProducer<Snapshot, Element>
    ) {
        self.hub = hub
        name = ChangeStreamToken(hub.id)
        do throws(RealmError) {
            self.producer = try producer()
        } catch {
            self.producer = FailedProducer(failure: error)
        }
    }

    /// A stream that throws `error`, for objects and collections that are in no store.
    init(failing error: RealmError) {
        self.init(CommitHub(latest: { nil }, at: { _ in nil })) { () throws(RealmError) in
            throw error
        }
    }

    /// Subscribes: no later commit is missed. May be called from any isolation, also inside a
    /// write. The stream throws ``RealmError/invalidObject(_:)`` for an object that was frozen in
    /// that write after the write created or changed it, and for a collection that the write
    /// created.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscribe()) }

    func subscribe() -> any ChangeSubscription<Element> { first.take() ?? subscribe(producer) }

    /// A subscription that begins before the first iterator, for a stream that starts from an
    /// earlier version; nil if it would have no effect.
    private func subscribedEarly() -> (any ChangeSubscription<Element>)? {
        guard let (moment, isOpen) = hub.capture({ $0 }), isOpen, producer.startsBefore(moment)
        else { return nil }
        return subscribe(producer)
    }

    private func subscribe<Producer: ChangeProducer<Snapshot, Element>>(
        _ producer: Producer
    ) -> any ChangeSubscription<Element> {
        ChangeStreamSubscription(
            hub: hub, producer: producer, token: name, buffering: buffering)
    }

    /// The same stream, with the same token, but another policy for commits that its consumer has
    /// not requested yet. If reading ``token`` is to subscribe, read that of the returned stream.
    ///
    ///     for try await change in stream.buffering(.everyVersion(bufferLimit: 100)) { ... }
    public func buffering(_ buffering: ChangeBuffering) -> Self {
        var stream = self
        stream.buffering = buffering
        stream.first = FirstSubscription()
        return stream
    }

    /// Delivers the elements of one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What the stream fails with.
        public typealias Failure = RealmError

        let subscription: any ChangeSubscription<Element>

        /// The next element; nil once the task was cancelled, the realm was closed, or the watched
        /// object or collection was deleted.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RealmError) -> Element? {
            try await subscription.next()
        }

        /// The next element; nil at the end.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next() async throws(RealmError) -> Element? {
            try await subscription.next()
        }
    }
}
