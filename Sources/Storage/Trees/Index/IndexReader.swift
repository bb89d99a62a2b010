/// Lookups in one index tree.
struct IndexReader {
    let root: Node
    let order: IndexOrder

    /// Compares entry (`key`, `row`) with (`probe`, `probeRow`): negative if it comes first.
    @inline(__always)
    func compare(_ key: UInt64, _ row: Int64, _ probe: IndexProbe, _ probeRow: Int64) -> Int {
        if key != probe.key { return key < probe.key ? -1 : 1 }
        let tie = order.compareTie(probe, row)
        if tie != 0 { return -tie }
        return row < probeRow ? -1 : (row == probeRow ? 0 : 1)
    }

    /// The first index in `leaf` whose entry is not before (`probe`, `row`).
    func lowerBound(_ leaf: IndexLeaf, _ probe: IndexProbe, _ row: Int64) -> Int {
        let low = leaf.lowerBound(probe.key, order.column.spread)
        let count = leaf.count
        if low == count || leaf.key(low) != probe.key { return low }
        // Among entries with an equal key, the value and then the row decide.
        let high = probe.key == .max ? count : leaf.lowerBound(probe.key + 1, near: low)
        if !order.isAmbiguous(probe) {
            if row == .min { return low }
            if row == .max { return high }
        }
        // Keys of a damaged leaf may descend.
        return (low..<max(low, high)).partitioningIndex {
            compare(leaf.key($0), leaf.row($0), probe, row) >= 0
        }
    }

    /// The last child of `branch` that begins before (`probe`, `row`), or the first child. With
    /// `orAt`, one that begins there is included.
    func child(
        _ branch: IndexBranch, _ probe: IndexProbe, _ row: Int64, orAt: Bool = false
    ) -> Int {
        let limit = orAt ? 1 : 0
        let second = branch.child(below: probe.key) + 1
        let next = (second..<max(second, branch.node.count)).partitioningIndex {
            compare(branch.key($0), branch.row($0), probe, row) >= limit
        }
        return next - 1
    }

    /// The leaf at which a descent from the root ends. All lookups use this: `step` selects a child
    /// of each branch on the path.
    @inline(__always)
    static func leaf(below root: Node, _ step: (IndexBranch) -> Int) -> NodeHold {
        var node = root
        while node.isKind(.indexBranch) {
            let branch = IndexBranch(node: node)
            let index = step(branch)
            if node.level == 1 { return branch.hold(index) }
            node = branch.child(index)
        }
        return NodeHold(attached: node)
    }

    /// A child of a branch, to be read.
    static func child(_ branch: IndexBranch, _ index: Int) -> NodeHold {
        branch.node.level == 1
            ? branch.hold(index) : NodeHold(attached: branch.child(index))
    }

    /// The leaf for (`probe`, `row`), and the number of entries before that leaf.
    private func leaf(for probe: IndexProbe, row: Int64) -> RankedLeaf {
        var rank = 0
        let hold = IndexReader.leaf(below: root) { branch in
            let index = child(branch, probe, row)
            for before in 0..<index { rank += branch.entries(before) }
            return index
        }
        return RankedLeaf(hold: hold, rank: rank)
    }

    /// The number of entries before (`probe`, `row`). O(log n).
    func rank(of probe: IndexProbe, row: Int64) -> Int {
        let found = leaf(for: probe, row: row)
        return found.rank + lowerBound(found.leaf, probe, row)
    }

    /// The first entry whose key is at least `key`; nil if all keys are below. The rows around it
    /// are prefetched. O(log n).
    @inline(__always)
    private func start(of key: UInt64) -> EntryHold? {
        var next: (branch: IndexBranch, child: Int)?
        var keys: (first: UInt64, next: UInt64) = (0, .max)
        var hold = IndexReader.leaf(below: root) { branch in
            let index = branch.child(below: key)
            keys.first = branch.key(index)
            if index + 1 < branch.node.count {
                next = (branch, index + 1)
                keys.next = branch.key(index + 1)
            }
            return index
        }
        var index = 0
        let count = hold.node.count
        if count > 0 {
            let leaf = IndexLeaf(node: hold.node)
            let spread = order.column.spread
            if spread.isSmooth {
                let guess = spread.place(of: key, from: keys.first, to: keys.next, count)
                leaf.prefetchRows(around: guess)
                index = leaf.lowerBound(key, near: guess)
            } else {
                index = leaf.lowerBound(key, spread)
            }
        }
        if index == count {
            guard let next else { return nil }
            if next.branch.node.level == 1 {
                hold = next.branch.hold(next.child)
            } else {
                hold = IndexReader.leaf(below: next.branch.child(next.child)) { _ in 0 }
            }
            index = 0
        }
        return EntryHold(hold: hold, index: index)
    }

