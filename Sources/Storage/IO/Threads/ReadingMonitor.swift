import Synchronization

/// Reports the progress of a long read to its caller, who can cancel it from any thread.
package final class ReadingMonitor: Sendable {
    private let isCancelledFlag = Atomic(false)
    private let progress: (@Sendable (Double) -> Void)?
    /// The monitor of the read which this one is a part of.
    private let parent: ReadingMonitor?
    /// Until when failed calls to another machine are repeated; nil for the default of the caller.
    let deadline: Instant?

    /// `progress` gets the part that is done, from 0 to 1, on the thread that reads.
    package init(
        until deadline: Instant? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.progress = progress
        parent = nil
    }

    private init(parent: ReadingMonitor, progress: (@Sendable (Double) -> Void)?) {
        self.parent = parent
        self.progress = progress
        deadline = parent.deadline
    }

    /// A monitor for the part of the work that makes up `range` of it, cancelled with the whole.
    func part(_ range: ClosedRange<Double>) -> ReadingMonitor {
        ReadingMonitor(parent: self) { [self] part in
            report(range.lowerBound + part * (range.upperBound - range.lowerBound))
        }
    }

    /// A monitor that is cancelled with this one, can be cancelled alone, and reports no progress.
    func child() -> ReadingMonitor { ReadingMonitor(parent: self, progress: nil) }

    package func cancel() { isCancelledFlag.store(true, ordering: .relaxed) }

    package var isCancelled: Bool {
        isCancelledFlag.load(ordering: .relaxed) || parent?.isCancelled ?? false
    }

    /// Throws once it was cancelled.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    func report(_ part: Double) { progress?(part) }
}
