/// Edits one index tree, through the slot of its root.
///
/// The node of the slot must be uniquely owned. A leaf that a snapshot shares, or that is full, is
/// replaced by a copy with the change; other shared nodes are copied by their slot and then edited
/// in place. Nodes that cannot be read are left unchanged.
struct IndexWriter {
    let slot: Slot
    let order: IndexOrder
    // Unowned: the working tree retains the account.
    let account: Unmanaged<NodeAccount>

    private func reader(_ node: Node) -> IndexReader { IndexReader(root: node, order: order) }

    // MARK: Single entries

    func insert(_ probe: IndexProbe, row: Int64) {
        let entry = IndexEntry(key: probe.key, row: row)
        guard let root = slot.node(.any) else {
            slot.put(IndexLeaf.make(first: entry, account).node)
            return
        }
        let level = root.kind == .indexLeaf ? 1 : Int(root.level) + 1
        guard let sibling = insert(probe, entry, at: slot, .any, isLast: true) else { return }
        let parent = IndexBranch.make(level: level, account: account)
        parent.insert(slot.take(.any).unsafelyUnwrapped, at: 0)
        parent.insert(sibling, at: 1)
        slot.put(parent.node)
    }

    /// Inserts below `slot`; returns a new sibling if the node there was split.
    private func insert(
        _ probe: IndexProbe, _ entry: IndexEntry, at slot: Slot, _ demand: NodeDemand,
        isLast: Bool
    ) -> Node? {
        let node = slot.node(demand).unsafelyUnwrapped
        if node.kind == .indexLeaf {
            return insert(probe, entry, into: IndexLeaf(node: node), at: slot, isLast: isLast)
        }
        guard let own = slot.uniqueNode(demand) else { return nil }
        let branch = IndexBranch(node: own)
        let count = branch.node.count
        let index = reader(branch.node).child(branch, probe, entry.row, orAt: true)
        let atEnd = isLast && index == count - 1
        let sibling = insert(
            probe, entry, at: branch.slot(index), branch.demand(index), isLast: atEnd)
        branch.refresh(index)
        guard let sibling else { return nil }
        if count < IndexBranch.fanOut {
            branch.insert(sibling, at: index + 1)
            return nil
        }
        // Splitting at the end keeps branches full when keys arrive in order.
        let middle = atEnd ? count : count / 2
        let other = branch.split(at: middle)
        if atEnd || index + 1 > middle {
            other.insert(sibling, at: index + 1 - middle)
        } else {
            branch.insert(sibling, at: index + 1)
        }
        return other.node
    }

    private func insert(
        _ probe: IndexProbe, _ entry: IndexEntry, into leaf: IndexLeaf, at slot: Slot, isLast: Bool
    ) -> Node? {
        if MissingNode.isPlaceholder(leaf.node) { return nil }
        let count = leaf.count
        let index = reader(leaf.node).lowerBound(leaf, probe, entry.row)
        if count < IndexLeaf.entriesMax {
            if leaf.node.isUnique, leaf.hasRoom(for: entry), let own = slot.uniqueNode(.any) {
                IndexLeaf(node: own).insert(entry, at: index)
            } else {
                slot.replace(with: leaf.copy(0..<count, inserting: entry, at: index).node)
            }
            return nil
        }
        if isLast, index == count { return IndexLeaf.make(first: entry, account).node }
        let middle = count / 2
        let left = index <= middle ? entry : nil
        let right = index <= middle ? nil : entry
        let other = leaf.copy(middle..<count, inserting: right, at: index)
        slot.replace(with: leaf.copy(0..<middle, inserting: left, at: index).node)
        return other.node
    }

    /// Removes one entry of (`probe`, `row`); false when there is none.
    @discardableResult
    func remove(_ probe: IndexProbe, row: Int64) -> Bool {
        guard slot.node(.any) != nil else { return false }
        let removed = remove(probe, row, at: slot, .any)
        // A root branch with one child is replaced by the child.
        while let root = slot.resident, root.kind == .indexBranch, root.count == 1,
            let own = slot.uniqueNode(.any)
        {
            let branch = IndexBranch(node: own)
            slot.replace(with: branch.slot(0).take(branch.demand(0)))
        }
        return removed
    }

