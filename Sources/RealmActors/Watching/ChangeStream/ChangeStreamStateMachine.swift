/// The state machine of a change stream. Pure: it holds no lock, no clock and no data; its storage
/// performs the actions that it returns.
///
/// A stream is *due* when there were commits since its last element. A coalescing stream is due
/// once for many commits, and the consumer takes all of them with one request. One that delivers
/// every version is due once for each, up to its limit; beyond that, the elements that are due are
/// still delivered, and then the overflow. Its first element does not count towards the limit.
struct ChangeStreamStateMachine<Waiter> {
    private enum State {
        /// No consumer waits; `due` elements are due.
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
    /// How many of the first due elements do not count towards the limit.
    private var exempt = 0

    /// A stream that begins with an element is due from the beginning.
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

    /// Whether there will be no more commits.
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
            exempt = max(exempt - 1, 0)
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

    /// The consumer of a coalescing stream has taken all commits so far, including those since it
    /// was woken: the stream is no longer due for them.
    mutating func taken() {
        if case .idle = state { state = .idle(due: 0) }
    }

    enum CommitAction {
        /// Keep it until the consumer requests it.
        case keep
        /// Keep it, and resume the waiter with ``ChangeStreamSignal/due``.
        case wake(Waiter)
        /// The limit is exceeded: unsubscribe, and keep no further commits.
        case overflow
        /// The stream has ended.
        case ignore
    }

    /// There was a commit. A silenced one does not count towards the limit, and comes before all
    /// others that are due.
    mutating func committed(counts: Bool = true) -> CommitAction {
        switch state {
        case .idle(let due):
            if !counts {
                exempt += 1
            } else if let limit, due - exempt >= limit {
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

    /// The stream begins with an element, before the commits so far. No consumer waits yet.
    mutating func begin() {
        exempt += 1
        switch state {
        case .idle(let due): state = .idle(due: limit == nil ? 1 : due + 1)
        case .ending(let due, let error): state = .ending(due: due + 1, error)
        case .waiting, .finished: break
        }
    }

    /// The realm failed or was closed. A coalescing stream delivers nothing more; one that delivers
    /// every version still delivers what is due.
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
