import Storage
import Synchronization

/// The writes that wait until versions of a store were released, in the order of their arrival.
///
/// A write that is not admitted enters the queue while it holds the turn, and waits without it.
/// When few enough versions are held, only the first one is resumed; it takes the turn and asks
/// again. Once it was admitted, or has failed, the next one is resumed. Until then later writes
/// enter the queue as well, so that none overtakes it.
///
/// A live realm holds the version that it shows, for which the writes before it may wait. So its
/// waiting write is resumed after newer versions as well, to advance the realm, without the turn
/// and in its place.
final class AdmissionQueue: Sendable {
    /// The place of a write in the queue.
    struct Place: Sendable {
        /// Positive, unique and ascending.
        fileprivate let number: Int
        /// When the write stops waiting for a release. Ascending as well.
        fileprivate let deadline: Instant
    }

    /// How a write continues after a wait.
    enum Step: Sendable {
        /// It takes the turn and asks again.
        case takeTurn
        /// Its live realm advances to the newest version, and it waits again.
        case advance
    }

    private enum Outcome: Sendable {
        case next(Step)
        /// So many versions were active at the deadline.
        case refused(active: Int)
        case cancelled
    }

    private typealias Continuation = UnsafeContinuation<Outcome, Never>

    /// A wait that has ended. It is resumed outside of the lock.
    private struct EndedWait: Sendable {
        let continuation: Continuation
        let outcome: Outcome
    }

    private struct Waiter {
        /// Nil while its task is running.
        var continuation: Continuation?
        var isLate = false
        /// The version that a live realm has advanced to, or an older one.
        var shown: VersionName?
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        /// No waiter has a lower number.
        var lowest = 1
        /// The waiters that are live realms.
        var liveRealms: Set<Int> = []
        var lastNumber = 0
        var waitCount = 0

        /// The number of the first waiter. O(1) amortized, since each number is passed once.
        mutating func first() -> Int? {
            if waiters.isEmpty {
                lowest = lastNumber + 1
                return nil
            }
            while waiters[lowest] == nil { lowest += 1 }
            return lowest
        }

        mutating func enter(until deadline: Instant) -> Place {
            lastNumber += 1
            waiters[lastNumber] = Waiter()
            return Place(number: lastNumber, deadline: deadline)
        }

        @discardableResult
        mutating func remove(_ number: Int) -> Waiter? {
            liveRealms.remove(number)
            return waiters.removeValue(forKey: number)
        }

        /// Takes the continuation of a waiter, which stays in the queue.
        mutating func wake(_ number: Int) -> Continuation? {
            let continuation = waiters[number]?.continuation
            waiters[number]?.continuation = nil
            return continuation
        }

        /// Ends the wait of a live realm that shows an older version than `latest`.
        mutating func advance(_ number: Int, to latest: VersionName) -> EndedWait? {
            guard waiters[number]?.shown != latest, let continuation = wake(number) else {
                return nil
            }
            waiters[number]?.shown = latest
            return EndedWait(continuation: continuation, outcome: .next(.advance))
        }
    }

    private let table: VersionTable
    private let limit: UInt?
    private let timeout: Duration
    private let latest: @Sendable () -> VersionName?
    private let state = Mutex(State())

    /// `limit` is how many versions may be active when a write begins, of which the newest is one
    /// in any case; without a limit every write is admitted. `timeout` is how long a write waits;
    /// with zero there is no queue. `latest` is the newest version, nil when the store is closed or
    /// has failed: then no write waits.
    init(
        table: VersionTable, limit: UInt?, timeout: Duration,
        latest: @escaping @Sendable () -> VersionName?
    ) {
        self.table = table
        self.limit = limit
        self.timeout = timeout
        self.latest = latest
    }

    /// Whether there is a limit.
    var isBounded: Bool { limit != nil }

    /// Whether writes may wait.
    var hasQueue: Bool { isBounded && timeout > .zero }

    /// The number of writes in the queue, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// The number of waits so far, for tests.
    var waitCount: Int { state.withLock { $0.waitCount } }

    /// Whether the write that holds the turn may begin on top of `latest`; it then leaves the
    /// queue. Otherwise it gets a place, unless it has one or there is no queue.
    ///
    /// `shown` is for a live realm: the version that it has advanced to, or an older one.
    func admits(
        _ place: inout Place?, onTopOf latest: VersionName, shown: VersionName?
    ) -> Bool {
        guard let limit else { return true }
        if timeout <= .zero { return table.count(latest: latest) <= limit }
        let known = place
        let (kept, ended) = state.withLock { state -> (Place?, [EndedWait]) in
            // A write whose deadline has passed does not wait for those before it.
            let isNext =
                state.first() == known?.number
                || known.map { state.waiters[$0.number]?.isLate == true } ?? false
            if isNext, table.count(latest: latest) <= limit {
                guard let known else { return (nil, []) }
                state.remove(known.number)
                return (nil, endWaits(&state))
            }
            let place = known ?? state.enter(until: .now + timeout)
            if shown != nil, state.waiters[place.number] != nil {
                state.liveRealms.insert(place.number)
                state.waiters[place.number]?.shown = shown
            }
            return (place, [])
        }
        place = kept
        resume(ended)
        return kept == nil
    }

