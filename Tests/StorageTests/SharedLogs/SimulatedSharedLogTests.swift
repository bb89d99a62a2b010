import StorageHarness
import Testing

@testable import Storage

/// Each fault of the simulated engine has its documented effect.
@Suite struct SimulatedSharedLogTests {
    private typealias Faults = SimulatedSharedLog.Faults

    /// Two hosts on an engine on which this fault always occurs.
    private static func hosts(
        always fault: WritableKeyPath<Faults, Int?>? = nil
    ) -> (engine: SimulatedSharedLog.Engine, SimulatedSharedLog, SimulatedSharedLog) {
        var faults = Faults()
        if let fault { faults[keyPath: fault] = 1 }
        let engine = SimulatedSharedLog.Engine(seed: 1, faults, waits: false)
        return (engine, SimulatedSharedLog(engine), SimulatedSharedLog(engine))
    }

    private static func appendIsUnknown(_ log: SimulatedSharedLog, _ slot: LogSlot) -> Bool {
        do {
            _ = try log.append([7], at: slot)
            return false
        } catch .outcomeUnknown {
            return true
        } catch {
            return false
        }
    }

    @Test func requestsAreLost() throws {
        let (engine, log, _) = Self.hosts(always: \.requestLost)
        #expect(Self.appendIsUnknown(log, .first))
        engine.deliverAll()
        #expect(try log.head().next == .first)
    }

    @Test func acknowledgementsAreLost() throws {
        let (engine, log, other) = Self.hosts(always: \.acknowledgementLost)
        #expect(Self.appendIsUnknown(log, .first))
        #expect(try other.entries(from: .first, bytesMax: 9).map(\.bytes) == [[7]])
        #expect(engine.lateRequests == 0)
    }

    /// The entry arrives with a call of another host.
    @Test func requestsAreLate() throws {
        let (engine, log, other) = Self.hosts(always: \.requestDelayed)
        #expect(Self.appendIsUnknown(log, .first))
        #expect(engine.lateRequests == 1)
        var calls = 0
        while try other.head().next == .first, calls < 100 { calls += 1 }
        #expect(try other.entries(from: .first, bytesMax: 9).map(\.bytes) == [[7]])
        #expect(engine.lateRequests == 0)
    }

    /// A request that arrives after another host has filled the slot changes nothing.
    @Test func aLateRequestFindsItsSlotTaken() throws {
        let (engine, log, other) = Self.hosts(always: \.requestDelayed)
        #expect(Self.appendIsUnknown(log, LogSlot(2)))
        engine.faults = Faults()
        #expect(try other.append([1], at: .first))
        let isFirst = try other.append([2], at: LogSlot(2))
        engine.deliverAll()
        let found = try other.entries(from: LogSlot(2), bytesMax: 9).map(\.bytes)
        #expect(found == (isFirst ? [[2]] : [[7]]))
    }

    @Test func requestsArriveTwice() throws {
        let (engine, log, _) = Self.hosts(always: \.requestDuplicated)
        #expect(try log.append([1], at: .first))
        #expect(engine.lateRequests == 1)
        engine.deliverAll()
        #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1]])
    }

    @Test func messagesAreLost() throws {
        let (_, log, other) = Self.hosts(always: \.messageLost)
        try log.send([1])
        #expect(try other.wait(for: .first, atMost: .zero).isEmpty)
    }

    @Test func messagesArriveTwice() throws {
        let (_, log, other) = Self.hosts(always: \.messageDuplicated)
        try log.send([1])
        #expect(try other.wait(for: .first, atMost: .zero) == [[1], [1]])
    }

    @Test func notificationsAreLost() throws {
        let (engine, log, other) = Self.hosts(always: \.notificationLost)
        try log.send([1])
        #expect(try other.wait(for: .first, atMost: .zero).isEmpty)
        engine.faults = Faults()
        #expect(try other.wait(for: .first, atMost: .zero).isEmpty, "the message is gone")
    }

