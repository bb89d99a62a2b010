import Storage
import Synchronization

/// A subscription that begins before there is an iterator; the first iterator of the stream or of a
/// copy takes it over. Without an iterator, it ends with the stream.
final class FirstSubscription<Element: Sendable>: Sendable {
    private enum State {
        case notBegun
        case begun(any ChangeSubscription<Element>)
        /// An iterator was made; later ones take no subscription over.
        case over
    }

    private let state = Mutex(State.notBegun)

    /// Begins it, unless it has begun already or an iterator was made.
    func begin(_ subscribe: () -> (any ChangeSubscription<Element>)?) {
        state.withLock { state in
            guard case .notBegun = state, let subscription = subscribe() else { return }
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