    /// Waits until the write should take the turn again, because it is the first and few enough
    /// versions are active, or the store is closed or has failed; or until its live realm has to
    /// advance. The caller must not hold the turn, and leaves the queue if this throws.
    ///
    /// - Throws: ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at the deadline; it
    ///   names the oldest holders. `CancellationError`.
    func wait(_ place: Place?) async throws -> Step {
        guard let place else {
            if let active = excess() { throw refusal(active) }
            return .takeTurn
        }
        let timer = Task {
            try await place.deadline.sleep()
            expire(place)
        }
        defer { timer.cancel() }
        let outcome = await withCancellationHandler {
            // Unsafe: resumed once, by the code that takes it from its waiter, or here.
            await withUnsafeContinuation { (continuation: Continuation) in
                resume(state.withLock { suspend(place, continuation, &$0) })
            }
        } onCancel: {
            leave(place)
        }
        switch outcome {
        case .next(let step): return step
        case .refused(let active): throw refusal(active)
        case .cancelled: throw CancellationError()
        }
    }

    /// Leaves the queue, if the write is in it.
    func leave(_ place: Place?) {
        guard let place else { return }
        let ended = state.withLock { state -> [EndedWait] in
            guard let waiter = state.remove(place.number) else { return [] }
            let next = endWaits(&state)
            guard let continuation = waiter.continuation else { return next }
            return [EndedWait(continuation: continuation, outcome: .cancelled)] + next
        }
        resume(ended)
    }

    /// Ends the waits that are over: a version was released, or became the newest one, or the store
    /// was closed or has failed.
    func resumeEligible() {
        if hasQueue { resume(state.withLock { endWaits(&$0) }) }
    }

    /// Suspends the task of a write, unless its wait is over.
    private func suspend(
        _ place: Place, _ continuation: Continuation, _ state: inout State
    ) -> [EndedWait] {
        guard let waiter = state.waiters[place.number] else {
            return [EndedWait(continuation: continuation, outcome: .cancelled)]
        }
        if waiter.isLate {
            guard let active = excess() else {
                return [EndedWait(continuation: continuation, outcome: .next(.takeTurn))]
            }
            state.remove(place.number)
            let refused = EndedWait(continuation: continuation, outcome: .refused(active: active))
            return [refused] + endWaits(&state)
        }
        state.waiters[place.number]?.continuation = continuation
        state.waitCount += 1
        return endWaits(&state)
    }

    /// The deadline of a write has passed. If few enough versions are active, it takes the turn,
    /// which has a time limit of its own, and no longer waits for the writes before it.
    private func expire(_ place: Place) {
        let ended = state.withLock { state -> [EndedWait] in
            guard let waiter = state.waiters[place.number], !waiter.isLate else { return [] }
            state.waiters[place.number]?.isLate = true
            guard let continuation = state.wake(place.number) else { return [] }
            guard let active = excess() else {
                return [EndedWait(continuation: continuation, outcome: .next(.takeTurn))]
            }
            state.remove(place.number)
            let refused = EndedWait(continuation: continuation, outcome: .refused(active: active))
            return [refused] + endWaits(&state)
        }
        resume(ended)
    }

    /// Ends the waits that are over; they are not resumed yet.
    private func endWaits(_ state: inout State) -> [EndedWait] {
        guard let first = state.first(), let limit else { return [] }
        let eligible: [Int]
        if let latest = latest() {
            guard table.count(latest: latest) <= limit else {
                let liveRealms = state.liveRealms
                return liveRealms.compactMap { state.advance($0, to: latest) }
            }
            eligible = [first]
        } else {
            eligible = state.waiters.keys.sorted()
        }
        return eligible.compactMap { state.wake($0) }
            .map { EndedWait(continuation: $0, outcome: .next(.takeTurn)) }
    }

    private func resume(_ ended: [EndedWait]) {
        for wait in ended { wait.continuation.resume(returning: wait.outcome) }
    }

    /// The number of active versions if it exceeds the limit; nil when the store is closed or has
    /// failed.
    private func excess() -> Int? {
        guard let limit, let latest = latest() else { return nil }
        let active = table.count(latest: latest)
        return active > limit ? active : nil
    }

    private func refusal(_ active: Int) -> RealmError {
        let holders = latest().map { table.active(latest: $0).prefix(3).map(\.description) }
        return .tooManyActiveVersions(active: active, limit: limit ?? 0, holders: holders ?? [])
    }
}

extension AdmissionQueue: VersionSubscriber {
    var outlivesEnd: Bool { true }

    func advanced(to version: Version) -> CommitWaking? {
        { [self] in resumeEligible() }
    }

    func ended(_ error: RealmError?) {}

    func storeEnded() { resumeEligible() }
}
