/// The findings and the progress of a verification.
struct VerificationTally {
    /// Further problems are only counted.
    static let problemsMax = 1000

    var counts = VerificationCounts()
    private(set) var problems: [StoreProblem] = []
    private(set) var problemCount = 0

    private let monitor: ReadingMonitor
    private let total: Int
    private var done = 0
    private var reported = 0

    /// `total` is the total work, in any unit.
    init(total: Int, monitor: ReadingMonitor) {
        self.total = max(total, 1)
        self.monitor = monitor
    }

    mutating func note(
        _ kind: StoreProblem.Kind, _ place: StoreProblem.Place, _ reason: String
    ) {
        problemCount += 1
        guard problems.count < Self.problemsMax else { return }
        problems.append(StoreProblem(kind: kind, place: place, reason: reason))
    }

    /// Counts completed work, reports the progress in hundredths, and throws after a cancellation.
    mutating func advance(_ work: Int) throws(CancellationError) {
        done += work
        try monitor.check()
        let hundredths = min(done, total) * 100 / total
        guard hundredths > reported else { return }
        reported = hundredths
        monitor.report(Double(hundredths) / 100)
    }

    var isCancelled: Bool { monitor.isCancelled }

    func finish() {
        if reported < 100 { monitor.report(1) }
    }
}