    /// The first row whose value equals `probe`'s, with its location if its value had to be read.
    /// O(log n).
    ///
    /// It compares only keys until it has found the first entry with the probe's key: usually that
    /// is the match, and only one row's value is read.
    func first(equalTo probe: IndexProbe) -> FoundEntry? {
        guard let start = start(of: probe.key) else { return nil }
        let (leaf, index) = (start.leaf, start.index)
        guard index < leaf.count, leaf.key(index) == probe.key else { return nil }
        let row = leaf.row(index)
        guard order.isAmbiguous(probe), let location = order.locate(row) else {
            return FoundEntry(row: row, location: nil)
        }
        location.cluster.prefetch(location.slot)
        let tie = order.compareTie(probe, location.location)
        if tie <= 0 { return tie == 0 ? FoundEntry(row: row, location: location) : nil }
        // Other values with the same key precede it.
        let ranks = ranks(equalTo: probe)
        if ranks.isEmpty { return nil }
        return FoundEntry(row: IndexReader.entry(root, ranks.lowerBound).row, location: nil)
    }

    /// The ranks of the entries whose value equals `probe`'s. O(log n).
    func ranks(equalTo probe: IndexProbe) -> Range<Int> {
        let found = self.leaf(for: probe, row: .min)
        let (leaf, rank) = (found.leaf, found.rank)
        let low = lowerBound(leaf, probe, .min)
        if low < leaf.count {
            // Usually the next value begins in the same leaf.
            let high = lowerBound(leaf, probe, .max)
            if high < leaf.count { return rank + low..<rank + max(low, high) }
        }
        return rank + low..<max(self.rank(of: probe, row: .max), rank + low)
    }

    /// The rows whose value equals `probe`'s, in their order. O(log n + rows).
    func rows(equalTo probe: IndexProbe) -> MatchedRows {
        if !order.isAmbiguous(probe) {
            guard let start = start(of: probe.key) else { return .none }
            let (leaf, low) = (start.leaf, start.index)
            let count = leaf.count
            var high = low
            while high < count, leaf.key(high) == probe.key { high += 1 }
            // Usually the next value begins in the same leaf.
            if high < count {
                switch high - low {
                case 0: return .none
                case 1: return .one(RowKey(leaf.row(low)))
                case _: return .several((low..<high).map { RowKey(leaf.row($0)) })
                }
            }
        }
        return rows(ranks(equalTo: probe))
    }

    /// The rows of the entries with these ranks, in the order of the index.
    func rows(_ ranks: Range<Int>) -> MatchedRows {
        var rows: [RowKey] = []
        rows.reserveCapacity(ranks.count)
        IndexReader.forEach(root, ranks) { entry in
            rows.append(RowKey(entry.row))
            return true
        }
        return MatchedRows(rows)
    }

    /// The largest key, for appends in order.
    var lastKey: UInt64 {
        let leaf = IndexReader.leaf(below: root) { $0.node.count - 1 }
        return IndexLeaf(node: leaf.node).key(leaf.node.count - 1)
    }

    static func count(_ root: Node) -> Int {
        root.kind == .indexLeaf ? root.count : IndexBranch(node: root).entryCount
    }

    /// The entry at `rank`, which must be below the count. O(log n).
    static func entry(_ root: Node, _ rank: Int) -> IndexEntry {
        var cursor = IndexCursor(root)
        return cursor.entry(rank)
    }

    /// Calls `body` with the entries of `ranks` in order, until it returns false.
    ///
    /// - Returns: whether all of them were visited.
    @discardableResult
    static func forEach(
        _ node: Node, _ ranks: Range<Int>, _ body: (IndexEntry) throws -> Bool
    ) rethrows -> Bool {
        try forEachLeaf(node, ranks) { leaf, range in
            for index in range where try !body(leaf.entry(index)) { return false }
            return true
        }
    }

    /// Calls `body` with each leaf that has entries of `ranks`, and their positions in it, until it
    /// returns false.
    ///
    /// - Returns: whether all of them were visited.
    @discardableResult
    static func forEachLeaf(
        _ node: Node, _ ranks: Range<Int>, _ body: (IndexLeaf, Range<Int>) throws -> Bool
    ) rethrows -> Bool {
        if ranks.isEmpty { return true }
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            // The leaf has fewer entries than the branches count if it could not be read.
            return try body(leaf, ranks.clamped(to: 0..<leaf.count))
        }
        let branch = IndexBranch(node: node)
        var start = 0
        for index in 0..<node.count where start < ranks.upperBound {
            let end = start + branch.entries(index)
            if end > ranks.lowerBound {
                let lower = max(ranks.lowerBound, start) - start
                let upper = min(ranks.upperBound, end) - start
                let child = IndexReader.child(branch, index)
                if try !forEachLeaf(child.node, lower..<upper, body) { return false }
            }
            start = end
        }
        return true
    }
}

/// A leaf, and the number of entries before it.
struct RankedLeaf: ~Copyable {
    let hold: NodeHold
    let rank: Int

    var leaf: IndexLeaf { IndexLeaf(node: hold.node) }
}

/// An entry of a leaf, which may be empty if it could not be read.
private struct EntryHold: ~Copyable {
    let hold: NodeHold
    let index: Int

    var leaf: IndexLeaf { IndexLeaf(node: hold.node) }
}

/// The row of an entry, with its location if that had to be looked up.
struct FoundEntry: ~Copyable {
    let row: Int64
    let location: RowHold?

    /// The location of the row.
    consuming func place(in root: ClassRoot) -> RowHold? {
        let row = row
        if let location { return location }
        return root.locate(RowKey(row))
    }
}
