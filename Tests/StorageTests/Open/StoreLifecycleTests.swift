import Testing

@testable import Storage

/// Every state of closing, reopening and suspending, with requests and outcomes in any order and up
/// to two waiters of each kind, compared with a model that records only the waiters and the holder
/// of the write turn.
@Suite struct StoreLifecycleTests {
    enum Event: CaseIterable {
        case close, reopen, suspend, resume
        /// The operation in progress gets the turn to write, and ends.
        case getsTurn, hasClosed, hasReopened, hasFailed
        /// The suspension gets the turn, or stops waiting for it.
        case suspensionHasTurn, suspensionHasFailed
    }

    @Test func everyOrderOfEvents() {
        var found: [String: LifecycleModel] = [:]
        var next = [LifecycleModel()]
        while let model = next.popLast() {
            if found.updateValue(model, forKey: model.name) != nil { continue }
            for event in Event.allCases where model.allows(event) {
                var after = model
                after.perform(event)
                after.check(after: event, in: model.name)
                next.append(after)
            }
        }
        #expect(found.count > 100)
        for model in found.values {
            for succeeds in [true, false] {
                var model = model
                let name = model.name
                let hasEnded = model.comesToAnEnd(succeeds)
                #expect(hasEnded, "\(name) does not come to an end")
            }
        }
    }

    @Test func readersDuringACompactionSeeNoGap() {
        var lifecycle = StoreLifecycle<Int>()
        let first = lifecycle.reopen(1).reply
        #expect(first == .begin && !lifecycle.isClosed)
        let others = [
            lifecycle.close(2).reply, lifecycle.close(3).reply, lifecycle.reopen(4).reply,
            lifecycle.suspend(5),
        ]
        #expect(others == [nil, nil, nil, nil])
        let early = lifecycle.hasClosed().notifications
        #expect(early.isEmpty && lifecycle.isClosed)
        let notifications = lifecycle.hasReopened(isOpen: true).notifications
        #expect(notifications.map(\.waiter) == [4, 5, 2])
        #expect(notifications.map(\.reply) == [.done, .closed, .begin])
        #expect(lifecycle.isClosed)
        let last = lifecycle.hasClosed().notifications
        #expect(last.map(\.waiter) == [3] && lifecycle.phase == .closed)
    }

    @Test func aWriteWaitsForTheEndOfAReopening() {
        for isOpen in [true, false] {
            var lifecycle = StoreLifecycle<Int>()
            let before = lifecycle.awaitReopening(1)
            _ = lifecycle.reopen(2)
            let meanwhile = lifecycle.awaitReopening(3)
            let early = lifecycle.hasClosed().notifications
            #expect(before == .done && meanwhile == nil && early.isEmpty)
            let notifications = lifecycle.hasReopened(isOpen: isOpen).notifications
            let reply: LifecycleReply = isOpen ? .done : .closed
            #expect(notifications.map(\.waiter) == [3])
            #expect(notifications.map(\.reply) == [reply])
            let after = lifecycle.awaitReopening(4)
            #expect(after == reply)
        }
    }

    @Test func anEndedSuspensionReleasesTheTurn() {
        var lifecycle = StoreLifecycle<Int>()
        let replies = [lifecycle.suspend(1), lifecycle.suspend(2)]
        #expect(replies == [.begin, nil])
        let notifications = lifecycle.close(3).actions.notifications
        #expect(notifications.map(\.reply) == [.closed])
        let releasesTurn = lifecycle.suspensionHasTurn().releasesTurn
        #expect(releasesTurn && lifecycle.suspension == .none)
    }
}

/// The lifecycle with its expected state.
private struct LifecycleModel {
    typealias Event = StoreLifecycleTests.Event
    enum Kind: String { case close, reopen, suspend }
    enum Turn: String { case free, suspension, work }

    var lifecycle = StoreLifecycle<Int>()
    var lastWaiter = 0
    var waiting: [Int: Kind] = [:]
    /// The operation that a caller has to perform.
    var work: Kind?
    var isOpen = true
    /// The number of tasks that wait for the turn for a suspension.
    var takers = 0
    var turn = Turn.free

    /// A description that is equal for equivalent states: it omits the identities of waiters.
    var name: String {
        let counts = [Kind.close, .reopen, .suspend].map { count($0) }
        let work = work?.rawValue ?? "nothing"
        return "\(lifecycle.phase) \(lifecycle.suspension) \(counts) \(work) \(turn) \(takers)"
    }

