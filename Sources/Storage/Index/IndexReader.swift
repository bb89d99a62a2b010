/// Looks things up in one index tree.
struct IndexReader {
    let root: Node
    let order: IndexOrder

    /// Whether entry (`key`, `row`) comes before (`probe`, `minimum`).
    @inline(__always)
    func isBefore(_ key: UInt64, _ row: Int64, _ probe: IndexProbe, _ minimum: Int64) -> Bool {
        if key != probe.key { return key < probe.key }
        if !order.isExact {
            let tie = order.compareTie(probe, row)
            if tie != 0 { return tie > 0 }
        }
        return row < minimum
    }

    /// The first index in `leaf` whose entry is not before (`probe`, `row`).
    func lowerBound(_ leaf: IndexLeaf, _ probe: IndexProbe, _ row: Int64) -> Int {
        var low = 0
        var high = leaf.node.count
        while low < high {
            let middle = (low &+ high) / 2
            if isBefore(leaf.key(middle), leaf.row(middle), probe, row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The last child of `branch` that begins before (`probe`, `row`), or the first child.
    func child(_ branch: IndexBranch, _ probe: IndexProbe, _ row: Int64) -> Int {
        var low = 1
        var high = branch.node.count
        while low < high {
            let middle = (low &+ high) / 2
            if isBefore(branch.key(middle), branch.row(middle), probe, row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }

    /// How many entries come before (`probe`, `row`). O(log n).
    func rank(of probe: IndexProbe, row: Int64) -> Int {
        var rank = 0
        var node = root
        while node.kind == .indexBranch {
            let branch = IndexBranch(node: node)
            let index = child(branch, probe, row)
            for before in 0..<index { rank += branch.entries(before) }
            node = branch.slot(index).node.unsafelyUnwrapped
        }
        return rank + lowerBound(IndexLeaf(node: node), probe, row)
    }

    /// The first row whose value equals `probe`'s. O(log n).
    func firstRow(equalTo probe: IndexProbe) -> Int64? {
        var node = root
        var next: Node?
        while node.kind == .indexBranch {
            let branch = IndexBranch(node: node)
            let index = child(branch, probe, .min)
            if index + 1 < branch.node.count { next = branch.slot(index + 1).node }
            node = branch.slot(index).node.unsafelyUnwrapped
        }
        var leaf = IndexLeaf(node: node)
        var index = lowerBound(leaf, probe, .min)
        if index == leaf.node.count {
            guard var sibling = next else { return nil }
            while sibling.kind == .indexBranch {
                sibling = IndexBranch(node: sibling).slot(0).node.unsafelyUnwrapped
            }
            leaf = IndexLeaf(node: sibling)
            index = 0
        }
        guard leaf.key(index) == probe.key else { return nil }
        if !order.isExact, order.compareTie(probe, leaf.row(index)) != 0 { return nil }
        return leaf.row(index)
    }

    /// The ranks of the entries whose value equals `probe`'s. O(log n).
    func ranks(equalTo probe: IndexProbe) -> Range<Int> {
        rank(of: probe, row: .min)..<rank(of: probe, row: .max)
    }

    /// The largest key, for appends in order.
    var lastKey: UInt64 {
        var node = root
        while node.kind == .indexBranch {
            node = IndexBranch(node: node).slot(node.count - 1).node.unsafelyUnwrapped
        }
        return IndexLeaf(node: node).key(node.count - 1)
    }

    static func count(_ root: Node) -> Int {
        root.kind == .indexLeaf ? root.count : IndexBranch(node: root).entryCount
    }

    /// Calls `body` with the entries of `ranks` in order.
    static func forEach(
        _ node: Node, _ ranks: Range<Int>, _ body: (IndexEntry) throws -> Void
    ) rethrows {
        if ranks.isEmpty { return }
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            // Fewer than the branches above count, where the leaf could not be read.
            for index in ranks where index < node.count { try body(leaf.entry(index)) }
            return
        }
        let branch = IndexBranch(node: node)
        var start = 0
        for index in 0..<node.count where start < ranks.upperBound {
            let end = start + branch.entries(index)
            if end > ranks.lowerBound {
                let lower = max(ranks.lowerBound, start) - start
                let upper = min(ranks.upperBound, end) - start
                try forEach(branch.slot(index).node.unsafelyUnwrapped, lower..<upper, body)
            }
            start = end
        }
    }
}

/// A run of index entries, as the rows they name. Valid as the view it came from is.
package struct IndexRange {
    let root: Node?
    let ranks: Range<Int>

    static var empty: IndexRange { IndexRange(root: nil, ranks: 0..<0) }

    package var count: Int { ranks.count }

    /// The row at `position`. O(log n).
    package subscript(_ position: Int) -> RowKey {
        precondition(position >= 0 && position < count, "Position is out of bounds")
        var row = RowKey(0)
        let rank = ranks.lowerBound + position
        if let root { IndexReader.forEach(root, rank..<(rank + 1)) { row = RowKey($0.row) } }
        return row
    }

    package func forEach(_ body: (RowKey) throws -> Void) rethrows {
        guard let root else { return }
        try IndexReader.forEach(root, ranks) { try body(RowKey($0.row)) }
    }
}

extension ClassView {
    /// The row whose primary key is `value`. O(log n).
    package func find(_ value: StoredValue) -> RowKey? {
        guard let column = classSchema.primaryKey else { return nil }
        return first(column, equalTo: value)
    }

    /// The first row whose indexed `column` equals `value`. O(log n).
    package func first(_ column: ColumnID, equalTo value: StoredValue) -> RowKey? {
        guard let node = root.index(column.rawValue).node else { return nil }
        let reader = IndexReader(root: node, order: IndexOrder(self, column: column.rawValue))
        return IndexProbe.with(value) { reader.firstRow(equalTo: $0).map { RowKey($0) } }
    }

    /// The rows whose indexed `column` equals `value`, ascending. O(log n + rows).
    package func rows(_ column: ColumnID, equalTo value: StoredValue) -> [RowKey] {
        guard let node = root.index(column.rawValue).node else { return [] }
        let reader = IndexReader(root: node, order: IndexOrder(self, column: column.rawValue))
        let ranks = IndexProbe.with(value) { reader.ranks(equalTo: $0) }
        var rows: [RowKey] = []
        rows.reserveCapacity(ranks.count)
        IndexReader.forEach(node, ranks) { rows.append(RowKey($0.row)) }
        return rows
    }
}
