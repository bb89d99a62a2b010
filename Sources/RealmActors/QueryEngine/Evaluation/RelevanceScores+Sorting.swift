import Storage

extension RelevanceScores {
    /// After so many rows the task is checked for cancellation.
    private static let batchSize = 256

    /// The rows, those of the highest score first: all of them, or the first `limit`. Rows of one
    /// score keep their order.
    static func sort(
        _ rows: RowStream, by relevance: Relevance, limit: Int?, in view: TreeView,
        _ classID: ClassID, _ cancellation: EvaluationCancellation
    ) -> [RowKey] {
        if let limit, limit <= 0 { return [] }
        var scores = RelevanceScores(relevance, view, cancellation)
        var keys: [RowKey] = []
        var entries: [SortEntry] = []
        rows.forEachRow(view, classID, cancellation) { row in
            if keys.count % batchSize == 0, cancellation.isCancelled { return false }
            // No score is negative, and such numbers order as their bits do.
            let bits = ~scores.score(row, view).bitPattern
            entries.append(
                SortEntry(bits: bits, row: UInt32(truncatingIfNeeded: keys.count), rank: 1))
            keys.append(row.cluster.key(row.slot))
            return true
        }
        SortEntry.sort(&entries[...])
        return entries.prefix(limit ?? .max).map { keys[Int($0.row)] }
    }
}
