import Testing

@testable import Storage

/// Time is passed in: every one of these is the same on every machine.
@Suite struct GroupPatienceTests {
    private let sync = Duration.microseconds(100)

    /// A box, because an expectation changes nothing that it is given.
    private final class Patience {
        private var patience = GroupPatience()
        var awaited: Int? { patience.awaited }

        func synced(_ told: Int, _ collected: Int, after duration: Duration) -> Duration? {
            patience.groupSynced(told: told, collected: collected, after: duration)
        }

        func isComplete(_ count: Int) -> Bool { patience.isComplete(count) }
        func timeIsUp() { patience.timeIsUp() }
        func giveUp() { patience.giveUp() }
    }

    @Test func aLoneWriterIsNeverWaitedFor() {
        let patience = Patience()
        for _ in 0..<100 {
            #expect(patience.synced(1, 0, after: sync) == nil)
            #expect(patience.isComplete(1))
        }
    }

    @Test func waitsForThoseWhoWereTold() {
        let patience = Patience()
        #expect(patience.synced(8, 0, after: sync) == sync)
        for count in 1..<8 { #expect(!patience.isComplete(count)) }
        #expect(patience.isComplete(8))
        #expect(patience.awaited == nil && patience.isComplete(1))
    }

    /// Two halves that wait for each other's syncs become one group.
    @Test func halvesAreJoined() {
        let patience = Patience()
        #expect(patience.synced(4, 4, after: sync) == sync)
        #expect(!patience.isComplete(7) && patience.isComplete(8))
    }

    @Test func aWaitInVainIsNotRepeatedAtOnce() {
        let patience = Patience()
        func waits() -> Bool { patience.synced(8, 8, after: sync) != nil }
        var pauses: [Int] = []
        for _ in 0..<10 {
            var pause = 0
            while !waits() { pause += 1 }
            pauses.append(pause)
            patience.timeIsUp()
            #expect(patience.isComplete(1))
        }
        #expect(pauses == [0, 1, 3, 7, 15, 31, 63, 64, 64, 64])
        for _ in 0..<64 { #expect(!waits()) }
        #expect(waits() && patience.isComplete(16))
        // Two halves have met, and come back together.
        #expect(patience.synced(16, 0, after: sync) != nil && patience.isComplete(16))
        #expect(waits())
        patience.timeIsUp()
        #expect(!waits() && waits())
    }

    @Test func aSlowSyncNowAndThenIsNoMeasure() {
        let patience = Patience()
        for round in 0..<1000 {
            let duration = round % 10 == 9 ? sync * 100 : sync
            let wait = patience.synced(2, 0, after: duration)
            if round > 10, let wait { #expect(wait < sync * 2) }
            #expect(patience.isComplete(2))
        }
    }

    @Test func whoeverAsksForTheGroupEndsTheWait() {
        let patience = Patience()
        _ = patience.synced(8, 0, after: sync)
        patience.giveUp()
        #expect(patience.isComplete(1))
        patience.timeIsUp()
        #expect(patience.synced(8, 0, after: sync) != nil, "no failure")
    }
}
