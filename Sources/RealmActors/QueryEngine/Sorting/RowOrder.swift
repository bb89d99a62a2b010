import Storage

/// The order of a sort on the rows of a class in one version, as a comparison of two rows: for
/// finding the positions of few rows among many sorted ones. Ties are in the order of creation,
/// which is the whole order without keys.
struct RowOrder {
    let keys: [SortKey]
    let view: TreeView
    let classID: ClassID

    /// Whether one row is before the other.
    func precedes(_ a: RowKey, _ b: RowKey) -> Bool {
        if keys.isEmpty { return a < b }
        let rows = view.classView(classID)
        guard let first = rows.locate(a), let second = rows.locate(b) else { return a < b }
        for key in keys {
            let order = compare(first, second, key)
            if order != 0 { return order < 0 }
        }
        return a < b
    }

    /// Below zero if the first row comes first by `key`, zero if they tie.
    private func compare(_ first: borrowing RowHold, _ second: borrowing RowHold, _ key: SortKey)
        -> Int
    {
        var depth = 0
        while true {
            let a = key.digit(first.location, view, depth: depth)
            let b = key.digit(second.location, view, depth: depth)
            if a.rank != b.rank || a.bits != b.bits {
                let isFirst = a.rank != b.rank ? a.rank < b.rank : a.bits < b.bits
                return isFirst == key.ascending ? -1 : 1
            }
            guard a.rank == 1 else { return 0 }
            if key.hasMoreDigits(after: depth) {
                depth += 1
            } else {
                return key.isMixed ? compareMixed(first, second, key) : 0
            }
        }
    }

    private func compareMixed(
        _ first: borrowing RowHold, _ second: borrowing RowHold, _ key: SortKey
    ) -> Int {
        let a = key.value(first.location, view) ?? .null
        let b = key.value(second.location, view) ?? .null
        if a < b { return key.ascending ? -1 : 1 }
        return b < a ? (key.ascending ? 1 : -1) : 0
    }
}
