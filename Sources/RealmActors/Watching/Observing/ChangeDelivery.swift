import Storage
import Synchronization

/// An observation that goes on: what its token and the task that delivers have in common.
///
/// The task knows this and not the token, so that releasing the token ends the observation; it
/// knows the actor weakly, so that an actor may keep the token of what it observes.
final class ChangeDelivery: Sendable {
    private struct State {
        var isOver = false
        var failure: RealmError?
        /// Gives up the subscription.
        var finish: (@Sendable () -> Void)?
    }

    let stream: ChangeStreamToken
    private let state = Mutex(State())

    private init(_ hub: CommitHubID) { stream = ChangeStreamToken(hub) }

    var isOver: Bool { state.withLock { $0.isOver } }
    var failure: RealmError? { state.withLock { $0.failure } }

    /// Ends the observation. Its task, which waits for the stream, gets the stream's end.
    func end(_ failure: RealmError? = nil) {
        let finish = state.withLock { state in
            if !state.isOver { state.failure = failure }
            state.isOver = true
            defer { state.finish = nil }
            return state.finish
        }
        finish?()
    }

    /// Subscribes, and calls `block` on `actor` with each element, one after another. A task that
    /// was cancelled already gets a delivery that is over.
    ///
    /// - Throws: why there can be no such stream.
    static func start<Producer: ChangeProducer, A: Actor>(
        _ hub: CommitHub<Producer.Moment>, _ producer: Producer, on actor: A,
        _ block: @escaping @Sendable (isolated A, Producer.Element) async -> Void
    ) throws(RealmError) -> NotificationToken where Producer: Sendable {
        if let failure = producer.failure { throw failure }
        let delivery = ChangeDelivery(hub.id)
        let token = NotificationToken(delivery)
        if Task.isCancelled {
            delivery.end()
            return token
        }
        let subscription = ChangeStreamSubscription(
            hub: hub, producer: producer, token: delivery.stream)
        let storage = subscription.storage
        delivery.state.withLock { $0.finish = { storage.finish() } }
        Task { [weak actor] in
            do throws(RealmError) {
                while let element = try await subscription.storage.next() {
                    guard let actor, !delivery.isOver else { break }
                    await delivery.call(block, on: actor, element)
                }
                delivery.end()
            } catch {
                delivery.end(error)
            }
        }
        return token
    }

    /// Asks on the actor whether the observation goes on: it may have ended there just before.
    private func call<A: Actor, Element: Sendable>(
        _ block: @Sendable (isolated A, Element) async -> Void, on actor: isolated A,
        _ element: Element
    ) async {
        if !isOver { await block(actor, element) }
    }
}

extension ObjectChanges {
    /// Delivers the changes to an actor.
    func deliver<A: Actor>(
        on actor: A, _ block: @escaping @Sendable (isolated A, ObjectChange<T>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try ChangeDelivery.start(hub, producer, on: actor, block)
    }
}

extension CollectionChanges {
    /// Delivers the changes to an actor.
    func deliver<A: Actor>(
        on actor: A, _ block: @escaping @Sendable (isolated A, CollectionChange<C>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try ChangeDelivery.start(hub, producer, on: actor, block)
    }
}
