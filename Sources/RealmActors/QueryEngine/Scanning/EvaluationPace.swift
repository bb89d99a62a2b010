/// Whether an evaluation goes on.
///
/// One that a caller awaits ends early once its task is cancelled, and its rows are thrown away;
/// every other one goes on to its end, cancelled task or not: rows that are missing would be wrong.
package struct EvaluationPace: Sendable {
    let isCancellable: Bool
    private var batch = 0

    /// How many clusters are looked at between two questions, each of which costs some rows' time.
    private static let batchSize = 16

    private init(isCancellable: Bool) { self.isCancellable = isCancellable }

    /// Goes on to the end.
    package static let untilDone = EvaluationPace(isCancellable: false)
    /// Ends when the task is cancelled.
    package static let untilCancelled = EvaluationPace(isCancellable: true)

    /// Whether to end here; asks at every call.
    package var isOver: Bool { isCancellable && Task.isCancelled }

    /// Whether to end here, at the beginning of a cluster.
    @inline(__always)
    mutating func endsHere() -> Bool {
        guard isCancellable else { return false }
        batch &+= 1
        return batch % Self.batchSize == 0 && Task.isCancelled
    }
}
