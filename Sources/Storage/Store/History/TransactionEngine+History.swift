extension TransactionEngine {
    /// Retains the log for a reader of the history from its position on; all of it if the reader
    /// has no position yet.
    package func keepHistory(for reader: ObjectIdentifier, from cursor: HistoryCursor?) {
        segments?.retention.hold(
            cursor?.segment ?? SegmentIndex(0), behind: cursor?.version ?? .zero, for: reader)
    }

    /// Releases a reader of the history.
    package func endHistory(for reader: ObjectIdentifier) {
        segments?.retention.release(reader)
    }
}
