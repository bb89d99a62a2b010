/// A readable version of a store. Valid while its owner lives: a snapshot root, or a working tree
/// until its next change.
@usableFromInline
package struct TreeView: NodeReading {
    let root: Node
    package let schema: StoreSchema

    /// Two views with one identity are the same view, as long as one of them is valid.
    package var identity: UInt { UInt(bitPattern: root.raw) }

    package func classView(_ id: ClassID) -> ClassView {
        ClassView(root: classRoot(id), id: id, schema: schema)
    }

    /// The root of a class, unretained: enough to look up single rows.
    package func classRoot(_ id: ClassID) -> ClassRoot {
        ClassRoot(node: StoreRoot.classRoot(root, id, schema).unsafelyUnwrapped)
    }

    /// The rows of `origin` whose link, list or set in `column` contains `target`: one per
    /// occurrence.
    package func backlinks(
        to target: RowKey, origin: ClassID, column: ColumnID
    ) -> IndexRange {
        let view = classView(origin)
        guard let root = view.root.indexRoot(column.rawValue) else { return .empty }
        let tree = IndexReader(root: root, order: .exact)
        let key = IndexKey.of(target)
        let lower = tree.rank(of: IndexProbe(key: key), row: .min)
        let upper = tree.rank(of: IndexProbe(key: key), row: .max)
        return IndexRange(root: root, order: .exact, ranks: lower..<max(lower, upper))
    }
}

/// One class of a readable version. Valid as long as its ``TreeView``.
package struct ClassView {
    let root: ClassRoot
    package let id: ClassID
    let schema: StoreSchema

    package var classSchema: ClassSchema { schema[id] }

    package var count: Int { root.rowCount }

    /// The row with `key`; nil if it was deleted or never existed. O(log n).
    package func locate(_ key: RowKey) -> RowHold? { root.locate(key) }

    /// The row with `key`, attached to the tree regardless of the memory budget: for the writer,
    /// and for code that traverses a tree once.
    package func attach(_ key: RowKey) -> RowLocation? { root.attach(key) }

    /// The key of the row at `position` in the order of creation. O(log n).
    package func key(at position: Int) -> RowKey {
        row(at: position).key
    }

    /// The row at `position` in the order of creation; a placeholder, with a key that no row has,
    /// if it cannot be read. O(log n).
    package func row(at position: Int) -> RowHold {
        precondition(position >= 0 && position < count, "Position is out of bounds")
        var rest = position
        if rest >= root.treeRows, let newest = root.newestCluster {
            return RowHold(
                NodeHold(attached: newest.node), slot: newest.slot(at: rest - root.treeRows))
        }
        let cluster = root.hold { branch in
            var index = 0
            while index < branch.node.count - 1, rest >= branch.rows(index) {
                rest -= branch.rows(index)
                index += 1
            }
            return index
        }
        // The counts of the branches include rows that cannot be read.
        guard let cluster, rest < Cluster(node: cluster.node).liveCount else {
            return RowHold(NodeHold(attached: MissingNode.rows.node), slot: 0)
        }
        let slot = Cluster(node: cluster.node).slot(at: rest)
        return RowHold(cluster, slot: slot)
    }

    /// How many rows were created before the row with `key`; nil if it does not exist. O(log n).
    package func position(of key: RowKey) -> Int? {
        var position = 0
        if let newest = root.newestCluster, key.rawValue >= newest.firstKey {
            return newest.slot(of: key).map { root.treeRows + newest.position(of: $0) }
        }
        let hold = root.hold { branch in
            guard let child = branch.child(for: key.rawValue) else { return nil }
            for index in 0..<child { position += branch.rows(index) }
            return child
        }
        guard let hold else { return nil }
        let cluster = Cluster(node: hold.node)
        return cluster.slot(of: key).map { position + cluster.position(of: $0) }
    }

    /// The clusters, from the one that may contain `key` on.
    package func makeClusterIterator(from key: RowKey? = nil) -> ClusterIterator {
        key.map { ClusterIterator(root: root, from: $0.rawValue) } ?? ClusterIterator(root: root)
    }

    /// The lower bound for the key of the next row.
    package var nextKey: RowKey { RowKey(root.nextKey) }

    /// The first row with `key` or a later one. O(log n).
    package func location(from key: RowKey) -> RowHold? {
        var clusters = ClusterIterator(root: root, from: key.rawValue)
        while let cluster = clusters.next() {
            if let slot = cluster.firstLiveSlot(from: cluster.firstSlot(from: key)) {
                return clusters.holdCurrent(slot: slot)
            }
        }
        return nil
    }
}

/// The clusters of a class that have live rows, in the order of their keys.
///
/// A cluster is valid until the next one is requested, and while the view is.
package struct ClusterIterator {
    private var path: [(branch: ClusterBranch, next: Int)] = []
    private var newest: Cluster?
    private var current: Cluster?
    /// Retains the current cluster if the tree does not.
    private(set) var keeper: NodeKeeper?

    init(root: ClassRoot) {
        newest = root.newestCluster
        if let branch = root.branch { path.append((branch, 0)) }
    }

    /// Begins with the cluster that could contain `key`.
    init(root: ClassRoot, from key: Int64) {
        newest = root.newestCluster
        // The placeholder for one that cannot be read has no slots and no keys.
        if let newest, newest.slotCount > 0, key >= newest.firstKey { return }
        var next = root.branch
        while let branch = next {
            let child = branch.child(for: key) ?? 0
            let isLast = branch.node.level == 1
            path.append((branch, isLast ? child : child + 1))
            next = isLast ? nil : ClusterBranch(node: branch.child(child))
        }
    }

    package mutating func next() -> Cluster? {
        if keeper != nil { keeper = nil }
        while let (branch, index) = path.last {
            guard index < branch.node.count else {
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            if branch.node.level > 1 {
                path.append((ClusterBranch(node: branch.child(index)), 0))
                continue
            }
            let (node, isOwned) = branch.hold(index).take()
            if isOwned { keeper = NodeKeeper(owning: node) }
            current = Cluster(node: node)
            return current
        }
        defer { newest = nil }
        guard let newest, newest.liveCount > 0 else { return nil }
        current = newest
        return newest
    }

    /// A row of the current cluster, which outlives the iterator.
    fileprivate func holdCurrent(slot: Int) -> RowHold? {
        guard let current else { return nil }
        if keeper == nil { return RowHold(NodeHold(attached: current.node), slot: slot) }
        current.node.retain()
        return RowHold(NodeHold(owning: current.node), slot: slot)
    }

    /// Whether the current cluster is valid only until the next one is requested.
    package var isTransient: Bool { keeper != nil }
}

extension TreeView {
    /// A value as this version shows it: a link within a value of any type is null if its row was
    /// deleted.
    package func present(_ value: StoredValue) -> StoredValue {
        guard case .object(let id, let key) = value else { return value }
        guard schema.classes.indices.contains(id.rawValue), classView(id).locate(key) != nil else {
            return .null
        }
        return value
    }
}
