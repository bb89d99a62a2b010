/// One version of a store, to read. Valid while its owner lives: a snapshot root, or a working tree
/// until its next change.
@usableFromInline
package struct TreeView {
    let root: Node
    package let schema: StoreSchema

    package func classView(_ id: ClassID) -> ClassView {
        let node = root.slot(StoreRoot.slotsOffset, id.rawValue).node.unsafelyUnwrapped
        return ClassView(root: ClassRoot(node: node), id: id, schema: schema)
    }

    /// The rows of `origin` whose link, list or set in `column` holds `target`: one for each time.
    package func backlinks(
        to target: RowKey, origin: ClassID, column: ColumnID
    ) -> IndexRange {
        let view = classView(origin)
        guard let root = view.root.index(column.rawValue).node else { return .empty }
        let tree = IndexReader(root: root, order: .exact)
        let key = IndexKey.of(target)
        let lower = tree.rank(of: IndexProbe(key: key), row: .min)
        let upper = tree.rank(of: IndexProbe(key: key), row: .max)
        return IndexRange(root: root, order: .exact, ranks: lower..<upper)
    }
}

/// One class within a version, to read. Valid as its ``TreeView`` is.
package struct ClassView {
    let root: ClassRoot
    package let id: ClassID
    let schema: StoreSchema

    var classSchema: ClassSchema { schema[id] }

    package var count: Int { root.rowCount }

    /// The row with `key`, nil when it was deleted or never there. O(log n).
    package func locate(_ key: RowKey) -> RowLocation? {
        root.cluster(for: key.rawValue).flatMap { cluster in
            cluster.slot(of: key).map { RowLocation(cluster: cluster, slot: $0) }
        }
    }

    /// The row at `position` in the order of creation. O(log n).
    package func location(at position: Int) -> RowLocation {
        precondition(position >= 0 && position < count, "Position is out of bounds")
        var rest = position
        if rest >= root.treeRows, let newest = root.newestCluster {
            return RowLocation(cluster: newest, slot: newest.slot(at: rest - root.treeRows))
        }
        var node = root.tree.node.unsafelyUnwrapped
        while node.kind == .clusterBranch {
            let branch = ClusterBranch(node: node)
            var index = 0
            while index < branch.node.count - 1, rest >= branch.rows(index) {
                rest -= branch.rows(index)
                index += 1
            }
            node = branch.slot(index).node.unsafelyUnwrapped
        }
        let cluster = Cluster(node: node)
        // The branches count more where something could not be read.
        guard rest < cluster.liveCount else {
            return RowLocation(cluster: MissingNode.rows, slot: 0)
        }
        return RowLocation(cluster: cluster, slot: cluster.slot(at: rest))
    }

    package func key(at position: Int) -> RowKey {
        let location = location(at: position)
        return location.cluster.key(location.slot)
    }

    /// How many rows were created before the row with `key`; nil when it is not there. O(log n).
    package func position(of key: RowKey) -> Int? {
        var position = 0
        if let newest = root.newestCluster, key.rawValue >= newest.firstKey {
            return newest.slot(of: key).map { root.treeRows + newest.position(of: $0) }
        }
        guard var node = root.tree.node else { return nil }
        while node.kind == .clusterBranch {
            let branch = ClusterBranch(node: node)
            guard let child = branch.child(for: key.rawValue) else { return nil }
            for index in 0..<child { position += branch.rows(index) }
            node = branch.slot(child).node.unsafelyUnwrapped
        }
        let cluster = Cluster(node: node)
        return cluster.slot(of: key).map { position + cluster.position(of: $0) }
    }

    package func makeClusterIterator() -> ClusterIterator { ClusterIterator(root: root) }

    /// The key that the next row will get, at least.
    package var nextKey: RowKey { RowKey(root.nextKey) }

    /// The first row with `key` or a later one. O(log n).
    package func location(from key: RowKey) -> RowLocation? {
        var clusters = ClusterIterator(root: root, from: key.rawValue)
        while let cluster = clusters.next() {
            if let slot = cluster.firstLiveSlot(from: cluster.firstSlot(from: key)) {
                return RowLocation(cluster: cluster, slot: slot)
            }
        }
        return nil
    }
}

extension ClassRoot {
    /// The cluster whose keys include `key`, if any does.
    func cluster(for key: Int64) -> Cluster? {
        if let newest = newestCluster, key >= newest.firstKey { return newest }
        guard var node = tree.node else { return nil }
        while node.kind == .clusterBranch {
            let branch = ClusterBranch(node: node)
            guard let child = branch.child(for: key) else { return nil }
            node = branch.slot(child).node.unsafelyUnwrapped
        }
        return Cluster(node: node)
    }
}

/// The clusters of a class that have live rows, in the order of their keys.
package struct ClusterIterator: IteratorProtocol {
    private var path: [(branch: ClusterBranch, next: Int)] = []
    private var newest: Cluster?

    init(root: ClassRoot) {
        newest = root.newestCluster
        if let tree = root.tree.node { path.append((ClusterBranch(node: tree), 0)) }
    }

    /// Begins with the cluster that could hold `key`.
    init(root: ClassRoot, from key: Int64) {
        newest = root.newestCluster
        if let newest, key >= newest.firstKey { return }
        var node = root.tree.node
        while let inner = node, inner.kind == .clusterBranch {
            let branch = ClusterBranch(node: inner)
            let child = branch.child(for: key) ?? 0
            let isLast = inner.level == 1
            path.append((branch, isLast ? child : child + 1))
            node = isLast ? nil : branch.slot(child).node
        }
    }

    package mutating func next() -> Cluster? {
        while let (branch, index) = path.last {
            guard index < branch.node.count else {
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let child = branch.slot(index).node.unsafelyUnwrapped
            if branch.node.level > 1 {
                path.append((ClusterBranch(node: child), 0))
            } else {
                return Cluster(node: child)
            }
        }
        defer { newest = nil }
        guard let newest, newest.liveCount > 0 else { return nil }
        return newest
    }
}
