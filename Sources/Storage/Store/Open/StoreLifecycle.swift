/// The answer to a caller who wants a store closed, reopened or suspended.
enum StoreNews: Equatable {
    /// It is so, or not wanted any more.
    case done
    /// It is his to do now.
    case begin
    /// The store is closed, or about to be.
    case closed
}

/// Closing, reopening and suspending a store: what is under way of it, and what comes next. Pure:
/// it holds no lock, no engine and no file; the store performs the actions it returns.
///
/// Closing and reopening exclude each other. A call of one while the other is under way is
/// kept, and told at its end that there is nothing left to do, or that it is his to do now: the
/// phase changes in the same step, so that nobody comes in between. Three rules hold at every step:
///
/// - *Nobody is forgotten.* At the end of what is under way everybody who waits for it is resumed,
///   or goes on waiting for what begins then, however it ended.
/// - *A store is closed once.* What was opened is closed by exactly one of those who ask for that,
///   and what was closed is opened by one.
/// - *A suspension holds the turn to write, or will pass it on.* Nobody closes or reopens a store
///   while its suspension keeps the turn.
struct StoreLifecycle<Waiter> {
    enum Phase: Equatable {
        /// The store reads and writes.
        case open
        /// Writes that come are refused; those that have begun are waited for.
        case closing
        case closed
        /// `isOpen`: what is to be closed first is not closed yet, and can still be used.
        case reopening(isOpen: Bool)
    }

    enum Suspension: Equatable {
        case none
        /// Someone waits for the turn, to keep it.
        case begins
        /// As `begins`, but that is not wanted any more: the turn will be passed on.
        case ended
        /// It has the turn.
        case holds
    }

    /// What is to be done after a step, without a lock.
    struct Actions {
        /// The suspension had the turn to write: pass it on.
        var releasesTurn = false
        /// Whom to notify of what.
        var told: [(waiter: Waiter, news: StoreNews)] = []
    }

    private(set) var phase = Phase.open
    private(set) var suspension = Suspension.none
    private var closers: [Waiter] = []
    private var reopeners: [Waiter] = []
    private var suspenders: [Waiter] = []
    private var writers: [Waiter] = []

    /// Whether the store cannot be used at present.
    var isClosed: Bool {
        switch phase {
        case .open, .reopening(isOpen: true): false
        case .closing, .closed, .reopening(isOpen: false): true
        }
    }

    // MARK: Closing and reopening

    /// Someone wants the store closed. Without news, it waits.
    mutating func close(_ waiter: Waiter) -> (news: StoreNews?, actions: Actions) {
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

    /// Someone wants the store closed, if it is open, and opened. Without news, it waits.
    mutating func reopen(_ waiter: Waiter) -> (news: StoreNews?, actions: Actions) {
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

    /// A write waits for the end of a reopening. Without news, it waits.
    mutating func awaitReopening(_ waiter: Waiter) -> StoreNews? {
        switch phase {
        case .open: return .done
        case .closing, .closed: return .closed
        case .reopening:
            writers.append(waiter)
            return nil
        }
    }

    /// What was open is closed now: for good, or to be opened anew.
    mutating func hasClosed() -> Actions {
        switch phase {
        case .closing: return beClosed()
        case .reopening(isOpen: true): phase = .reopening(isOpen: false)
        case .reopening(isOpen: false), .open, .closed:
            preconditionFailure("A store was closed that nobody had begun to close.")
        }
        return Actions()
    }

    /// Reopening has ended, and the store is open, or could not be opened and stays closed.
    mutating func hasReopened(isOpen: Bool) -> Actions {
        guard case .reopening(isOpen: false) = phase else {
            preconditionFailure("A store was opened that nobody had begun to open.")
        }
        return isOpen ? beOpen() : beClosed()
    }

    private mutating func beClosed() -> Actions {
        phase = .closed
        var actions = Actions()
        actions.told = Self.take(&closers, .done) + Self.take(&suspenders, .closed)
        actions.told += Self.take(&writers, .closed)
        if !reopeners.isEmpty {
            phase = .reopening(isOpen: false)
            actions.told.append((reopeners.removeFirst(), .begin))
        }
        return actions
    }

    private mutating func beOpen() -> Actions {
        phase = .open
        var actions = Actions()
        actions.told = Self.take(&reopeners, .done) + Self.take(&writers, .done)
        if !closers.isEmpty {
            phase = .closing
            actions.told += Self.take(&suspenders, .closed)
            actions.told.append((closers.removeFirst(), .begin))
        } else if !suspenders.isEmpty {
            // A task that still waits for the write turn, of a suspension that has ended, takes it
            // for these.
            if suspension == .none { actions.told.append((suspenders.removeFirst(), .begin)) }
            suspension = .begins
        }
        return actions
    }

    // MARK: Suspending

    /// Someone wants nobody to write. Without news, it waits. Who is to begin waits for the turn to
    /// write, and then says so, or that it could not be had.
    mutating func suspend(_ waiter: Waiter) -> StoreNews? {
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

    /// The turn has come to the call that had to begin. Without actions to pass it on, it is kept.
    mutating func suspensionHasTurn() -> Actions {
        var actions = Actions()
        switch suspension {
        case .begins:
            suspension = .holds
            actions.told = Self.take(&suspenders, .done)
        case .ended:
            suspension = .none
            actions.releasesTurn = true
        case .none, .holds: preconditionFailure("A suspension got a turn that it did not wait for.")
        }
        return actions
    }

    /// The call that had to begin gave up waiting for the turn: the next who wants it begins.
    mutating func suspensionHasFailed() -> Actions {
        var actions = Actions()
        if suspension == .begins, !suspenders.isEmpty {
            actions.told = [(suspenders.removeFirst(), .begin)]
        } else {
            suspension = .none
        }
        return actions
    }

    /// Nobody wants it suspended any more.
    mutating func resume() -> Actions { endSuspension(.done) }

    private mutating func endSuspension(_ news: StoreNews) -> Actions {
        var actions = Actions()
        actions.told = Self.take(&suspenders, news)
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
        _ waiters: inout [Waiter], _ news: StoreNews
    ) -> [(waiter: Waiter, news: StoreNews)] {
        defer { waiters = [] }
        return waiters.map { ($0, news) }
    }
}

extension StoreLifecycle.Actions: Sendable where Waiter: Sendable {}
extension StoreLifecycle: Sendable where Waiter: Sendable {}
