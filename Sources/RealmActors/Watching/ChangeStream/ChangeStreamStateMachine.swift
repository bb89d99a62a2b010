/// The state machine of a change stream. Pure: it holds no lock, no clock and no data; its storage
/// performs the actions that it returns.
///
/// A stream is *due* when there were commits since its last element. Of a coalescing one many
/// commits are due once, and the consumer takes everything at once with its request. One that
/// delivers every version is due once for each, up to its limit; what is due then is still
/// delivered, and then the overflow. Its first element does not count for the limit.
struct ChangeStreamStateMachine<Waiter> {
    private enum State {
        /// No consumer waits; so many elements are due.
        case idle(due: Int)
        /// The consumer waits for the next commit.
        case waiting(Waiter)
        /// There are no more commits. What is due is delivered, then the error or the end.
        case ending(due: Int, RealmError?)
        /// The stream has ended and delivers nothing more.
        case finished
    }

    private var state: State
    /// How many elements may be due; nil in a stream that coalesces.
    private let limit: Int?
    /// How many of the first that are due do not count for the limit.
    private var uncounted = 0

    /// A stream that starts with an element of its own is due from the beginning.
    init(isDue: Bool, buffering: ChangeBuffering = .latest) {
        state = .idle(due: isDue ? 1 : 0)
        limit = buffering.limit
    }

    /// How many elements are due.
    var due: Int {
        switch state {
        case .idle(let due), .ending(let due, _): due
        case .waiting, .finished: 0
        }
    }

    /// Whether nothing comes any more.
    var isOver: Bool {
        switch state {
        case .idle, .waiting: false
        case .ending, .finished: true
        }
    }

    enum NextAction {
        /// Continue at once.
        case proceed(ChangeStreamSignal)
        /// Wait; the waiter was kept.
        case wait
    }

    /// The consumer requests the next element and would wait as `waiter`.
    mutating func next(_ waiter: Waiter) -> NextAction {
        switch state {
        case .idle(due: 0):
            state = .waiting(waiter)
            return .wait
        case .idle(let due):
            state = .idle(due: due - 1)
            uncounted = max(uncounted - 1, 0)
            return .proceed(.due)
        case .waiting:
            preconditionFailure("A change stream's iterator was asked for two elements at a time.")
        case .ending(due: 0, let error):
            state = .finished
            return .proceed(error.map { .failed($0) } ?? .finished)
        case .ending(let due, let error):
            state = .ending(due: due - 1, error)
            return .proceed(.due)
        case .finished:
            return .proceed(.finished)
        }
    }

    /// The consumer of a coalescing stream takes everything that came so far to make its element:
    /// what came between its notification and now is part of that, and the stream is not due for it
    /// once more.
    mutating func taken() {
        if case .idle = state { state = .idle(due: 0) }
    }

    enum CommitAction {
        /// Keep it for the consumer, who will ask.
        case keep
        /// Keep it, and resume the waiter with ``ChangeStreamSignal/due``.
        case wake(Waiter)
        /// The limit is reached: unsubscribe, and keep nothing any more.
        case overflow
        /// The stream has ended.
        case ignore
    }

    /// Something came. What is not reported does not count, and comes before everything else.
    mutating func committed(counts: Bool = true) -> CommitAction {
        switch state {
        case .idle(let due):
            if !counts {
                uncounted += 1
            } else if let limit, due - uncounted >= limit {
                state = .ending(due: due, .streamOverflow(bufferLimit: limit))
                return .overflow
            }
            state = .idle(due: limit == nil ? 1 : due + 1)
            return .keep
        case .waiting(let waiter):
            state = .idle(due: 0)
            return .wake(waiter)
        case .ending, .finished:
            return .ignore
        }
    }

    /// The stream has an element to begin with, before everything that has come. No consumer waits
    /// yet.
    mutating func begin() {
        uncounted += 1
        switch state {
        case .idle(let due): state = .idle(due: limit == nil ? 1 : due + 1)
        case .ending(let due, let error): state = .ending(due: due + 1, error)
        case .waiting, .finished: break
        }
    }

    /// The realm failed or was closed. A coalescing stream delivers nothing more; one of every
    /// version what is due.
    mutating func ended(_ error: RealmError?) -> (waiter: Waiter, signal: ChangeStreamSignal)? {
        switch state {
        case .idle(let due):
            state = .ending(due: limit == nil ? 0 : due, error)
            return nil
        case .waiting(let waiter):
            state = .finished
            return (waiter, error.map { .failed($0) } ?? .finished)
        case .ending, .finished:
            return nil
        }
    }

    /// The consumer was cancelled, released its iterator, or took the last element. Returns whether
    /// the subscription is to end, and who is to receive ``ChangeStreamSignal/finished``.
    mutating func finish() -> (unsubscribe: Bool, waiter: Waiter?) {
        switch state {
        case .idle, .ending:
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