    func count(_ kind: Kind) -> Int { waiting.values.count { $0 == kind } }

    func allows(_ event: Event) -> Bool {
        switch event {
        case .close: count(.close) < 2
        case .reopen: count(.reopen) < 2
        case .suspend: count(.suspend) < 2
        case .resume: true
        case .getsTurn: work != nil && turn == .free
        case .hasClosed: turn == .work && isOpen
        case .hasReopened, .hasFailed: turn == .work && work == .reopen && !isOpen
        case .suspensionHasTurn: takers > 0 && turn == .free
        case .suspensionHasFailed: takers > 0
        }
    }

    mutating func perform(_ event: Event) {
        lastWaiter += 1
        switch event {
        case .close:
            waiting[lastWaiter] = .close
            answer(lifecycle.close(lastWaiter))
        case .reopen:
            waiting[lastWaiter] = .reopen
            answer(lifecycle.reopen(lastWaiter))
        case .suspend:
            waiting[lastWaiter] = .suspend
            answer((lifecycle.suspend(lastWaiter), .init()))
        case .resume: perform(lifecycle.resume())
        case .getsTurn: turn = .work
        case .hasClosed:
            isOpen = false
            let isDone = work == .close
            let actions = lifecycle.hasClosed()
            if isDone { endWork() }
            perform(actions)
        case .hasReopened, .hasFailed:
            isOpen = event == .hasReopened
            let actions = lifecycle.hasReopened(isOpen: isOpen)
            endWork()
            perform(actions)
        case .suspensionHasTurn:
            turn = .suspension
            takers -= 1
            perform(lifecycle.suspensionHasTurn())
        case .suspensionHasFailed:
            takers -= 1
            perform(lifecycle.suspensionHasFailed())
        }
    }

    private mutating func endWork() {
        work = nil
        turn = .free
    }

    private mutating func answer(
        _ answer: (reply: LifecycleReply?, actions: StoreLifecycle<Int>.Actions)
    ) {
        let waiter = lastWaiter
        perform(answer.actions)
        if let reply = answer.reply { deliver(waiter, reply) }
    }

    private mutating func perform(_ actions: StoreLifecycle<Int>.Actions) {
        if actions.releasesTurn {
            #expect(turn == .suspension, "a turn is passed on that it does not have")
            turn = .free
        }
        for (waiter, reply) in actions.notifications { deliver(waiter, reply) }
    }

    private mutating func deliver(_ waiter: Int, _ reply: LifecycleReply) {
        guard let kind = waiting.removeValue(forKey: waiter) else {
            Issue.record("replied to twice")
            return
        }
        switch (kind, reply) {
        case (.close, .begin):
            #expect(work == nil && isOpen)
            work = .close
        case (.reopen, .begin):
            #expect(work == nil)
            work = .reopen
        case (.suspend, .begin):
            #expect(takers == 0 && isOpen)
            takers += 1
        case (.close, .done): #expect(!isOpen)
        case (.reopen, .done): #expect(isOpen)
        case (.suspend, .closed): #expect(lifecycle.isClosed)
        case (.suspend, .done): break
        case (.close, .closed), (.reopen, .closed): Issue.record("\(kind) got the reply \(reply)")
        }
    }

    func check(after event: Event, in before: String) {
        let place: Comment = "\(event) in \(before)"
        #expect(lifecycle.isClosed == (!isOpen || work == .close), place)
        #expect((lifecycle.suspension == .holds) == (turn == .suspension), place)
        let waits = [Kind.close, .reopen].contains { count($0) > 0 }
        #expect(work != nil || !waits, "nobody is forgotten: \(place)")
        #expect(count(.suspend) == 0 || takers == 1 || work == .reopen, place)
        #expect(work == nil || turn != .suspension, "nothing waits for a suspension: \(place)")
        guard event == .resume else { return }
        #expect(count(.suspend) == 0 && lifecycle.suspension != .begins, place)
        #expect(turn != .suspension, place)
    }

    /// Whether everything ends without further requests.
    mutating func comesToAnEnd(_ succeeds: Bool) -> Bool {
        let order: [Event] = [
            .suspensionHasTurn, .getsTurn, .hasClosed, succeeds ? .hasReopened : .hasFailed,
        ]
        for _ in 0..<50 {
            guard let event = order.first(where: allows) else { break }
            let before = name
            perform(event)
            check(after: event, in: before)
        }
        return waiting.isEmpty && work == nil && takers == 0 && turn != .work
    }
}
