extension ClassView {
    /// How the index of `column` orders its entries.
    func order(_ column: Int) -> IndexOrder {
        IndexOrder(root, schema.classes[id.rawValue].columns[column], column: column)
    }

    private func reader(_ column: ColumnID) -> IndexReader? {
        root.index(column.rawValue).node.map {
            IndexReader(root: $0, order: order(column.rawValue))
        }
    }

    private func kind(_ column: ColumnID) -> ValueKind {
        schema.classes[id.rawValue].columns[column.rawValue].kind
    }

    /// Whether a column can have `value`: keys of different kinds are not to be compared.
    private func canHold(_ value: StoredValue, _ order: IndexOrder, _ kind: ValueKind) -> Bool {
        switch (kind, value) {
        case (.mixed, _): true
        case (_, .null): order.hasNulls
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.date, .date),
            (.string, .string), (.data, .data), (.uuid, .uuid), (.link, .link):
            true
        default: false
        }
    }

    /// The row whose primary key is `value`. O(log n).
    package func find(_ value: StoredValue) -> RowKey? {
        guard let column = classSchema.primaryKey else { return nil }
        return first(column, equalTo: value)
    }

    /// The first row whose indexed `column` equals `value`. O(log n).
    package func first(_ column: ColumnID, equalTo value: StoredValue) -> RowKey? {
        guard let reader = reader(column), canHold(value, reader.order, kind(column)) else {
            return nil
        }
        return IndexProbe.with(value, in: kind(column)) { probe in
            reader.firstRow(equalTo: probe).map { RowKey($0) }
        }
    }

    /// The rows whose indexed `column` equals `value`, ascending. O(log n + rows).
    package func rows(_ column: ColumnID, equalTo value: StoredValue) -> [RowKey] {
        guard canHold(value, order(column.rawValue), kind(column)) else { return [] }
        let range = range(column, from: .before(value), to: .after(value))
        var rows: [RowKey] = []
        rows.reserveCapacity(range.count)
        range.forEach { rows.append($0) }
        return rows
    }

    /// The rows whose value in the indexed `column` lies between two bounds, in the order of the
    /// values. Nothing is listed yet: the count alone costs O(log n).
    package func range(
        _ column: ColumnID, from lower: IndexBound, to upper: IndexBound
    ) -> IndexRange {
        guard let reader = reader(column) else { return .empty }
        let kind = kind(column)
        let start = reader.rank(of: lower, in: kind)
        let end = max(start, reader.rank(of: upper, in: kind))
        return IndexRange(root: reader.root, order: reader.order, ranks: start..<end)
    }
}
