/// For how long, and how often, a call to an engine that does not answer is repeated.
struct RetryPatience {
    private static let pauseMin = Duration.milliseconds(1)
    private static let pauseMax = Duration.milliseconds(250)

    private let deadline: ContinuousClock.Instant?
    private var repetitions: Int?
    private var pause = pauseMin

    /// Without a deadline for as long as it takes; with `repetitions` so often, and at once.
    init(until deadline: ContinuousClock.Instant?, repetitions: Int? = nil) {
        self.deadline = deadline
        self.repetitions = repetitions
    }

    /// Waits for a moment, each time longer; false when there is no time left for that.
    mutating func waitsOnceMore() -> Bool {
        if let rest = repetitions {
            repetitions = rest - 1
            return rest > 0
        }
        if let deadline, ContinuousClock.now + pause > deadline { return false }
        Platform.pause(for: pause)
        pause = min(pause * 2, Self.pauseMax)
        return true
    }
}
