import Testing

@testable import Storage

/// Time is passed in: every test has the same outcome on every machine.
@Suite struct GroupCommitDelayTests {
    private let sync = Duration.microseconds(100)

    /// A class, because an expectation cannot modify a value that is passed to it.
    private final class Delay {
        private var delay = GroupCommitDelay()
        var awaited: Int? { delay.awaited }

        func synced(_ notified: Int, _ collected: Int, after duration: Duration) -> Duration? {
            delay.groupSynced(notified: notified, collected: collected, after: duration)
        }

        func isComplete(_ count: Int) -> Bool { delay.isComplete(count) }
        func expire() { delay.expire() }
        func cancelWait() { delay.cancelWait() }
    }

    @Test func aSingleWriterNeverWaits() {
        let delay = Delay()
        for _ in 0..<100 {
            #expect(delay.synced(1, 0, after: sync) == nil)
            #expect(delay.isComplete(1))
        }
    }

    @Test func waitsForNotifiedWriters() {
        let delay = Delay()
        #expect(delay.synced(8, 0, after: sync) == sync)
        for count in 1..<8 { #expect(!delay.isComplete(count)) }
        #expect(delay.isComplete(8))
        #expect(delay.awaited == nil && delay.isComplete(1))
    }

    /// Two halves that wait for each other's syncs become one group.
    @Test func halvesAreJoined() {
        let delay = Delay()
        #expect(delay.synced(4, 4, after: sync) == sync)
        #expect(!delay.isComplete(7) && delay.isComplete(8))
    }

    @Test func aFailedDelayIsNotRepeatedAtOnce() {
        let delay = Delay()
        func waits() -> Bool { delay.synced(8, 8, after: sync) != nil }
        var pauses: [Int] = []
        for _ in 0..<10 {
            var pause = 0
            while !waits() { pause += 1 }
            pauses.append(pause)
            delay.expire()
            #expect(delay.isComplete(1))
        }
        #expect(pauses == [0, 1, 3, 7, 15, 31, 63, 64, 64, 64])
        for _ in 0..<64 { #expect(!waits()) }
        #expect(waits() && delay.isComplete(16))
        // The two halves have joined, and return together.
        #expect(delay.synced(16, 0, after: sync) != nil && delay.isComplete(16))
        #expect(waits())
        delay.expire()
        #expect(!waits() && waits())
    }

    @Test func anOccasionalSlowSyncDoesNotCount() {
        let delay = Delay()
        for round in 0..<1000 {
            let duration = round % 10 == 9 ? sync * 100 : sync
            let wait = delay.synced(2, 0, after: duration)
            if round > 10, let wait { #expect(wait < sync * 2) }
            #expect(delay.isComplete(2))
        }
    }

    @Test func requestingTheGroupEndsTheDelay() {
        let delay = Delay()
        _ = delay.synced(8, 0, after: sync)
        delay.cancelWait()
        #expect(delay.isComplete(1))
        delay.expire()
        #expect(delay.synced(8, 0, after: sync) != nil, "no failure")
    }
}
