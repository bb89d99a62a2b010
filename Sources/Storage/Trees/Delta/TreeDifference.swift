/// The difference between two versions of one class.
package struct ClassDifference: Sendable {
    /// Keys of rows that only the newer version has, ascending.
    package fileprivate(set) var inserted: [RowKey] = []
    /// Keys of rows that only the older version has, ascending.
    package fileprivate(set) var deleted: [RowKey] = []
    /// Rows of both with the columns whose contents differ, ascending.
    package fileprivate(set) var modified: [(key: RowKey, columns: ColumnSet)] = []

    package init() {}

    package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}

/// Compares two versions of a store by visiting only the nodes that they do not share.
package enum TreeDifference {
    /// The classes that differ. The schema of `new` may have more classes and columns than that of
    /// `old`.
    package static func between(
        _ old: SnapshotRoot, _ new: SnapshotRoot
    ) -> [ClassID: ClassDifference] {
        var differences: [ClassID: ClassDifference] = [:]
        for (index, schema) in new.schema.classes.enumerated() {
            let id = ClassID(index)
            let newRoot = new.view.classRoot(id)
            let oldRoot = index < old.schema.classes.count ? old.view.classRoot(id) : nil
            if let oldRoot, oldRoot.node.raw == newRoot.node.raw { continue }
            let difference = between(oldRoot, newRoot, schema)
            if !difference.isEmpty { differences[id] = difference }
        }
        return differences
    }

    private static func between(
        _ old: ClassRoot?, _ new: ClassRoot, _ schema: ClassSchema
    ) -> ClassDifference {
        var oldNodes = Frontier(old)
        var newNodes = Frontier(new)
        while oldNodes.level > 0 || newNodes.level > 0 {
            if oldNodes.level == newNodes.level { Frontier.removeShared(&oldNodes, &newNodes) }
            let level = max(oldNodes.level, newNodes.level)
            if oldNodes.level == level { oldNodes.descend() }
            if newNodes.level == level { newNodes.descend() }
        }
        // The newest cluster of one version may be in the tree of the other.
        if let old { oldNodes.appendNewest(of: old) }
        newNodes.appendNewest(of: new)
        Frontier.removeShared(&oldNodes, &newNodes)
        return rows(RowWalk(oldNodes.children), RowWalk(newNodes.children), schema)
    }

    private static func rows(
        _ old: consuming RowWalk, _ new: consuming RowWalk, _ schema: ClassSchema
    ) -> ClassDifference {
        var difference = ClassDifference()
        var before = old.next()
        var after = new.next()
        while before != nil || after != nil {
            let oldKey = before.map { $0.cluster.key($0.slot) }
            let newKey = after.map { $0.cluster.key($0.slot) }
            if let oldKey, newKey.map({ oldKey < $0 }) ?? true {
                difference.deleted.append(oldKey)
                before = old.next()
            } else if let newKey, oldKey.map({ newKey < $0 }) ?? true {
                difference.inserted.append(newKey)
                after = new.next()
            } else if let left = before, let right = after {
                let columns = left.differingColumns(from: right, schema)
                if !columns.isEmpty {
                    difference.modified.append((right.cluster.key(right.slot), columns))
                }
                before = old.next()
                after = new.next()
            }
        }
        return difference
    }
}

/// The nodes of one level in a class's tree that are not compared yet, in the order of keys.
private struct Frontier {
    /// A node, with the fields of its parent for it.
    struct Child {
        let slot: Slot
        let demand: NodeDemand
    }

    var children: [Child] = []
    /// Zero for clusters.
    var level = 0

    init(_ root: ClassRoot?) {
        guard let root, let branch = root.branch else { return }
        children = [Child(slot: root.tree, demand: root.treeDemand)]
        level = Int(branch.node.level)
    }

    /// Descends to the children.
    mutating func descend() {
        var below: [Child] = []
        for child in children {
            guard let node = child.slot.node(child.demand) else { continue }
            let branch = ClusterBranch(node: node)
            for index in 0..<node.count {
                below.append(Child(slot: branch.slot(index), demand: branch.demand(index)))
            }
        }
        children = below
        level -= 1
    }

    mutating func appendNewest(of root: ClassRoot) {
        if root.newest.isEmpty { return }
        children.append(Child(slot: root.newest, demand: root.newestDemand))
    }

    /// Removes nodes that both versions share.
    static func removeShared(_ old: inout Frontier, _ new: inout Frontier) {
        let shared = Set(old.children.map(\.slot.identity))
            .intersection(new.children.map(\.slot.identity))
        if shared.isEmpty { return }
        old.children.removeAll { shared.contains($0.slot.identity) }
        new.children.removeAll { shared.contains($0.slot.identity) }
    }
}

/// Visits the live rows of clusters.
private struct RowWalk: ~Copyable {
    private let clusters: [Frontier.Child]
    private var index = 0
    private var current: Cluster?
    private var nextSlot = 0
    /// Retains the current cluster if the tree does not.
    private var keeper: NodeKeeper?

    init(_ clusters: [Frontier.Child]) { self.clusters = clusters }

    /// The next row, valid until the following one is requested.
    mutating func next() -> RowLocation? {
        while true {
            if let current, let slot = current.firstLiveSlot(from: nextSlot) {
                nextSlot = slot + 1
                return RowLocation(cluster: current, slot: slot)
            }
            keeper = nil
            current = nil
            guard index < clusters.count else { return nil }
            let (slot, demand) = (clusters[index].slot, clusters[index].demand)
            let (node, isOwned) = slot.hold(demand).take()
            if isOwned { keeper = NodeKeeper(owning: node) }
            current = Cluster(node: node)
            index += 1
            nextSlot = 0
        }
    }
}

extension Slot {
    /// The identity of a child: its place on disk, or else its address in memory.
    fileprivate var identity: UInt64 {
        // Addresses in memory are even, those on disk are made odd.
        if let place { return place.address.rawValue << 1 | 1 }
        return resident.map { UInt64(UInt(bitPattern: $0.raw)) } ?? 0
    }
}

extension RowLocation {
    /// The columns whose contents differ from those of the same row in a newer version.
    fileprivate func differingColumns(
        from other: RowLocation, _ schema: ClassSchema
    ) -> ColumnSet {
        var columns = ColumnSet()
        for (column, schema) in schema.columns.enumerated()
        where differs(from: other, column, schema) {
            columns.insert(ColumnID(column))
        }
        return columns
    }

    private func differs(
        from other: RowLocation, _ column: Int, _ schema: ColumnSchema
    ) -> Bool {
        switch schema.container {
        case .none:
            return !cluster.value(column, slot, schema)
                .isStoredLike(other.cluster.value(column, other.slot, schema))
        case .list, .set:
            let old = cluster.container(column, slot, schema)
            let new = other.cluster.container(column, other.slot, schema)
            if old?.raw == new?.raw { return false }
            return !cluster.sequence(column, slot, schema)
                .equals(other.cluster.sequence(column, other.slot, schema))
        case .map:
            let old = cluster.container(column, slot, schema)
            let new = other.cluster.container(column, other.slot, schema)
            if old?.raw == new?.raw { return false }
            let (oldMap, newMap) = (
                cluster.map(column, slot, schema), other.cluster.map(column, other.slot, schema)
            )
            return !oldMap.keys.equals(newMap.keys) || !oldMap.values.equals(newMap.values)
        }
    }
}

extension SequenceView {
    /// Whether the elements are the same, in the same order.
    fileprivate func equals(_ other: SequenceView) -> Bool {
        let count = count
        return count == other.count
            && (0..<count).allSatisfy { self[$0].isStoredLike(other[$0]) }
    }
}
