import Synchronization

/// Makes the writes of this host wait while another one has the writer lease: runs ``HostRotation``
/// with continuations and a timer.
package final class HostGate: Sendable {
    fileprivate struct Waiter {
        let continuation: UnsafeContinuation<Void, Never>
        let deadline: Instant?
    }

    fileprivate struct State {
        var rotation: HostRotation
        /// By number. They are resumed in ascending order.
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
        /// Whether a task runs that ends waits at their deadlines.
        var hasTimer = false
        /// How many waiters were resumed, and do not run yet.
        var resumed = 0
        /// Whether the gate is open for good, since the store is being closed.
        var isStopped = false
    }

    /// The longest sleep of the timer: events can shorten a wait after it was set.
    fileprivate static let timerInterval = Duration.milliseconds(20)

    private let state: Mutex<State>

    init(host: Bits128) { state = Mutex(State(rotation: HostRotation(host: host))) }

    // MARK: Writes

    /// Returns when this host may write, as far as is known; at the latest after `timeout`, or when
    /// the task is cancelled.
    ///
    /// - Parameters:
    ///   - request: notifies the other hosts that this one waits, and whether it was late.
    ///   - pass: passes the writer lease on when all writes in progress have ended, and calls
    ///     ``passed(to:)`` or ``keep()``. Both return at once.
    func enter(timeout: Duration?, request: (Bool) -> Void, pass: (Bits128) -> Void) async {
        var deadline: Instant?
        // A write that has to wait again keeps its place before those that arrived after it.
        var number: Int?
        while !Task.isCancelled {
            switch state.withLock({ $0.next() }) {
            case .write: return
            case .request(let isLate): request(isLate)
            case .pass(let requester): pass(requester)
            case .wait:
                deadline = deadline ?? timeout.map { .now + $0 }
                if let deadline, Instant.now >= deadline { return }
                let own = number ?? state.withLock { $0.makeNumber() }
                number = own
                await wait(own, until: deadline)
            }
        }
    }

    private func wait(_ number: Int, until deadline: Instant?) async {
        await withCancellationHandler {
            // Unsafe: resumed once, by the code that removes it from the list, or here.
            await withUnsafeContinuation { continuation in
                let (waits, needsTimer) = state.withLock { state in
                    // Checked under the lock: a later cancellation finds the waiter in the list.
                    if Task.isCancelled || state.isStopped || state.rotation.waitEnd == nil {
                        state.resumed += 1
                        return (false, false)
                    }
                    state.waiters[number] = Waiter(continuation: continuation, deadline: deadline)
                    defer { state.hasTimer = true }
                    return (true, !state.hasTimer)
                }
                if !waits { continuation.resume() }
                // Detached: it outlives the task that has started it.
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
            try? await next.sleep()
        }
    }

    /// This host has appended an entry.
    func noteAppend() { state.withLock { $0.rotation.noteAppend(at: .now) } }

    /// An append of this host has lost against another one.
    func noteLoss() { state.withLock { $0.rotation.noteLoss(at: .now) } }

    /// This host has another identifier from now on.
    func rename(_ host: Bits128) { state.withLock { $0.rotation.rename(host) } }

    // MARK: Other hosts

    /// Another host has appended an entry.
    func noteEntry(of author: Bits128) {
        state.withLock { $0.rotation.noteEntry(of: author, at: .now) }
    }

    /// Processes messages, once all entries from before they were sent are applied.
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

    /// The first host that waits for the lease, and how long this host keeps it at least.
    var successor: (host: Bits128, delay: Duration)? {
        let successor = state.withLock { state in
            state.rotation.successor(isAboutToWrite: state.resumed > 0)
        }
        guard let (host, notBefore) = successor else { return nil }
        return (host, notBefore - .now)
    }

    /// This host has read entries; the last one is of `author`.
    func noteRead(of author: Bits128) {
        state.withLock { $0.rotation.noteRead(of: author) }
    }

    /// The host that has the writer lease, as far as this one knows; nil if it does not.
    var leaseHolder: Bits128? { state.withLock { $0.rotation.leaseHolder } }

    func passed(to next: Bits128) { state.withLock { $0.rotation.passed(to: next, at: .now) } }

    /// The writer lease is kept.
    func keep() { release { $0.rotation.keep() } }

    /// Ends all current and later waits.
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

    fileprivate mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Removes all waiters, in the order of their arrival.
    fileprivate mutating func takeWaiters() -> [HostGate.Waiter] {
        waiters.keys.sorted().compactMap { take($0) }
    }

    fileprivate mutating func take(_ number: Int) -> HostGate.Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        resumed += 1
        return waiter
    }

    /// Removes the waiters whose wait is over; also when to check again, nil if there are no
    /// others.
    fileprivate mutating func expire(
        _ now: Instant
    ) -> (ended: [HostGate.Waiter], next: Instant?) {
        guard let end = rotation.waitEnd, now < end else {
            hasTimer = false
            return (takeWaiters(), nil)
        }
        let late = waiters.filter { $0.value.deadline.map { $0 <= now } ?? false }
        let ended = late.keys.sorted().compactMap { take($0) }
        hasTimer = !waiters.isEmpty
        let next = min(end, now + HostGate.timerInterval)
        return (ended, hasTimer ? next : nil)
    }
}
