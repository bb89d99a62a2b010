extension TransactionEngine {
    /// Keeps the log for a reader of the history from where it stands on: all that there is when it
    /// has yet to find its place.
    package func keepHistory(for reader: ObjectIdentifier, from cursor: HistoryCursor?) {
        segments?.retention.hold(
            cursor?.segment ?? SegmentIndex(0), behind: cursor?.version ?? .zero, for: reader)
    }

    /// A reader of the history has gone.
    package func endHistory(for reader: ObjectIdentifier) {
        segments?.retention.release(reader)
    }
}
