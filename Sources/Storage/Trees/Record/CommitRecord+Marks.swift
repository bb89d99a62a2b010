extension CommitRecord {
    /// Encodes a record of marks only.
    static func encodeMarks(
        _ delta: Delta, of tree: WorkingTree, author: String?, schema: StoreSchema? = nil,
        time: Double, into writer: inout PayloadWriter
    ) {
        encodeHeader(marksFlag, author: author, schema: schema, time: time, into: &writer)
        let view = tree.flushedView
        let changed = delta.changed
        writer.writeVarint(UInt64(changed.count))
        for (id, marks) in changed {
            writer.writeVarint(UInt64(id.rawValue))
            encode(runs: marks.createdRuns(view.classView(id)), into: &writer)
            let columns = (0..<marks.columns).map { (column: $0, rows: marks.touchedRows($0)) }
                .filter { !$0.rows.isEmpty }
            writer.writeVarint(UInt64(columns.count))
            for (column, rows) in columns {
                writer.writeVarint(UInt64(column))
                encode(runs: runs(of: rows.lazy.map(\.rawValue)), into: &writer)
            }
            encode(runs: runs(of: marks.deleted.sorted()), into: &writer)
        }
    }

    private static func encode(runs: [Range<Int64>], into writer: inout PayloadWriter) {
        writer.writeVarint(UInt64(runs.count))
        var end: Int64 = 0
        for run in runs {
            writer.writeVarint(UInt64(run.lowerBound - end))
            writer.writeVarint(UInt64(run.count))
            end = run.upperBound
        }
    }

    private static func runs(of keys: some Sequence<Int64>) -> [Range<Int64>] {
        var runs: [Range<Int64>] = []
        for key in keys { runs.extend(with: key) }
        return runs
    }
}

extension [Range<Int64>] {
    /// Adds a key that is above all there are.
    mutating func extend(with key: Int64) { extend(with: key..<(key + 1)) }

    /// Adds keys that are above all there are.
    mutating func extend(with run: Range<Int64>) {
        if run.isEmpty { return }
        if let last, last.upperBound == run.lowerBound {
            self[count - 1] = last.lowerBound..<run.upperBound
        } else {
            append(run)
        }
    }
}