    /// Removes an entry below `slot`, which is empty afterwards if that was the only one.
    private func remove(
        _ probe: IndexProbe, _ row: Int64, at slot: Slot, _ demand: NodeDemand
    ) -> Bool {
        let node = slot.node(demand).unsafelyUnwrapped
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            let index = reader(node).lowerBound(leaf, probe, row)
            guard index < leaf.count, leaf.key(index) == probe.key, leaf.row(index) == row else {
                return false
            }
            if leaf.count == 1 {
                slot.replace(with: nil)
            } else if let own = slot.uniqueNode(demand) {
                IndexLeaf(node: own).remove(at: index)
            }
            return true
        }
        guard let own = slot.uniqueNode(demand) else { return false }
        let branch = IndexBranch(node: own)
        let index = reader(branch.node).child(branch, probe, row, orAt: true)
        guard remove(probe, row, at: branch.slot(index), branch.demand(index)) else {
            return false
        }
        if branch.slot(index).isEmpty { branch.remove(index) } else { branch.refresh(index) }
        if branch.node.count == 0 { slot.replace(with: nil) }
        return true
    }

    // MARK: Many entries

    /// Adds entries that are sorted in this index's order; rebuilds the tree if there are many.
    func insert(sorted entries: [IndexEntry], _ probe: (IndexEntry, (IndexProbe) -> Void) -> Void) {
        let existing = slot.node(.any).map { IndexReader.count($0) } ?? 0
        if entries.count < 64 || entries.count < existing / 8 {
            for entry in entries { probe(entry) { insert($0, row: entry.row) } }
            return
        }
        var builder = IndexBuilder(account)
        guard let root = slot.node(.any) else {
            for entry in entries { builder.append(entry) }
            slot.put(builder.finish())
            return
        }
        var next = 0
        let isBehind = entries[0].key > reader(root).lastKey
        IndexReader.forEach(root, 0..<existing) { old in
            while !isBehind, next < entries.count, isBefore(entries[next], old, probe) {
                builder.append(entries[next])
                next += 1
            }
            builder.append(old)
            return true
        }
        for entry in entries[next...] { builder.append(entry) }
        slot.replace(with: builder.finish())
    }

    private func isBefore(
        _ a: IndexEntry, _ b: IndexEntry, _ probe: (IndexEntry, (IndexProbe) -> Void) -> Void
    ) -> Bool {
        if a.key != b.key || !order.isAmbiguous(a.key) { return (a.key, a.row) < (b.key, b.row) }
        var result = false
        probe(a) { probe in
            let tie = order.compareTie(probe, b.row)
            result = tie == 0 ? a.row < b.row : tie < 0
        }
        return result
    }

    /// Removes the entries for which `isRemoved` is true, in one pass.
    func removeAll(where isRemoved: (IndexEntry) -> Bool) {
        guard let root = slot.node(.any) else { return }
        var builder = IndexBuilder(account)
        IndexReader.forEach(root, 0..<IndexReader.count(root)) { entry in
            if !isRemoved(entry) { builder.append(entry) }
            return true
        }
        slot.replace(with: builder.finish())
    }
}

/// Builds a tree of full leaves from entries in order, and buffers at most one leaf of them.
private struct IndexBuilder {
    // Unowned, as in the writer.
    private let account: Unmanaged<NodeAccount>
    private var leaves: [Node] = []
    private var entries: [IndexEntry] = []

    init(_ account: Unmanaged<NodeAccount>) { self.account = account }

    mutating func append(_ entry: IndexEntry) {
        entries.append(entry)
        if entries.count == IndexLeaf.entriesMax { closeLeaf() }
    }

    private mutating func closeLeaf() {
        leaves.append(IndexLeaf.make(exactly: entries[...], account).node)
        entries.removeAll(keepingCapacity: true)
    }

    /// The tree; nil if there are no entries.
    mutating func finish() -> Node? {
        if !entries.isEmpty { closeLeaf() }
        if leaves.isEmpty { return nil }
        var level = leaves
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
