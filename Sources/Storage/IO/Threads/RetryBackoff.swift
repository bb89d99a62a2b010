/// The retries of a call after transient errors: exponential backoff with a deadline.
struct RetryBackoff {
    private static let pauseMin = Duration.milliseconds(1)
    private static let pauseMax = Duration.milliseconds(250)

    private let deadline: Instant?
    private var repetitions: Int?
    private var pause = pauseMin

    /// Without a deadline, retries without limit; with `repetitions`, so often and without pauses.
    init(until deadline: Instant?, repetitions: Int? = nil) {
        self.deadline = deadline
        self.repetitions = repetitions
    }

    /// Waits before the next retry, each time longer; false if the deadline would pass.
    mutating func waitToRetry() -> Bool {
        if let rest = repetitions {
            repetitions = rest - 1
            return rest > 0
        }
        if let deadline, Instant.now + pause > deadline { return false }
        Platform.pause(for: pause)
        pause = min(pause * 2, Self.pauseMax)
        return true
    }
}
