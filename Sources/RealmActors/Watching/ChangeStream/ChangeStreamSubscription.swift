/// A subscription, which lives exactly as long as the iterator that holds it.
protocol ChangeSubscription<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// The next element; nil at the end. Runs off the caller's actor.
    @concurrent func next() async throws(RealmError) -> Element?

    /// Ends the subscription at once; a consumer that waits gets the end of the stream.
    func finish()
}

/// The subscription of a ``ChangeStream``, whose storage the hub holds as well.
final class ChangeStreamSubscription<Producer: ChangeProducer>: ChangeSubscription {
    let storage: ChangeStreamStorage<Producer>

    /// Subscribes to the hub.
    init(
        hub: CommitHub<Producer.Moment>, producer: Producer, token: ChangeStreamToken,
        buffering: ChangeBuffering = .latest
    ) {
        storage = ChangeStreamStorage(
            hub: hub, producer: producer, token: token, buffering: buffering)
        storage.start()
    }

    deinit { storage.finish() }

    @concurrent func next() async throws(RealmError) -> Producer.Element? {
        try await storage.next()
    }

    func finish() { storage.finish() }
}
