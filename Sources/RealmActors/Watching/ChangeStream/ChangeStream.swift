import Storage

/// The changes of what is watched, as they become visible.
///
/// Every iterator is a subscription of its own, from `makeAsyncIterator()` until it is dropped, its
/// task is cancelled or the stream ends. Elements are made when the consumer asks, off its actor: a
/// slow consumer gets fewer, larger changes, and holds no version of the realm while it waits;
/// ``buffering(_:)`` has another way.
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
    /// What the stream fails with.
    public typealias Failure = RealmError

    /// Names the stream to a write that does not notify it.
    ///
    /// The stream of an object is subscribed when it is asked for this, and its first iterator
    /// takes the subscription over: a write that comes before that is silenced too.
    public var token: ChangeStreamToken {
        first.begin(subscribedEarly)
        return name
    }

    private let name: ChangeStreamToken
    private var first = FirstSubscription<Element>()
    private var buffering = ChangeBuffering.latest
    let hub: CommitHub<Snapshot>
    let producer: any ChangeProducer<Snapshot, Element>

    /// A stream of what a producer makes. Where there can be none, the stream throws why.
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

    /// A stream that throws, of what is in no store.
    init(failing error: RealmError) {
        self.init(CommitHub(latest: { nil }, at: { _ in nil })) { () throws(RealmError) in
            throw error
        }
    }

    /// Subscribes; commits from here on are not missed. Works anywhere, inside a write too, but for
    /// an object in the state that this write has given it, and collections that it has made, with
    /// their object or within a value: there the stream throws ``RealmError/invalidObject(_:)``.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscribe()) }

    func subscribe() -> any ChangeSubscription<Element> { first.take() ?? subscribe(producer) }

    /// The subscription of a stream that reports what came before it; nil where it is of no use.
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

    /// The same stream, with the same token, that does otherwise with commits which its consumer
    /// has not asked for yet. Ask this one for the token, where that is to subscribe.
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

        /// The next element; nil once the task was cancelled, the realm was closed, or what is
        /// watched is gone for good.
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
