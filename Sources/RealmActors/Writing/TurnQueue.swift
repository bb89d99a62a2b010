import Storage
import Synchronization

/// Who may write: one at a time, in the order of arrival.
///
/// A queue of our own rather than the actor's, because a live realm keeps its turn across awaits,
/// and because a task that is cancelled while it waits must leave without disturbing anyone else's
/// turn: the turn passes from the one who releases it straight to the first who waits.
///
/// A body is often shorter than it takes to suspend a task and to resume it. So whoever would be
/// the first to wait looks out for the turn for a moment before it suspends; those behind suspend
/// at once.
final class TurnQueue: Sendable {
    // Unchecked: everything but the constants is read and written under the queue's lock.
    fileprivate final class Waiter: @unchecked Sendable {
        let name: String
        let deadline: ContinuousClock.Instant?
        /// Resumes the waiter; nil before it waits and once it was resumed.
        var continuation: UnsafeContinuation<Void, any Error>?
        /// Whether it was cancelled before it came to wait.
        var isCancelled = false
        /// Set when it has looked out for the turn: it goes before everyone who waits.
        var lookoutNumber: Int?

        init(_ name: String, _ deadline: ContinuousClock.Instant?) {
            self.name = name
            self.deadline = deadline
        }
    }

    fileprivate struct State {
        var holder: String?
        /// Who looks out for the turn, ahead of everyone who waits.
        var lookout: String?
        /// The number of the last one who looked out, or does.
        var lookoutNumber = 0
        /// Those who wait, behind `first`, and between them some who have left.
        var waiters: [Waiter] = []
        var first = 0
        /// How many wait.
        var count = 0
        /// Whether a task runs that ends waits at their deadlines.
        var hasTimer = false
    }

    /// Where someone who wants the turn stands.
    fileprivate enum Arrival {
        case hasTurn, waits
        /// As the lookout of that number.
        case looksOut(Int)
    }

    /// Whom the turn was passed to.
    fileprivate enum Relief {
        case nobody, lookout
        case waiter(UnsafeContinuation<Void, any Error>)
    }

    /// How often a lookout looks at the most: about as long as suspending and resuming takes.
    private static let looksMax = 2048
    private static let looksMin = 16

    private let state = Mutex(State())
    /// The number of the last lookout that the turn came to.
    private let relieved = Atomic<Int>(0)
    /// How often the next lookout looks: more after it was worth it, less when bodies are long.
    private let looks = Atomic<Int>(looksMax)

    /// How many wait for the turn.
    var waiterCount: Int { state.withLock { $0.count + ($0.lookout == nil ? 0 : 1) } }

    /// Whether anyone waits for the turn.
    var isAwaited: Bool { state.withLock { $0.count > 0 || $0.lookout != nil } }

    /// Takes the turn if it is free and nobody waits.
    func tryTake(_ name: String) -> Bool {
        state.withLock { $0.tryTake(name) }
    }

