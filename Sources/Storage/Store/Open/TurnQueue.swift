import Synchronization

/// A fair mutual exclusion of the writers of a store in this process: they get the turn in the
/// order of arrival.
///
/// An actor's queue does not suffice: a live realm keeps its turn across awaits, and a waiting task
/// can be cancelled. The turn is handed directly from the task that releases it to the first
/// waiter.
///
/// A body is often shorter than it takes to suspend and resume a task. So the first waiter spins
/// for a moment before it suspends; those after it suspend at once. While spinning pays off, the
/// next waiter is resumed to spin as soon as the one before it gets the turn, so that no thread has
/// to be woken for each body.
package final class TurnQueue: Sendable {
    /// Resumed with true when the task has the turn, with false when it has to spin for it.
    fileprivate typealias Continuation = UnsafeContinuation<Bool, any Error>

    // Unchecked: everything but the constants is read and written under the queue's lock.
    fileprivate final class Place: @unchecked Sendable {
        enum Phase {
            /// Not suspended yet, or spinning.
            case awake
            case waiting(Continuation)
            case hasTurn
            /// Cancelled, or timed out.
            case left
        }

        let holder: TurnHolder
        /// Positive and unique.
        let number: Int
        let deadline: Instant?
        var phase = Phase.awake

        init(_ holder: TurnHolder, _ number: Int, _ deadline: Instant?) {
            self.holder = holder
            self.number = number
            self.deadline = deadline
        }

        /// The continuation of the suspended task; nil while it is running, and after it has left
        /// the queue.
        var continuation: Continuation? {
            if case .waiting(let continuation) = phase { continuation } else { nil }
        }

        var isInQueue: Bool {
            switch phase {
            case .awake, .waiting: true
            case .hasTurn, .left: false
            }
        }
    }

    fileprivate struct State {
        var holder: TurnHolder?
        /// Since when the holder keeps others waiting; nil without waiters.
        var since: Instant?
        /// The waiters, from `first` on, with gaps of some that have left.
        var places: [Place] = []
        var first = 0
        /// The number of waiters.
        var count = 0
        var lastNumber = 0
        /// Whether a task runs that ends waits at their deadlines.
        var hasTimer = false
        /// How often the turn was handed to a waiter.
        var passes = 0
    }

    /// How long the first waiter spins at most, in nanoseconds: about as long as it takes to wake a
    /// thread.
    private static let spinMax = 20_000
    private static let spinMin = 100
    /// The spinning time from which the next waiter is resumed early.
    private static let spinWorth = 600
    /// After this many turns the spinning time is reset to its maximum, to test whether spinning
    /// pays off now.
    private static let trialInterval = 64

    private let state = Mutex(State())
    /// The number of the place that got the turn last.
    private let reached = Atomic<Int>(0)
    /// The number of waiters, which the holder of the turn reads without the contended lock.
    private let waiting = Atomic<Int>(0)
    /// How long the next waiter spins, in nanoseconds: doubled after a success, halved after a
    /// failure.
    private let spinLimit = Atomic<Int>(spinMax)

    package init() {}

    /// The number of tasks that wait for the turn.
    package var waiterCount: Int { state.withLock { $0.count } }

    /// The number of places in the list, gaps included: for tests.
    var placeCount: Int { state.withLock { $0.places.count } }

    /// Whether a task runs that ends waits at their deadlines: for tests.
    var hasTimer: Bool { state.withLock { $0.hasTimer } }

    /// Whether a task waits for the turn; one that arrives concurrently may be missed.
    package var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// Takes the turn if it is free and there is no waiter.
    package func tryTake(_ name: String, author: String? = nil, isFollowing: Bool = false) -> Bool {
        let holder = TurnHolder(name: name, author: author, isFollowing: isFollowing)
        return state.withLock { $0.tryTake(holder) }
    }

    /// Waits for the turn. `isFollowing`: see ``TurnHolder``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before it gets the turn,
    ///   ``StorageError/turnTaken(holder:isFollowing:)`` after `timeout`.
    package func take(
        _ name: String, author: String? = nil, isFollowing: Bool = false, timeout: Duration?
    ) async throws {
        try Task.checkCancellation()
        let now = Instant.now
        let holder = TurnHolder(name: name, author: author, isFollowing: isFollowing)
        let (arrived, isFirst) = state.withLock { state in
            let arrival = state.enqueue(holder, at: now, until: timeout.map { now + $0 })
            waiting.store(state.count, ordering: .relaxed)
            return arrival
        }
        guard let place = arrived else { return }
        if isFirst, spin(place) { return }
        try await withCancellationHandler {
            while try await !wait(place) { if spin(place) { return } }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.cancel(place)
                waiting.store(state.count, ordering: .relaxed)
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Suspends. Returns true with the turn, and false to spin for it.
    private func wait(_ place: Place) async throws -> Bool {
        // Unsafe: resumed once: by the thread that removes it from the queue or wakes it, or here,
        // if it does not suspend.
        try await withUnsafeThrowingContinuation { continuation in
            let (outcome, needsTimer) = state.withLock { $0.suspend(place, continuation) }
            if let outcome { continuation.resume(with: outcome) }
            // Detached, since it serves all waiters: it must not inherit task-local values and the
            // priority of the first one.
            if needsTimer { Task.detached(priority: .high) { await self.endWaitsInTime() } }
        }
    }

    /// Polls for the turn for a short time. True once this place has it: no other place gets it
    /// before this one releases it.
    private func spin(_ place: Place) -> Bool {
        let limit = spinLimit.load(ordering: .relaxed)
        let end = Instant.now + .nanoseconds(limit)
        // Reading the clock yields the core to its other hardware thread, which may be the writer.
        repeat {
            if reached.load(ordering: .acquiring) == place.number {
                spinLimit.store(min(limit * 2, Self.spinMax), ordering: .relaxed)
                return true
            }
        } while Instant.now < end
        spinLimit.store(max(limit / 2, Self.spinMin), ordering: .relaxed)
        return false
    }

    /// Hands the turn to the first waiter, or frees it. False if there was none.
    @discardableResult
    package func release() -> Bool {
        let (isTaken, taker, next) = state.withLock { state in
            let (isTaken, taker) = state.handOver(reached)
            waiting.store(state.count, ordering: .relaxed)
            if !isTaken { return (false, taker, Continuation?.none) }
            state.passes &+= 1
            if state.passes % Self.trialInterval == 0 {
                spinLimit.store(Self.spinMax, ordering: .relaxed)
            }
            let isWorthLooking = spinLimit.load(ordering: .relaxed) >= Self.spinWorth
            return (true, taker, isWorthLooking ? state.wakeFirst() : nil)
        }
        taker?.resume(returning: true)
        next?.resume(returning: false)
        return isTaken
    }

    /// Ends expired waits, while there are waiters with a deadline: one task for all of them.
    private func endWaitsInTime() async {
        while true {
            let (late, refusal, next) = state.withLock { state in
                let expiry = state.expire(.now)
                waiting.store(state.count, ordering: .relaxed)
                return expiry
            }
            for continuation in late {
                continuation.resume(throwing: refusal)
            }
            guard let next else { return }
            try? await next.sleep()
        }
    }
}

fileprivate extension TurnQueue.State {
    typealias Continuation = TurnQueue.Continuation
    typealias Place = TurnQueue.Place

    /// How soon an expired wait is checked again whose task had not suspended yet.
    static let awakeMax = Duration.milliseconds(1)

    mutating func tryTake(_ next: TurnHolder) -> Bool {
        if holder != nil || count > 0 { return false }
        holder = next
        return true
    }

    /// Takes the turn, which returns nil, or enters the queue.
    mutating func enqueue(
        _ next: TurnHolder, at now: Instant, until deadline: Instant?
    ) -> (place: Place?, isFirst: Bool) {
        if tryTake(next) { return (nil, false) }
        lastNumber += 1
        since = since ?? now
        let place = Place(next, lastNumber, deadline)
        places.append(place)
        count += 1
        return (place, count == 1)
    }

    /// Suspends the task of a place, unless its outcome is known. Also returns whether the timer
    /// has to start.
    mutating func suspend(
        _ place: Place, _ continuation: Continuation
    ) -> (outcome: Result<Bool, any Error>?, needsTimer: Bool) {
        switch place.phase {
        // Also if it was cancelled: the caller will release the turn.
        case .hasTurn: return (.success(true), false)
        case .left: return (.failure(CancellationError()), false)
        case .awake, .waiting: place.phase = .waiting(continuation)
        }
        let needsTimer = place.deadline != nil && !hasTimer
        if needsTimer { hasTimer = true }
        return (nil, needsTimer)
    }

    /// Cancels a place, unless it has the turn already. It stays in the list as a gap.
    mutating func cancel(_ place: Place) -> Continuation? {
        guard place.isInQueue else { return nil }
        let left = place.continuation
        place.phase = .left
        count -= 1
        removeManyGaps()
        return left
    }

    /// Hands the turn to the first waiter, or frees it.
    mutating func handOver(
        _ reached: borrowing Atomic<Int>
    ) -> (isTaken: Bool, continuation: Continuation?) {
        holder = nil
        since = nil
        while first < places.count {
            let place = places[first]
            first += 1
            guard place.isInQueue else { continue }
            let next = place.continuation
            place.phase = .hasTurn
            count -= 1
            holder = place.holder
            if count > 0 { since = .now }
            reached.store(place.number, ordering: .releasing)
            if first > 32, first > places.count / 2 { removeGaps() }
            return (true, next)
        }
        removeGaps()
        return (false, nil)
    }

    /// Resumes the first waiter to spin for the turn, unless it is running.
    mutating func wakeFirst() -> Continuation? {
        for place in places[first...] where place.isInQueue {
            let continuation = place.continuation
            place.phase = .awake
            return continuation
        }
        return nil
    }

    /// Ends the waits whose deadline has passed; also returns their error, and the next deadline,
    /// nil if the timer may end.
    mutating func expire(
        _ now: Instant
    ) -> (late: [Continuation], refusal: StorageError, next: Instant?) {
        var late: [Continuation] = []
        var next: Instant?
        for place in places[first...] where place.isInQueue {
            guard let deadline = place.deadline else { continue }
            if deadline <= now, let continuation = place.continuation {
                late.append(continuation)
                place.phase = .left
                count -= 1
            } else {
                // A task that has not suspended yet will do so soon, or gets the turn.
                let time = max(deadline, now + Self.awakeMax)
                next = min(next ?? time, time)
            }
        }
        hasTimer = next != nil
        // Nothing else removes gaps while the turn is held, perhaps for hours.
        removeManyGaps()
        let holder = holder ?? .unknown
        let refusal = StorageError.turnTaken(
            holder: holder.text(since: since, at: now), isFollowing: holder.isFollowing)
        return (late, refusal, next)
    }

    private mutating func removeManyGaps() {
        if places.count > 32, count < places.count / 2 { removeGaps() }
    }

    private mutating func removeGaps() {
        if count == 0 {
            places.removeAll(keepingCapacity: true)
        } else {
            places.removeAll { !$0.isInQueue }
        }
        first = 0
    }
}

/// A writer that holds the turn, or waits for it.
struct TurnHolder: Sendable {
    /// Its operation: "a write".
    let name: String
    /// The author that the writer gave.
    let author: String?
    /// Whether it applies the commits of other hosts, or passes the lease to one.
    let isFollowing: Bool

    static let unknown = TurnHolder(name: "another write", author: nil, isFollowing: false)

    /// Its description in errors: "a write by 'import', for 30.002 s".
    func text(since start: Instant?, at now: Instant) -> String {
        let by = author.map { " by '\($0)'" } ?? ""
        guard let start else { return name + by }
        let seconds = (start.duration(to: now) / .milliseconds(1)).rounded() / 1000
        return "\(name)\(by), for \(seconds) s"
    }
}
