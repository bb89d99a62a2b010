/// How much of the log is retained after a checkpoint has made it obsolete.
package enum HistoryPolicy: Sendable, Hashable {
    /// Only what shares a segment with needed log.
    case untilCheckpoint
    /// The commits of this many seconds.
    case seconds(Double)
    /// This many bytes of log.
    case bytes(Int)
}
