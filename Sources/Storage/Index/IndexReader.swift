/// Looks things up in one index tree.
struct IndexReader {
    let root: Node
    let order: IndexOrder

    /// Compares entry (`key`, `row`) with (`probe`, `probeRow`): below zero when it comes first.
    @inline(__always)
    func compare(_ key: UInt64, _ row: Int64, _ probe: IndexProbe, _ probeRow: Int64) -> Int {
        if key != probe.key { return key < probe.key ? -1 : 1 }
        let tie = order.compareTie(probe, row)
        if tie != 0 { return -tie }
        return row < probeRow ? -1 : (row == probeRow ? 0 : 1)
    }

    /// The first index in `leaf` whose entry is not before (`probe`, `row`).
    func lowerBound(_ leaf: IndexLeaf, _ probe: IndexProbe, _ row: Int64) -> Int {
        var low = leaf.lowerBound(probe.key)
        let count = leaf.count
        if low == count || leaf.key(low) != probe.key { return low }
        // Among the entries with the very key, the value and then the row decide.
        var high = probe.key == .max ? count : leaf.lowerBound(probe.key + 1)
        if !order.isAmbiguous(probe.key) {
            if row == .min { return low }
            if row == .max { return high }
        }
        while low < high {
            let middle = (low &+ high) / 2
            if compare(leaf.key(middle), leaf.row(middle), probe, row) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The last child of `branch` that begins before (`probe`, `row`), or the first child. With
    /// `orAt`, one that begins there counts too.
    func child(
        _ branch: IndexBranch, _ probe: IndexProbe, _ row: Int64, orAt: Bool = false
    ) -> Int {
        let limit = orAt ? 1 : 0
        var low = branch.child(below: probe.key) + 1
        var high = branch.node.count
        while low < high {
            let middle = (low &+ high) / 2
            if compare(branch.key(middle), branch.row(middle), probe, row) < limit {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }

    /// The leaf to which `choose` leads from branch to branch.
    @inline(__always)
    static func leaf(_ root: Node, _ choose: (IndexBranch) -> Int) -> NodeHold {
        guard root.kind == .indexBranch else { return NodeHold(attached: root) }
        let branch = IndexBranch(node: root)
        return leaf(branch, choose(branch), choose)
    }

    /// The leaf to which `choose` leads from child `index` of `branch` on.
    @inline(__always)
    static func leaf(
        _ branch: IndexBranch, _ index: Int, _ choose: (IndexBranch) -> Int
    ) -> NodeHold {
        var (branch, index) = (branch, index)
        while branch.node.level > 1 {
            branch = IndexBranch(node: branch.child(index))
            index = choose(branch)
        }
        return branch.slot(index).hold()
    }

    /// A child of a branch, to be read.
    static func child(_ branch: IndexBranch, _ index: Int) -> NodeHold {
        branch.node.level == 1
            ? branch.slot(index).hold() : NodeHold(attached: branch.child(index))
    }

    /// How many entries come before (`probe`, `row`). O(log n).
    func rank(of probe: IndexProbe, row: Int64) -> Int {
        var rank = 0
        let leaf = IndexReader.leaf(root) { branch in
            let index = child(branch, probe, row)
            for before in 0..<index { rank += branch.entries(before) }
            return index
        }
        return rank + lowerBound(IndexLeaf(node: leaf.node), probe, row)
    }

    /// The first row whose value equals `probe`'s. O(log n).
    ///
    /// It looks at keys only until it has found the first entry with the probe's: most often that
    /// is the one, and the value of one row has been read.
    func firstRow(equalTo probe: IndexProbe) -> Int64? {
        var next: (branch: IndexBranch, index: Int)?
        var hold = IndexReader.leaf(root) { branch in
            let index = branch.child(below: probe.key)
            if index + 1 < branch.node.count { next = (branch, index + 1) }
            return index
        }
        var index = IndexLeaf(node: hold.node).lowerBound(probe.key)
        if index == hold.node.count {
            guard let next else { return nil }
            hold = IndexReader.leaf(next.branch, next.index) { _ in 0 }
            index = 0
        }
        let leaf = IndexLeaf(node: hold.node)
        guard leaf.key(index) == probe.key else { return nil }
        let row = leaf.row(index)
        let tie = order.compareTie(probe, row)
        if tie <= 0 { return tie == 0 ? row : nil }
        // Other values with the same key come first.
        let ranks = ranks(equalTo: probe)
        return ranks.isEmpty ? nil : IndexReader.entry(root, ranks.lowerBound).row
    }

    /// The ranks of the entries whose value equals `probe`'s. O(log n).
    func ranks(equalTo probe: IndexProbe) -> Range<Int> {
        var rank = 0
        let hold = IndexReader.leaf(root) { branch in
            let index = child(branch, probe, .min)
            for before in 0..<index { rank += branch.entries(before) }
            return index
        }
        let leaf = IndexLeaf(node: hold.node)
        let low = lowerBound(leaf, probe, .min)
        if low < leaf.count {
            // Most often the next value begins in the same leaf.
            let high = lowerBound(leaf, probe, .max)
            if high < leaf.count { return rank + low..<rank + high }
        }
        return rank + low..<self.rank(of: probe, row: .max)
    }

    /// The largest key, for appends in order.
    var lastKey: UInt64 {
        let leaf = IndexReader.leaf(root) { $0.node.count - 1 }
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
        if ranks.isEmpty { return true }
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            // Fewer than the branches above count, where the leaf could not be read.
            let there = ranks.clamped(to: 0..<leaf.count)
            for index in there where try !body(leaf.entry(index)) { return false }
            return true
        }
        let branch = IndexBranch(node: node)
        var start = 0
        for index in 0..<node.count where start < ranks.upperBound {
            let end = start + branch.entries(index)
            if end > ranks.lowerBound {
                let lower = max(ranks.lowerBound, start) - start
                let upper = min(ranks.upperBound, end) - start
                let child = IndexReader.child(branch, index)
                if try !forEach(child.node, lower..<upper, body) { return false }
            }
            start = end
        }
        return true
    }
}
