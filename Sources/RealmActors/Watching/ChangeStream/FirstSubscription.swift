import Storage
import Synchronization

/// A subscription that begins before there is an iterator, and belongs to the first one that is
/// made of a stream or of a copy of it. Without one, it ends with the stream.
final class FirstSubscription<Element: Sendable>: Sendable {
    private enum State {
        case unasked
        case begun(any ChangeSubscription<Element>)
        /// There was an iterator: no other one would take a subscription.
        case over
    }

    private let state = Mutex(State.unasked)

    /// Begins it, unless it has begun or an iterator was made without it.
    func begin(_ subscribe: () -> (any ChangeSubscription<Element>)?) {
        state.withLock { state in
            guard case .unasked = state, let subscription = subscribe() else { return }
            state = .begun(subscription)
        }
    }

    /// The subscription, for the first iterator.
    func take() -> (any ChangeSubscription<Element>)? {
        state.withLock { state in
            defer { state = .over }
            guard case .begun(let subscription) = state else { return nil }
            return subscription
        }
    }
}
