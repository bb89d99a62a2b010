/// An instant of the system's continuous clock, which also advances while the machine sleeps.
///
/// `ContinuousClock.Instant` measures the same time, but only the runtime knows its layout: the
/// metadata of each type that holds one, and of each type that holds such a type, is completed when
/// the process first uses it. Opening a realm used eight of them, which took 150 us.
package struct Instant: Hashable, Comparable, Sendable {
    /// Since the start of the clock.
    private let time: Duration

    package static var now: Instant {
        Instant(time: .nanoseconds(Int64(clamping: Platform.continuousClock)))
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }

    package static func + (instant: Instant, time: Duration) -> Instant {
        Instant(time: instant.time + time)
    }

    package static func - (later: Instant, earlier: Instant) -> Duration {
        later.time - earlier.time
    }

    package func duration(to later: Instant) -> Duration { later - self }

    /// The longest time of one call of `Task.sleep`, which traps when its end is too far in the
    /// future.
    private static let sleepMax = Duration.seconds(86_400)

    /// Suspends the task until this instant.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep() async throws {
        repeat {
            let rest = Instant.now.duration(to: self)
            try await Task.sleep(for: min(max(.zero, rest), Self.sleepMax))
        } while Instant.now < self
    }
}
