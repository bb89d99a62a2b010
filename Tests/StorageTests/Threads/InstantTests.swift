import Testing

@testable import Storage

/// An instant follows the continuous clock, and calculates as its instants do.
@Suite struct InstantTests {
    @Test func itAdvancesWithTheContinuousClock() {
        let (before, start) = (ContinuousClock.now, Instant.now)
        let (end, after) = (Instant.now, ContinuousClock.now)
        #expect(start <= end)
        #expect(start.duration(to: end) <= before.duration(to: after))
    }

    @Test func sumsAndDifferencesAgree() {
        let start = Instant.now
        let later = start + .milliseconds(1_500)
        #expect(later - start == .milliseconds(1_500))
        #expect(start.duration(to: later) == .milliseconds(1_500))
        #expect(later.duration(to: start) == .milliseconds(-1_500))
        #expect(later + .milliseconds(-1_500) == start)
        #expect(start < later)
    }

    /// A timeout of any length is a deadline that is never reached.
    @Test func theLongestTimeIsInTheFuture() {
        #expect(Instant.now + .seconds(Int64.max) > .now)
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .milliseconds(20)])
    func aSleepEndsWhenItsInstantHasPassed(_ time: Duration) async throws {
        let end = Instant.now + time
        try await end.sleep()
        #expect(Instant.now >= end)
    }

    @Test func aCancelledSleepThrows() async {
        let sleep = Task { try await (Instant.now + .seconds(3_600)).sleep() }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }

    /// It trapped, unless it was cancelled before it began.
    @Test func aSleepMayBeOfAnyLength() async throws {
        let sleep = Task { try await (Instant.now + .seconds(Int64.max)).sleep() }
        // So that it has begun.
        try await Task.sleep(for: .milliseconds(50))
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }
}
