/// How much of the log is kept although a checkpoint has made it superfluous.
package enum HistoryPolicy: Sendable, Hashable {
    /// What stands in the same files as what is needed.
    case untilCheckpoint
    /// The commits of this many seconds.
    case seconds(Double)
    /// This many bytes of log.
    case bytes(Int)
}
