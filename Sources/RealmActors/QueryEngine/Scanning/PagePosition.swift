import Storage

/// A place in an order: that of a row, which may have changed or gone since.
package struct PagePosition: Sendable {
    let keys: [SortKey]
    /// What the row had by each key; nil where a link on the way was nil.
    let values: [StoredValue?]
    /// Decides among rows that are equal by all keys, which stand in the order of their creation.
    let row: RowKey

    init(keys: [SortKey], values: [StoredValue?], row: RowKey) {
        (self.keys, self.values, self.row) = (keys, values, row)
    }

    init(of row: RowLocation, by keys: [SortKey], in view: TreeView) {
        self.init(
            keys: keys, values: keys.map { $0.value(row, view) },
            row: row.cluster.key(row.slot))
    }

    /// Whether it lies before a row.
    func precedes(_ row: RowLocation, _ view: TreeView) -> Bool {
        for (key, mine) in zip(keys, values) {
            let other = key.value(row, view)
            if Self.precedes(mine, other) { return key.ascending }
            if Self.precedes(other, mine) { return !key.ascending }
        }
        return self.row < row.cluster.key(row.slot)
    }

    /// The ascending order of sorts: null, values, and what a broken link leads to.
    private static func precedes(_ a: StoredValue?, _ b: StoredValue?) -> Bool {
        guard let a else { return false }
        guard let b else { return true }
        return a.isNull || b.isNull ? a.isNull && !b.isNull : a < b
    }

    /// The first row that may lie behind it, by its key.
    var firstKey: RowKey? { keys.isEmpty ? RowKey(row.rawValue + 1) : nil }
}
