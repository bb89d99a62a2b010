import Synchronization

/// Lets the caller of a long reading follow it and end it, from any thread.
package final class ReadingMonitor: Sendable {
    private let isCancelledFlag = Atomic(false)
    private let progress: (@Sendable (Double) -> Void)?
    /// That of the work which this is a part of.
    private let whole: ReadingMonitor?

    /// `progress` gets the part that is done, from 0 to 1, on the thread that reads.
    package init(progress: (@Sendable (Double) -> Void)? = nil) {
        self.progress = progress
        whole = nil
    }

    private init(partOf whole: ReadingMonitor, _ range: ClosedRange<Double>) {
        self.whole = whole
        progress = { part in
            whole.report(range.lowerBound + part * (range.upperBound - range.lowerBound))
        }
    }

    /// A monitor for the part of the work that makes up `range` of it, cancelled with the whole.
    func part(_ range: ClosedRange<Double>) -> ReadingMonitor {
        ReadingMonitor(partOf: self, range)
    }

    package func cancel() { isCancelledFlag.store(true, ordering: .relaxed) }

    package var isCancelled: Bool {
        isCancelledFlag.load(ordering: .relaxed) || whole?.isCancelled ?? false
    }

    /// Throws once it was cancelled.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    func report(_ part: Double) { progress?(part) }
}

/// What a verification has found and how far it is.
struct VerificationTally {
    /// Problems beyond these are counted and not kept.
    static let problemsMax = 1000

    var counts = VerificationCounts()
    private(set) var problems: [StoreProblem] = []
    private(set) var problemCount = 0

    private let monitor: ReadingMonitor
    private let total: Int
    private var done = 0
    private var reported = 0

    /// `total` is the work there will be, in any unit.
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

    /// Counts work that is done, tells about it in hundredths, and throws when it was cancelled.
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
