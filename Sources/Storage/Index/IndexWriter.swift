/// Changes one index tree, through the slot that holds its root.
///
/// The node that holds the slot must be the writer's own.
struct IndexWriter {
    let slot: Slot
    let order: IndexOrder
    // Unowned: the working tree that is being written holds the account.
    let account: Unmanaged<NodeAccount>

    private func reader(_ node: Node) -> IndexReader { IndexReader(root: node, order: order) }

    func insert(_ probe: IndexProbe, row: Int64) {
        let entry = IndexEntry(key: probe.key, row: row)
        guard let root = slot.uniqueNode() else {
            let leaf = IndexLeaf.make(account)
            leaf.insert(entry, at: 0)
            slot.put(leaf.node)
            return
        }
        guard let sibling = insert(probe, entry, below: root, isLast: true) else { return }
        let level = root.kind == .indexLeaf ? 1 : Int(root.level) + 1
        let parent = IndexBranch.make(level: level, account: account)
        parent.insert(slot.take().unsafelyUnwrapped, at: 0)
        parent.insert(sibling, at: 1)
        slot.put(parent.node)
    }

    /// Inserts below `node`, which is the writer's own; answers with a new sibling when it split.
    private func insert(
        _ probe: IndexProbe, _ entry: IndexEntry, below node: Node, isLast: Bool
    ) -> Node? {
        if node.kind == .indexLeaf {
            return insert(probe, entry, into: IndexLeaf(node: node), isLast: isLast)
        }
        let branch = IndexBranch(node: node)
        let index = reader(node).child(branch, probe, entry.row)
        let child = branch.slot(index).uniqueNode().unsafelyUnwrapped
        let sibling = insert(
            probe, entry, below: child, isLast: isLast && index == node.count - 1)
        branch.refresh(index)
        guard let sibling else { return nil }
        if node.count < IndexBranch.fanOut {
            branch.insert(sibling, at: index + 1)
            return nil
        }
        // Splitting at the end keeps branches full when keys arrive in order.
        let atEnd = isLast && index == node.count - 1
        let other = branch.split(at: atEnd ? node.count : node.count / 2)
        if index + 1 > node.count || atEnd {
            other.insert(sibling, at: index + 1 - node.count)
        } else {
            branch.insert(sibling, at: index + 1)
        }
        return other.node
    }

    private func insert(
        _ probe: IndexProbe, _ entry: IndexEntry, into leaf: IndexLeaf, isLast: Bool
    ) -> Node? {
        let count = leaf.node.count
        var target = leaf
        var index = reader(leaf.node).lowerBound(leaf, probe, entry.row)
        var other: IndexLeaf?
        if count == IndexLeaf.entriesMax {
            let middle = isLast && index == count ? count : count / 2
            let half = leaf.split(at: middle)
            other = half
            if index > middle || middle == count {
                target = half
                index -= middle
            }
        }
        target.insert(entry, at: index)
        return other?.node
    }

    /// Removes one entry of (`probe`, `row`); false when there is none.
    @discardableResult
    func remove(_ probe: IndexProbe, row: Int64) -> Bool {
        guard let root = slot.uniqueNode() else { return false }
        let removed = remove(probe, row, below: root)
        if root.count == 0 {
            slot.replace(with: nil)
        } else if root.kind == .indexBranch, root.count == 1 {
            let child = IndexBranch(node: root).slot(0).take()
            slot.replace(with: child)
        }
        return removed
    }

    private func remove(_ probe: IndexProbe, _ row: Int64, below node: Node) -> Bool {
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            let index = reader(node).lowerBound(leaf, probe, row)
            guard index < node.count, matches(leaf.entry(index), probe, row) else { return false }
            leaf.remove(at: index)
            return true
        }
        let branch = IndexBranch(node: node)
        let first = reader(node).child(branch, probe, row)
        // That child begins before the entry, which may be the very first of the next one.
        for index in first...min(first + 1, node.count - 1) {
            let child = branch.slot(index).uniqueNode().unsafelyUnwrapped
            if remove(probe, row, below: child) {
                if child.count == 0 { branch.remove(index) } else { branch.refresh(index) }
                return true
            }
        }
        return false
    }

    private func matches(_ entry: IndexEntry, _ probe: IndexProbe, _ row: Int64) -> Bool {
        entry.key == probe.key && entry.row == row
    }

    /// Adds entries that are sorted in this index's order; rebuilds the tree when they are many.
    func insert(sorted entries: [IndexEntry], _ probe: (IndexEntry, (IndexProbe) -> Void) -> Void) {
        let existing = slot.node.map { IndexReader.count($0) } ?? 0
        if entries.count < 64 || entries.count < existing / 8 {
            for entry in entries { probe(entry) { insert($0, row: entry.row) } }
            return
        }
        if let root = slot.node, entries[0].key <= reader(root).lastKey {
            var merged: [IndexEntry] = []
            merged.reserveCapacity(existing + entries.count)
            var next = 0
            IndexReader.forEach(root, 0..<existing) { old in
                while next < entries.count, isBefore(entries[next], old, probe) {
                    merged.append(entries[next])
                    next += 1
                }
                merged.append(old)
            }
            merged += entries[next...]
            slot.replace(with: build(merged[...]))
            return
        }
        var all: [IndexEntry] = []
        if let root = slot.node {
            all.reserveCapacity(existing + entries.count)
            IndexReader.forEach(root, 0..<existing) { all.append($0) }
        }
        all += entries
        slot.replace(with: build(all[...]))
    }

    private func isBefore(
        _ a: IndexEntry, _ b: IndexEntry, _ probe: (IndexEntry, (IndexProbe) -> Void) -> Void
    ) -> Bool {
        if a.key != b.key || order.isExact { return (a.key, a.row) < (b.key, b.row) }
        var result = false
        probe(a) { result = !reader(slot.node.unsafelyUnwrapped).isBefore(b.key, b.row, $0, a.row) }
        return result
    }

    /// Removes the entries that `isGone` names, in one pass.
    func removeAll(where isGone: (IndexEntry) -> Bool) {
        guard let root = slot.node else { return }
        var kept: [IndexEntry] = []
        IndexReader.forEach(root, 0..<IndexReader.count(root)) { entry in
            if !isGone(entry) { kept.append(entry) }
        }
        slot.replace(with: build(kept[...]))
    }

    /// A tree of full leaves from entries in order; nil when there are none.
    private func build(_ entries: ArraySlice<IndexEntry>) -> Node? {
        if entries.isEmpty { return nil }
        var level: [Node] = []
        var start = entries.startIndex
        while start < entries.endIndex {
            let end = min(start + IndexLeaf.entriesMax, entries.endIndex)
            let leaf = IndexLeaf.make(account)
            for index in start..<end { leaf.set(index - start, entries[index]) }
            leaf.node.count = end - start
            level.append(leaf.node)
            start = end
        }
        var height = 1
        while level.count > 1 {
            var parents: [Node] = []
            for first in stride(from: 0, to: level.count, by: IndexBranch.fanOut) {
                let branch = IndexBranch.make(level: height, account: account)
                let last = min(first + IndexBranch.fanOut, level.count)
                for index in first..<last { branch.insert(level[index], at: index - first) }
                parents.append(branch.node)
            }
            level = parents
            height += 1
        }
        return level[0]
    }
}