    /// Waits for the turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn comes,
    ///   ``RealmError/writerBusy(holder:)`` after `timeout`.
    func take(_ name: String, timeout: Duration?) async throws {
        try Task.checkCancellation()
        let arrival = state.withLock { $0.arrive(name) }
        switch arrival {
        case .hasTurn: return
        case .looksOut(let number): if lookOut(number) { return }
        case .waits: break
        }
        let waiter = Waiter(name, timeout.map { .now + $0 })
        if case .looksOut(let number) = arrival { waiter.lookoutNumber = number }
        try await withTaskCancellationHandler {
            // Unsafe: resumed once, either by whoever takes it out of the queue, or here, where it
            // was not put into it.
            try await withUnsafeThrowingContinuation { continuation in
                let (outcome, needsTimer) = state.withLock { $0.enter(waiter, continuation) }
                if let outcome { continuation.resume(with: outcome) }
                if needsTimer { Task { await endWaitsInTime() } }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                waiter.isCancelled = true
                return state.leave(waiter)
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Looks until the turn comes, for a moment. True when it has come.
    private func lookOut(_ number: Int) -> Bool {
        let budget = looks.load(ordering: .relaxed)
        for _ in 0..<budget where relieved.load(ordering: .acquiring) >= number {
            looks.store(min(budget * 2, Self.looksMax), ordering: .relaxed)
            return true
        }
        looks.store(max(budget / 2, Self.looksMin), ordering: .relaxed)
        return false
    }

    /// Passes the turn on. False when nobody waited for it.
    @discardableResult
    func release() -> Bool {
        switch state.withLock({ $0.passOn(relieved) }) {
        case .nobody: return false
        case .lookout: return true
        case .waiter(let next):
            next.resume()
            return true
        }
    }

    /// Ends the waits of those whose time is up, for as long as anyone waits with a deadline: one
    /// task for all of them.
    private func endWaitsInTime() async {
        while true {
            let (late, holder, next) = state.withLock { $0.expire(.now) }
            for continuation in late {
                continuation.resume(throwing: RealmError.writerBusy(holder: holder))
            }
            guard let next else { return }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }
}

fileprivate extension TurnQueue.State {
    typealias Continuation = UnsafeContinuation<Void, any Error>

    mutating func tryTake(_ name: String) -> Bool {
        if holder != nil || count > 0 || lookout != nil { return false }
        holder = name
        return true
    }

    mutating func arrive(_ name: String) -> TurnQueue.Arrival {
        if tryTake(name) { return .hasTurn }
        if count > 0 || lookout != nil { return .waits }
        lookout = name
        lookoutNumber += 1
        return .looksOut(lookoutNumber)
    }

    /// Adds a waiter, unless its outcome is known at once. Also tells whether a timer has to start.
    mutating func enter(
        _ waiter: TurnQueue.Waiter, _ continuation: Continuation
    ) -> (outcome: Result<Void, any Error>?, needsTimer: Bool) {
        if let number = waiter.lookoutNumber {
            // Else the turn came in the meantime, cancelled or not: the caller will pass it on.
            guard lookout != nil, lookoutNumber == number else { return (.success(()), false) }
            lookout = nil
        }
        if waiter.isCancelled { return (.failure(CancellationError()), false) }
        if tryTake(waiter.name) { return (.success(()), false) }
        waiter.continuation = continuation
        waiters.insert(waiter, at: waiter.lookoutNumber == nil ? waiters.count : first)
        count += 1
        let needsTimer = waiter.deadline != nil && !hasTimer
        if needsTimer { hasTimer = true }
        return (nil, needsTimer)
    }

    /// Takes a waiter out, unless its turn has come already. Its place in the queue stays, empty.
    mutating func leave(_ waiter: TurnQueue.Waiter) -> Continuation? {
        guard let continuation = waiter.continuation else { return nil }
        waiter.continuation = nil
        count -= 1
        if waiters.count > 32, count < waiters.count / 2 { removeGaps() }
        return continuation
    }

    /// Gives the turn to the first who waits, or frees it.
    mutating func passOn(_ relieved: borrowing Atomic<Int>) -> TurnQueue.Relief {
        holder = nil
        if let lookout {
            holder = lookout
            self.lookout = nil
            relieved.store(lookoutNumber, ordering: .releasing)
            return .lookout
        }
        while first < waiters.count {
            let waiter = waiters[first]
            first += 1
            guard let continuation = waiter.continuation else { continue }
            waiter.continuation = nil
            count -= 1
            holder = waiter.name
            if first > 32, first > waiters.count / 2 { removeGaps() }
            return .waiter(continuation)
        }
        removeGaps()
        return .nobody
    }

    /// Takes out whose deadline has passed; also the next deadline, nil when the timer may end.
    mutating func expire(
        _ now: ContinuousClock.Instant
    ) -> (late: [Continuation], holder: String, next: ContinuousClock.Instant?) {
        var late: [Continuation] = []
        var next: ContinuousClock.Instant?
        for waiter in waiters[first...] where waiter.continuation != nil {
            guard let deadline = waiter.deadline else { continue }
            if deadline <= now {
                if let continuation = waiter.continuation { late.append(continuation) }
                waiter.continuation = nil
                count -= 1
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        hasTimer = next != nil
        return (late, holder ?? "another write", next)
    }

    private mutating func removeGaps() {
        if count == 0 {
            waiters.removeAll(keepingCapacity: true)
        } else {
            waiters.removeAll { $0.continuation == nil }
        }
        first = 0
    }
}
