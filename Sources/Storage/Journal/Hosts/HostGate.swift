import Synchronization

/// Where the writes of this host wait while others have something to write: see ``HostRotation``.
package final class HostGate: Sendable {
    typealias Instant = ContinuousClock.Instant

    fileprivate struct Waiter {
        let continuation: UnsafeContinuation<Void, Never>
        let deadline: Instant?
    }

    fileprivate struct State {
        var rotation: HostRotation
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
        /// Whether a task runs that ends waits in time.
        var hasTimer = false
        /// How many have waited, and do not run yet.
        var resumed = 0
        /// Whether nobody waits any more.
        var isStopped = false
    }

    /// What others do can make a wait shorter than its timer knew.
    fileprivate static let timerInterval = Duration.milliseconds(20)

    private let state: Mutex<State>

    init(host: Bits128) { state = Mutex(State(rotation: HostRotation(host: host))) }

    // MARK: Writes

    /// Returns when this host may write, as far as that is known; at the latest after `timeout`,
    /// and when the task is cancelled.
    ///
    /// - Parameters:
    ///   - ask: tells the other hosts that this one waits, and whether it was late.
    ///   - pass: passes the writer lease on when all that is under way has ended, with
    ///     ``passed(to:)`` or ``keep()``. Both return at once.
    func enter(timeout: Duration?, ask: (Bool) -> Void, pass: (Bits128) -> Void) async {
        var deadline: Instant?
        while !Task.isCancelled {
            switch state.withLock({ $0.next() }) {
            case .write: return
            case .ask(let isLate): ask(isLate)
            case .pass(let asker): pass(asker)
            case .wait:
                deadline = deadline ?? timeout.map { .now + $0 }
                if let deadline, Instant.now >= deadline { return }
                await wait(until: deadline)
            }
        }
    }

    private func wait(until deadline: Instant?) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            // Unsafe: resumed once, by who takes it out of the list, or here.
            await withUnsafeContinuation { continuation in
                let (waits, needsTimer) = state.withLock { state in
                    // Under the lock: who cancels after this finds it in the list.
                    if Task.isCancelled || state.isStopped || state.rotation.waitEnd == nil {
                        state.resumed += 1
                        return (false, false)
                    }
                    state.waiters[number] = Waiter(continuation: continuation, deadline: deadline)
                    defer { state.hasTimer = true }
                    return (true, !state.hasTimer)
                }
                if !waits { continuation.resume() }
                // Of nobody: it outlives the task that was first.
                if needsTimer { Task.detached(priority: .high) { await self.endWaitsInTime() } }
            }
        } onCancel: {
            state.withLock { $0.take(number) }?.continuation.resume()
        }
        state.withLock { $0.resumed -= 1 }
    }

    private func endWaitsInTime() async {
        while true {
            let (ended, next) = state.withLock { $0.expire(.now) }
            for waiter in ended { waiter.continuation.resume() }
            guard let next else { return }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }

    /// The host has appended something.
    func noteAppend() { state.withLock { $0.rotation.noteAppend(at: .now) } }

    /// Another host was first.
    func noteLoss() { state.withLock { $0.rotation.noteLoss(at: .now) } }

    // MARK: Other hosts

    /// Another host has appended something.
    func noteEntry(of author: Bits128) {
        state.withLock { $0.rotation.noteEntry(of: author, at: .now) }
    }

    /// Takes messages, once all entries from before they were sent are applied.
    func receive(_ messages: [HostMessage]) {
        if messages.isEmpty { return }
        let waiters = state.withLock { state in
            var mayGoOn = false
            for message in messages where state.rotation.receive(message, at: .now) {
                mayGoOn = true
            }
            return mayGoOn ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The host that waits for this one, and how long it does at least.
    var successor: (host: Bits128, delay: Duration)? {
        let successor = state.withLock { state in
            state.rotation.successor(isAboutToWrite: state.resumed > 0)
        }
        guard let (host, notBefore) = successor else { return nil }
        return (host, notBefore - .now)
    }

    func passed(to next: Bits128) { state.withLock { $0.rotation.passed(to: next, at: .now) } }

    /// The writer lease was not passed on.
    func keep() { release { $0.rotation.keep() } }

    /// Ends all waits, and those that come later.
    func stop() { release { $0.isStopped = true } }

    private func release(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}

extension HostGate.State {
    fileprivate mutating func next() -> HostRotation.Step {
        isStopped ? .write : rotation.next(at: .now)
    }

    fileprivate mutating func takeWaiters() -> [HostGate.Waiter] {
        defer { waiters = [:] }
        resumed += waiters.count
        return Array(waiters.values)
    }

    fileprivate mutating func take(_ number: Int) -> HostGate.Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        resumed += 1
        return waiter
    }

    /// Takes out those whose wait is over; also when to look again, nil when nobody waits.
    fileprivate mutating func expire(
        _ now: HostGate.Instant
    ) -> (ended: [HostGate.Waiter], next: HostGate.Instant?) {
        guard let end = rotation.waitEnd, now < end else {
            hasTimer = false
            return (takeWaiters(), nil)
        }
        let late = waiters.filter { $0.value.deadline.map { $0 <= now } ?? false }
        let ended = late.keys.compactMap { take($0) }
        hasTimer = !waiters.isEmpty
        let next = min(end, now + HostGate.timerInterval)
        return (ended, hasTimer ? next : nil)
    }
}