    @Test func hostsAreCutOff() throws {
        let (_, log, other) = Self.hosts()
        log.cutOff(forCalls: 2)
        #expect(throws: SharedLogError.unavailable("cut off")) { try log.append([1], at: .first) }
        #expect(try other.append([2], at: .first))
        #expect(throws: SharedLogError.unavailable("cut off")) { try log.head() }
        #expect(try log.head().next == LogSlot(2))
        log.cutOff()
        for _ in 0..<20 { #expect(throws: SharedLogError.self) { try log.barrier() } }
        log.heal()
        try log.barrier()
    }

    @Test func outagesHappen() throws {
        let (engine, log, _) = Self.hosts(always: \.outage)
        #expect(throws: SharedLogError.unavailable("cut off")) { try log.head() }
        engine.faults = Faults()
        for _ in 1..<engine.faults.outageLength {
            #expect(throws: SharedLogError.unavailable("cut off")) { try log.head() }
        }
        #expect(try log.head().next == .first)
    }

    @Test func readsAreStale() throws {
        let (engine, log, _) = Self.hosts()
        for slot in 1...9 { #expect(try log.append([UInt8(slot)], at: LogSlot(UInt64(slot)))) }
        engine.faults.staleRead = 1
        #expect((6...8).contains(try log.entries(from: .first, bytesMax: 99).count))
        #expect(try log.entries(from: LogSlot(9), bytesMax: 99).isEmpty)
        #expect(try log.head().next == LogSlot(10), "the head is not stale")
        #expect(engine.occurrences == [.staleRead: 2])
    }

    /// A log of one entry, and a second one that waited for standbys when the server was killed.
    private static func restarted() throws -> (
        engine: SimulatedSharedLog.Engine, SimulatedSharedLog, SimulatedSharedLog
    ) {
        let (engine, log, other) = Self.hosts()
        #expect(try log.append([1], at: .first))
        engine.areStandbysAway = true
        #expect(Self.appendIsUnknown(log, LogSlot(2)))
        #expect(try other.entries(from: LogSlot(2), bytesMax: 9).isEmpty, "it is not to be seen")
        engine.restart()
        for log in [log, other] {
            #expect(throws: SharedLogError.unavailable("the connection has ended")) {
                try log.head()
            }
        }
        #expect(try other.entries(from: LogSlot(2), bytesMax: 9).map(\.bytes) == [[7]])
        return (engine, log, other)
    }

    /// Reading an entry does not prove that it is durable.
    @Test func aFailoverLosesWhatWasOnlyRead() throws {
        let (engine, _, other) = try Self.restarted()
        engine.failOver()
        #expect(throws: SharedLogError.self) { try other.head() }
        #expect(try other.head().next == LogSlot(2))
        #expect(try other.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1]])
    }

    @Test(arguments: [true, false])
    func aFailoverLosesNothingThatIsCovered(byBarrier: Bool) throws {
        let (engine, _, other) = try Self.restarted()
        if byBarrier {
            try other.barrier()
        } else {
            #expect(try other.append([2], at: LogSlot(3)))
        }
        engine.failOver()
        #expect(throws: SharedLogError.self) { try other.head() }
        #expect(try other.entries(from: LogSlot(2), bytesMax: 1).map(\.bytes) == [[7]])
        #expect(try other.head().next == LogSlot(byBarrier ? 3 : 4))
    }

    @Test func aFailoverLosesRequestsOnTheirWay() throws {
        let (engine, log, _) = Self.hosts(always: \.requestDelayed)
        #expect(Self.appendIsUnknown(log, .first))
        engine.failOver()
        engine.deliverAll()
        #expect(throws: SharedLogError.self) { try log.head() }
        #expect(try log.head().next == .first)
    }

    /// The results of a thousand calls of three hosts.
    private static func history(seed: UInt64) -> [String] {
        let engine = SimulatedSharedLog.Engine(seed: seed, .all, waits: false)
        let hosts = (0..<3).map { _ in SimulatedSharedLog(engine) }
        return (0..<1000).map { call in
            let host = hosts[call % 3]
            do throws(SharedLogError) {
                let slot = try host.head().next
                if call % 7 == 0 { try host.send([UInt8(call % 256)]) }
                return "\(try host.append([UInt8(call % 256)], at: slot))"
            } catch {
                return "\(error)"
            }
        }
    }

    @Test func aSeedGivesTheSameHistoryAgain() {
        #expect(Self.history(seed: 5) == Self.history(seed: 5))
        #expect(Self.history(seed: 5) != Self.history(seed: 6))
        #expect(Set(Self.history(seed: 5)).count >= 5, "every kind of outcome is there")
    }
}
