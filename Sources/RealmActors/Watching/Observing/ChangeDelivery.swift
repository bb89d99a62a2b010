import Storage
import Synchronization

/// A running observation: the state that its token shares with the task that delivers.
///
/// The task retains this and not the token, so that releasing the token ends the observation. It
/// references the actor weakly, so that an actor may keep the tokens of its own observations.
final class ChangeDelivery: Sendable {
    private struct State {
        var isOver = false
        var failure: RealmError?
        /// Ends the subscription.
        var finish: (@Sendable () -> Void)?
    }

    /// Identifies the observed stream.
    let stream: ChangeStreamToken
    private let state = Mutex(State())

    init(_ stream: ChangeStreamToken) { self.stream = stream }

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

    /// Calls `block` on `actor` with each element, until the observation or the subscription ends.
    func deliver<A: Actor, Element: Sendable>(
        _ subscription: any ChangeSubscription<Element>, on actor: A,
        _ block: @escaping ChangeHandler<A, Element>
    ) {
        state.withLock { $0.finish = { subscription.finish() } }
        Task { [weak actor] in
            do throws(RealmError) {
                while let element = try await subscription.next() {
                    guard let actor, !isOver else { break }
                    await call(block, on: actor, element)
                }
                end()
            } catch {
                end(error)
            }
        }
    }

    /// Checks on the actor whether the observation has ended: it may have ended there just before.
    private func call<A: Actor, Element: Sendable>(
        _ block: ChangeHandler<A, Element>, on actor: isolated A, _ element: Element
    ) async {
        if !isOver { await block(actor, element) }
    }
}

extension ChangeStream {
    /// Subscribes, and calls `block` on `actor` with each element, one after another. In a task
    /// that was cancelled already, the observation is over from the beginning.
    ///
    /// - Throws: the error of a stream that cannot exist.
    func deliver<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, Element>
    ) throws(RealmError) -> NotificationToken {
        if let failure = producer.failure { throw failure }
        let delivery = ChangeDelivery(token)
        if Task.isCancelled {
            delivery.end()
        } else {
            delivery.deliver(subscribe(), on: actor, block)
        }
        return NotificationToken(delivery)
    }
}
