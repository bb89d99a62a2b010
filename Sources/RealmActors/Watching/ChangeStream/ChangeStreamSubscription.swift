/// What an iterator of a change stream holds: the subscription lives exactly as long.
final class ChangeStreamSubscription<Producer: ChangeProducer>: Sendable {
    let storage: ChangeStreamStorage<Producer>

    /// Subscribes to the hub.
    init(
        hub: CommitHub<Producer.Moment>, producer: sending Producer, token: ChangeStreamToken,
        buffering: ChangeBuffering = .latest
    ) {
        storage = ChangeStreamStorage(
            hub: hub, producer: producer, token: token, buffering: buffering)
        storage.start()
    }

    deinit { storage.finish() }
}
