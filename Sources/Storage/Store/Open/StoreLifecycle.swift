/// The reply to a request to close, reopen or suspend a store.
enum LifecycleReply: Equatable {
    /// It is done, or no longer requested.
    case done
    /// The caller has to do it now.
    case begin
    /// The store is closed, or about to be.
    case closed
}

/// The state machine of closing, reopening and suspending a store. Pure: it holds no lock, no
/// engine and no file; the store performs the actions that it returns.
///
/// Closing and reopening exclude each other. A call of one during the other waits, and learns at
/// its end that there is nothing left to do, or that it has to do it now: the phase changes in the
/// same step, so that no other call comes in between. Three rules hold at every step:
///
/// - *No waiter is lost.* At the end of an operation, however it ended, all that wait for it are
///   resumed, or continue to wait for the operation that begins then.
/// - *A store is closed once.* An open store is closed by exactly one of the callers that request
///   it, and a closed one is reopened by exactly one.
/// - *A suspension holds the turn to write, or will release it.* A store is not closed or reopened
///   while its suspension holds the turn.
struct StoreLifecycle<Waiter> {
    enum Phase: Equatable {
        /// The store reads and writes.
        case open
        /// New writes are refused; those that have begun are waited for.
        case closing
        case closed
        /// `isOpen`: the engine that is to be replaced is not closed yet, and can still be used.
        case reopening(isOpen: Bool)
    }

    enum Suspension: Equatable {
        case none
        /// A call waits for the turn.
        case begins
        /// As `begins`, but no longer requested: the turn will be released.
        case ended
        /// It has the turn.
        case holds
    }

    /// The effects of a step, to be performed outside the lock.
    struct Actions {
        /// The suspension held the turn to write: release it.
        var releasesTurn = false
        /// The waiters to resume, and with what.
        var notifications: [(waiter: Waiter, reply: LifecycleReply)] = []
    }

    private(set) var phase = Phase.open
    private(set) var suspension = Suspension.none
    private var closers: [Waiter] = []
    private var reopeners: [Waiter] = []
    private var suspenders: [Waiter] = []
    private var writers: [Waiter] = []

    /// Whether the store cannot be used now.
    var isClosed: Bool {
        switch phase {
        case .open, .reopening(isOpen: true): false
        case .closing, .closed, .reopening(isOpen: false): true
        }
    }

    // MARK: Closing and reopening

    /// A request to close the store. It waits if there is no reply.
    mutating func close(_ waiter: Waiter) -> (reply: LifecycleReply?, actions: Actions) {
        switch phase {
        case .open:
            phase = .closing
            return (.begin, endSuspension(.closed))
        case .closed:
            return (.done, Actions())
        case .closing, .reopening:
            closers.append(waiter)
            return (nil, Actions())
        }
    }

    /// A request to reopen the store. It waits if there is no reply.
    mutating func reopen(_ waiter: Waiter) -> (reply: LifecycleReply?, actions: Actions) {
        switch phase {
        case .open:
            phase = .reopening(isOpen: true)
            return (.begin, endSuspension(.done))
        case .closed:
            phase = .reopening(isOpen: false)
            return (.begin, Actions())
        case .closing, .reopening:
            reopeners.append(waiter)
            return (nil, Actions())
        }
    }

    /// A write waits for the end of a reopening, if there is no reply.
    mutating func awaitReopening(_ waiter: Waiter) -> LifecycleReply? {
        switch phase {
        case .open: return .done
        case .closing, .closed: return .closed
        case .reopening:
            writers.append(waiter)
            return nil
        }
    }

    /// The engine is closed now: finally, or to be replaced.
    mutating func hasClosed() -> Actions {
        switch phase {
        case .closing: return becomeClosed()
        case .reopening(isOpen: true): phase = .reopening(isOpen: false)
        case .reopening(isOpen: false), .open, .closed:
            preconditionFailure("A store was closed that nobody had begun to close.")
        }
        return Actions()
    }

    /// A reopening has ended: the store is open, or could not be opened and stays closed.
    mutating func hasReopened(isOpen: Bool) -> Actions {
        guard case .reopening(isOpen: false) = phase else {
            preconditionFailure("A store was opened that nobody had begun to open.")
        }
        return isOpen ? becomeOpen() : becomeClosed()
    }

    private mutating func becomeClosed() -> Actions {
        phase = .closed
        var actions = Actions()
        actions.notifications = Self.take(&closers, .done) + Self.take(&suspenders, .closed)
        actions.notifications += Self.take(&writers, .closed)
        if !reopeners.isEmpty {
            phase = .reopening(isOpen: false)
            actions.notifications.append((reopeners.removeFirst(), .begin))
        }
        return actions
    }

    private mutating func becomeOpen() -> Actions {
        phase = .open
        var actions = Actions()
        actions.notifications = Self.take(&reopeners, .done) + Self.take(&writers, .done)
        if !closers.isEmpty {
            phase = .closing
            actions.notifications += Self.take(&suspenders, .closed)
            actions.notifications.append((closers.removeFirst(), .begin))
        } else if !suspenders.isEmpty {
            // If a task of an ended suspension still waits for the turn, it takes it for these.
            if suspension == .none {
                actions.notifications.append((suspenders.removeFirst(), .begin))
            }
            suspension = .begins
        }
        return actions
    }

    // MARK: Suspending

    /// A request to suspend the store, which waits if there is no reply. After `.begin`, the caller
    /// waits for the turn to write, and reports whether it has got it.
    mutating func suspend(_ waiter: Waiter) -> LifecycleReply? {
        switch phase {
        case .closing, .closed: return .closed
        case .open where suspension == .none:
            suspension = .begins
            return .begin
        case .open where suspension == .holds: return .done
        case .open: suspension = .begins
        case .reopening: break
        }
        suspenders.append(waiter)
        return nil
    }

    /// The call that had to begin has got the turn. It keeps it, unless the actions release it.
    mutating func suspensionHasTurn() -> Actions {
        var actions = Actions()
        switch suspension {
        case .begins:
            suspension = .holds
            actions.notifications = Self.take(&suspenders, .done)
        case .ended:
            suspension = .none
            actions.releasesTurn = true
        case .none, .holds: preconditionFailure("A suspension got a turn that it did not wait for.")
        }
        return actions
    }

    /// The call that had to begin has failed to get the turn: the next request begins.
    mutating func suspensionHasFailed() -> Actions {
        var actions = Actions()
        if suspension == .begins, !suspenders.isEmpty {
            actions.notifications = [(suspenders.removeFirst(), .begin)]
        } else {
            suspension = .none
        }
        return actions
    }

    /// The suspension ends.
    mutating func resume() -> Actions { endSuspension(.done) }

    private mutating func endSuspension(_ reply: LifecycleReply) -> Actions {
        var actions = Actions()
        actions.notifications = Self.take(&suspenders, reply)
        switch suspension {
        case .begins: suspension = .ended
        case .holds:
            suspension = .none
            actions.releasesTurn = true
        case .none, .ended: break
        }
        return actions
    }

    private static func take(
        _ waiters: inout [Waiter], _ reply: LifecycleReply
    ) -> [(waiter: Waiter, reply: LifecycleReply)] {
        defer { waiters = [] }
        return waiters.map { ($0, reply) }
    }
}

extension StoreLifecycle.Actions: Sendable where Waiter: Sendable {}
extension StoreLifecycle: Sendable where Waiter: Sendable {}
