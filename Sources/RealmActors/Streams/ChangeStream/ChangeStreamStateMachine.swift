/// When a change stream works, waits and ends. Pure: it holds no lock, no clock and no data; its
/// storage performs the actions it returns.
///
/// A stream is *due* when something came since its last element. Many commits make it due once,
/// which is all the coalescing there is: the consumer takes everything at once when it asks.
struct ChangeStreamStateMachine<Waiter> {
    private enum State {
        /// Nobody waits; `isDue` says whether something came since the last element.
        case idle(isDue: Bool)
        /// The consumer waits for the next commit.
        case waiting(Waiter)
        /// The stream failed; the consumer has yet to hear of it.
        case failed(RealmError)
        /// The stream has ended and delivers nothing any more.
        case finished
    }

    private var state: State

    /// A stream that starts with an element of its own is due from the beginning.
    init(isDue: Bool) {
        state = .idle(isDue: isDue)
    }

    enum NextAction {
        /// Go on at once.
        case proceed(ChangeStreamSignal)
        /// Wait; the waiter was kept.
        case wait
    }

    /// The consumer asks for the next element and would wait as `waiter`.
    mutating func next(_ waiter: Waiter) -> NextAction {
        switch state {
        case .idle(isDue: true):
            state = .idle(isDue: false)
            return .proceed(.due)
        case .idle(isDue: false):
            state = .waiting(waiter)
            return .wait
        case .waiting:
            preconditionFailure("A change stream's iterator was asked for two elements at a time.")
        case .failed(let error):
            state = .finished
            return .proceed(.failed(error))
        case .finished:
            return .proceed(.finished)
        }
    }

    /// The consumer takes everything that came so far to make its element: what came between its
    /// being told and now is part of that, and the stream is not due for it once more.
    mutating func taken() {
        if case .idle = state { state = .idle(isDue: false) }
    }

    /// Something came. Returns who is to be told ``ChangeStreamSignal/due``.
    mutating func committed() -> Waiter? {
        switch state {
        case .idle:
            state = .idle(isDue: true)
            return nil
        case .waiting(let waiter):
            state = .idle(isDue: false)
            return waiter
        case .failed, .finished:
            return nil
        }
    }

    /// The realm failed or was closed. What came before is still delivered by the consumer that
    /// was told of it; then the stream ends.
    mutating func ended(_ error: RealmError?) -> (waiter: Waiter, signal: ChangeStreamSignal)? {
        switch state {
        case .idle:
            state = error.map { .failed($0) } ?? .finished
            return nil
        case .waiting(let waiter):
            state = .finished
            return (waiter, error.map { .failed($0) } ?? .finished)
        case .failed, .finished:
            return nil
        }
    }

    /// The consumer was cancelled, let go of its iterator, or took the last element. Returns
    /// whether the subscription is to be given up, and who is to be told
    /// ``ChangeStreamSignal/finished``.
    mutating func finish() -> (unsubscribe: Bool, waiter: Waiter?) {
        switch state {
        case .idle, .failed:
            state = .finished
            return (true, nil)
        case .waiting(let waiter):
            state = .finished
            return (true, waiter)
        case .finished:
            return (false, nil)
        }
    }
}
