extension ClassView {
    /// How the index of `column` orders its entries.
    func order(_ column: Int) -> IndexOrder {
        IndexOrder(root, schema.classes[id.rawValue].columns[column], column: column)
    }

    private func reader(_ column: ColumnID) -> IndexReader? {
        root.indexRoot(column.rawValue).map {
            IndexReader(root: $0, order: order(column.rawValue))
        }
    }

    private func kind(_ column: ColumnID) -> ValueKind {
        schema.classes[id.rawValue].columns[column.rawValue].kind
    }

    /// The row whose primary key is `value`. O(log n).
    package func find(_ value: StoredValue) -> RowKey? {
        guard let column = classSchema.primaryKey else { return nil }
        return first(column, equalTo: value)
    }

    /// The first row whose indexed `column` equals `value`. O(log n).
    package func first(_ column: ColumnID, equalTo value: StoredValue) -> RowKey? {
        root.first(order(column.rawValue).column, equalTo: value)?.key
    }

    /// The rows whose indexed `column` equals `value`, ascending. O(log n + rows).
    package func rows(_ column: ColumnID, equalTo value: StoredValue) -> [RowKey] {
        let range = range(column, equalTo: value)
        var rows: [RowKey] = []
        rows.reserveCapacity(range.count)
        range.forEach { rows.append($0) }
        return rows
    }

    /// The rows whose value in the indexed `column` is between two bounds, in the order of the
    /// values. The rows are not enumerated yet: counting them costs O(log n).
    package func range(
        _ column: ColumnID, from lower: IndexBound, to upper: IndexBound
    ) -> IndexRange {
        guard let reader = reader(column) else { return .empty }
        let kind = kind(column)
        let start = reader.rank(of: lower, in: kind)
        let end = max(start, reader.rank(of: upper, in: kind))
        return IndexRange(root: reader.root, order: reader.order, ranks: start..<end)
    }

    /// The rows with keys in a range, in an index whose keys are complete, like those of terms and
    /// places: the rows of one key ascend. O(log n).
    package func range(_ column: ColumnID, keys: ClosedRange<UInt64>) -> IndexRange {
        guard let reader = reader(column) else { return .empty }
        let start = reader.rank(of: IndexProbe(key: keys.lowerBound), row: .min)
        let end = reader.rank(of: IndexProbe(key: keys.upperBound), row: .max)
        return IndexRange(root: reader.root, order: reader.order, ranks: start..<max(start, end))
    }

    /// Whether a row has the term with `key` in the full-text index of `column`. O(log n).
    package func contains(_ column: ColumnID, term key: UInt64, _ row: RowKey) -> Bool {
        guard let reader = reader(column) else { return false }
        let probe = IndexProbe(key: key)
        let rank = reader.rank(of: probe, row: row.rawValue)
        guard rank < IndexReader.count(reader.root) else { return false }
        return IndexReader.entry(reader.root, rank) == IndexEntry(key: key, row: row.rawValue)
    }

    /// The rows whose value in the indexed `column` equals `value`, ascending. O(log n).
    package func range(_ column: ColumnID, equalTo value: StoredValue) -> IndexRange {
        guard let reader = reader(column), reader.order.column.canHold(value) else {
            return .empty
        }
        let ranks = IndexProbe.with(value, in: kind(column)) { reader.ranks(equalTo: $0) }
        return IndexRange(root: reader.root, order: reader.order, ranks: ranks)
    }

    /// The ranks of certain values and of a row in an index, existing or not; nil if there is no
    /// such index, or no row can have the values: of one column, or of all columns of an index of
    /// several. O(log n).
    package func ranks(
        _ index: ColumnID, of values: [StoredValue], _ row: RowKey
    ) -> EntryRanks? {
        guard let reader = reader(index) else { return nil }
        let parts = reader.order.column.parts
        func ranks(_ probe: IndexProbe) -> EntryRanks {
            let equal = reader.ranks(equalTo: probe)
            let next = reader.rank(of: probe, row: row.rawValue + 1)
            return EntryRanks(equal: equal, next: next)
        }
        if parts.count == 0 {
            guard values.count == 1, reader.order.column.canHold(values[0]),
                kind(index) != .mixed, !values[0].isNotANumber
            else { return nil }
            return IndexProbe.with(values[0], in: kind(index), ranks)
        }
        guard values.count == parts.count else { return nil }
        var bytes: [UInt8] = []
        for (number, value) in values.enumerated() {
            let part = parts[number]
            let kind = part.isCollated ? .data : part.kind
            guard value.isNull ? part.hasNulls : value.kind == kind, !value.isNotANumber else {
                return nil
            }
            CompositeKey.append(value, part, to: &bytes)
        }
        // Unsafe: lent for the calls, which do not keep the probe.
        return bytes.withUnsafeBytes { ranks(CompositeKey.probe(of: $0)) }
    }
}

/// The position of a row among the entries of an index.
package struct EntryRanks {
    /// The entries with its values.
    package let equal: Range<Int>
    /// The first entry after it and its values.
    package let next: Int
}
