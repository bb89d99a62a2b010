import Synchronization

/// Who may write: one at a time, in the order of arrival.
///
/// A queue of our own rather than the actor's, because a live realm keeps its turn across awaits,
/// and because a task that is cancelled while it waits must leave without disturbing anyone else's
/// turn: the turn passes from the one who releases it straight to the first who waits.
///
/// A body is often shorter than it takes to suspend a task and to resume it. So the first to wait
/// spins for a moment before it suspends; those behind suspend at once. Where that is worth it, the
/// next one is resumed to spin as soon as the turn comes to the one before it: its thread stands
/// ready, instead of being woken for every body.
package final class TurnQueue: Sendable {
    /// Resumed with whether the turn has come; else it is time to spin for it.
    fileprivate typealias Continuation = UnsafeContinuation<Bool, any Error>

    // Unchecked: everything but the constants is read and written under the queue's lock.
    fileprivate final class Place: @unchecked Sendable {
        enum Phase {
            /// Has yet to suspend, or spins.
            case awake
            case waiting(Continuation)
            case hasTurn
            /// Was cancelled, or has waited for too long.
            case left
        }

        let holder: TurnHolder
        /// Positive, and another one for each place.
        let number: Int
        let deadline: ContinuousClock.Instant?
        var phase = Phase.awake

        init(_ holder: TurnHolder, _ number: Int, _ deadline: ContinuousClock.Instant?) {
            self.holder = holder
            self.number = number
            self.deadline = deadline
        }

        /// Resumes the task that waits here; nil while it is running, and once it is not in
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
        /// Since when the holder keeps others waiting; nil while it keeps nobody.
        var since: ContinuousClock.Instant?
        /// Those who wait, behind `first`, and between them some who have left.
        var places: [Place] = []
        var first = 0
        /// How many wait.
        var count = 0
        var lastNumber = 0
        /// Whether a task runs that ends waits at their deadlines.
        var hasTimer = false
        /// How often the turn was passed to someone who waited.
        var passes = 0
    }

    /// How long the first to wait spins at the most, in nanoseconds: about as long as it takes
    /// to wake a thread.
    private static let patienceMax = 20_000
    private static let patienceMin = 100
    /// How long one has to spin for the next to be resumed early.
    private static let patienceWorth = 600
    /// After so many turns one spins as long as it may again, to see whether that is worth it
    /// now.
    private static let trialInterval = 64

    private let state = Mutex(State())
    /// The number of the place that the turn came to last.
    private let reached = Atomic<Int>(0)
    /// How many wait, so that the holder of the turn need not ask under the lock, for which all who
    /// arrive compete.
    private let waiting = Atomic<Int>(0)
    /// How long the next one spins, in nanoseconds: longer after it was worth it, shorter when
    /// bodies are long.
    private let patience = Atomic<Int>(patienceMax)

    package init() {}

    /// How many wait for the turn.
    package var waiterCount: Int { state.withLock { $0.count } }

    /// How many places are kept, some of them of waits that have ended: for tests.
    var placeCount: Int { state.withLock { $0.places.count } }

    /// Whether a task runs that ends waits at their deadlines: for tests.
    var hasTimer: Bool { state.withLock { $0.hasTimer } }

    /// Whether anyone waits for the turn; who arrives just now may not be seen.
    package var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// Takes the turn if it is free and nobody waits.
    package func tryTake(_ name: String, author: String? = nil) -> Bool {
        state.withLock { $0.tryTake(TurnHolder(name: name, author: author)) }
    }

    /// Waits for the turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn comes,
    ///   ``StorageError/turnTaken(holder:)`` after `timeout`.
    package func take(
        _ name: String, author: String? = nil, timeout: Duration?
    ) async throws {
        try Task.checkCancellation()
        let now = ContinuousClock.now
        let holder = TurnHolder(name: name, author: author)
        let (arrived, isFirst) = state.withLock { state in
            let arrival = state.arrive(holder, at: now, until: timeout.map { now + $0 })
            waiting.store(state.count, ordering: .relaxed)
            return arrival
        }
        guard let place = arrived else { return }
        if isFirst, spin(place) { return }
        try await withTaskCancellationHandler {
            while try await !wait(place) { if spin(place) { return } }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.leave(place)
                waiting.store(state.count, ordering: .relaxed)
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Suspends until the turn has come, which gives true, or is about to come.
    private func wait(_ place: Place) async throws -> Bool {
        // Unsafe: resumed once, either by the thread that takes it out of the queue, or wakes it,
        // or here, where it did not go to sleep.
        try await withUnsafeThrowingContinuation { continuation in
            let (outcome, needsTimer) = state.withLock { $0.suspend(place, continuation) }
            if let outcome { continuation.resume(with: outcome) }
            // Detached: it goes on for others, with neither task-local values nor the priority of
            // the first who waits.
            if needsTimer { Task.detached(priority: .high) { await self.endWaitsInTime() } }
        }
    }

    /// Looks until the turn comes, for a moment. True when it has come: until its holder passes
    /// it on, it comes to nobody else.
    private func spin(_ place: Place) -> Bool {
        let limit = patience.load(ordering: .relaxed)
        let end = ContinuousClock.now + .nanoseconds(limit)
        // Asking for the time leaves the core to the other thread of it, which may be the writer.
        repeat {
            if reached.load(ordering: .acquiring) == place.number {
                patience.store(min(limit * 2, Self.patienceMax), ordering: .relaxed)
                return true
            }
        } while ContinuousClock.now < end
        patience.store(max(limit / 2, Self.patienceMin), ordering: .relaxed)
        return false
    }

    /// Passes the turn on. False when nobody waited for it.
    @discardableResult
    package func release() -> Bool {
        let (isTaken, taker, next) = state.withLock { state in
            let (isTaken, taker) = state.passOn(reached)
            waiting.store(state.count, ordering: .relaxed)
            if !isTaken { return (false, taker, Continuation?.none) }
            state.passes &+= 1
            if state.passes % Self.trialInterval == 0 {
                patience.store(Self.patienceMax, ordering: .relaxed)
            }
            let isWorthLooking = patience.load(ordering: .relaxed) >= Self.patienceWorth
            return (true, taker, isWorthLooking ? state.wakeFirst() : nil)
        }
        taker?.resume(returning: true)
        next?.resume(returning: false)
        return isTaken
    }

    /// Ends the waits of those whose time is up, for as long as anyone waits with a deadline: one
    /// task for all of them.
    private func endWaitsInTime() async {
        while true {
            let (late, holder, next) = state.withLock { state in
                let expiry = state.expire(.now)
                waiting.store(state.count, ordering: .relaxed)
                return expiry
            }
            for continuation in late {
                continuation.resume(throwing: StorageError.turnTaken(holder: holder))
            }
            guard let next else { return }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }
}

fileprivate extension TurnQueue.State {
    typealias Continuation = TurnQueue.Continuation
    typealias Place = TurnQueue.Place

    /// How soon a wait is examined again whose deadline passed before its task had suspended.
    static let awakeMax = Duration.milliseconds(1)

    mutating func tryTake(_ next: TurnHolder) -> Bool {
        if holder != nil || count > 0 { return false }
        holder = next
        return true
    }

    /// Gives a place, or nil with the turn.
    mutating func arrive(
        _ next: TurnHolder, at now: ContinuousClock.Instant,
        until deadline: ContinuousClock.Instant?
    ) -> (place: Place?, isFirst: Bool) {
        if tryTake(next) { return (nil, false) }
        lastNumber += 1
        since = since ?? now
        let place = Place(next, lastNumber, deadline)
        places.append(place)
        count += 1
        return (place, count == 1)
    }

    /// Lets the task of the place suspend, unless its outcome is known at once. Also tells whether
    /// a timer has to start.
    mutating func suspend(
        _ place: Place, _ continuation: Continuation
    ) -> (outcome: Result<Bool, any Error>?, needsTimer: Bool) {
        switch place.phase {
        // Cancelled or not: the caller will pass it on.
        case .hasTurn: return (.success(true), false)
        case .left: return (.failure(CancellationError()), false)
        case .awake, .waiting: place.phase = .waiting(continuation)
        }
        let needsTimer = place.deadline != nil && !hasTimer
        if needsTimer { hasTimer = true }
        return (nil, needsTimer)
    }

    /// Gives a place up, unless its turn has come already. It stays in the list.
    mutating func leave(_ place: Place) -> Continuation? {
        guard place.isInQueue else { return nil }
        let left = place.continuation
        place.phase = .left
        count -= 1
        removeManyGaps()
        return left
    }

    /// Gives the turn to the first who waits, or frees it.
    mutating func passOn(
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

    /// Has the first who waits spin for the turn, unless it is running.
    mutating func wakeFirst() -> Continuation? {
        for place in places[first...] where place.isInQueue {
            let continuation = place.continuation
            place.phase = .awake
            return continuation
        }
        return nil
    }

    /// Takes out whose deadline has passed; also the next deadline, nil when the timer may end.
    mutating func expire(
        _ now: ContinuousClock.Instant
    ) -> (late: [Continuation], holder: String, next: ContinuousClock.Instant?) {
        var late: [Continuation] = []
        var next: ContinuousClock.Instant?
        for place in places[first...] where place.isInQueue {
            guard let deadline = place.deadline else { continue }
            if deadline <= now, let continuation = place.continuation {
                late.append(continuation)
                place.phase = .left
                count -= 1
            } else {
                // A task that has not suspended yet will in a moment, or it gets the turn.
                let time = max(deadline, now + Self.awakeMax)
                next = min(next ?? time, time)
            }
        }
        hasTimer = next != nil
        // The turn may be held for hours, in which nothing else removes them.
        removeManyGaps()
        return (late, (holder ?? .unknown).text(since: since, at: now), next)
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

/// Who has the turn, or waits for it.
struct TurnHolder: Sendable {
    /// What it does: "a write".
    let name: String
    /// The tag that the writer gave.
    let author: String?

    static let unknown = TurnHolder(name: "another write", author: nil)

    /// As an error says it: "a write by 'import', for 30.002 s".
    func text(
        since start: ContinuousClock.Instant?, at now: ContinuousClock.Instant
    ) -> String {
        let by = author.map { " by '\($0)'" } ?? ""
        guard let start else { return name + by }
        let seconds = (start.duration(to: now) / .milliseconds(1)).rounded() / 1000
        return "\(name)\(by), for \(seconds) s"
    }
}
