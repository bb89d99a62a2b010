/// Whether an evaluation continues.
///
/// An evaluation that a caller awaits ends early once its task is cancelled, and its rows are
/// discarded. Every other one runs to its end, also in a cancelled task, because missing rows would
/// be wrong.
package struct EvaluationCancellation: Sendable {
    let isCancellable: Bool
    private var batch = 0

    /// The number of clusters between two checks for cancellation. A check costs as much as a few
    /// rows.
    private static let batchSize = 16

    private init(isCancellable: Bool) { self.isCancellable = isCancellable }

    /// Runs to the end.
    package static let ignored = EvaluationCancellation(isCancellable: false)
    /// Ends when the task is cancelled.
    package static let cooperative = EvaluationCancellation(isCancellable: true)

    /// Whether to end here; checks at every call.
    package var isCancelled: Bool { isCancellable && Task.isCancelled }

    /// Whether to end here, at the beginning of a cluster.
    @inline(__always)
    mutating func isCancelledAtCluster() -> Bool {
        guard isCancellable else { return false }
        batch &+= 1
        return batch % Self.batchSize == 0 && Task.isCancelled
    }
}
