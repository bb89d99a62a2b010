/// A row and where it is. Valid as its ``RowLocation`` is.
package struct FoundRow {
    package let key: RowKey
    package let location: RowLocation
}

// Looking up retains nothing: all of this is borrowed from the tree.
extension ClassRoot {
    /// The cluster that a walk down the tree comes to; nil when there is no tree, or `step` has no
    /// child to go on with. Every walk to a single cluster is this one.
    @inline(__always)
    func cluster(_ step: (ClusterBranch) -> Int?) -> Cluster? {
        guard var node = tree.node else { return nil }
        while node.isKind(.clusterBranch) {
            let branch = ClusterBranch(node: node)
            guard let child = step(branch) else { return nil }
            node = branch.slot(child).node.unsafelyUnwrapped
        }
        return Cluster(node: node)
    }

    /// The cluster whose keys include `key`, if any does.
    func cluster(for key: Int64) -> Cluster? {
        if let newest = newestCluster, key >= newest.firstKey { return newest }
        return cluster { $0.child(for: key) }
    }

    /// The row with `key`, nil when it was deleted or never there. O(log n).
    package func locate(_ key: RowKey) -> RowLocation? {
        guard let cluster = cluster(for: key.rawValue), let slot = cluster.slot(of: key) else {
            return nil
        }
        return RowLocation(cluster: cluster, slot: slot)
    }

    /// The same with its key.
    package func find(_ key: RowKey) -> FoundRow? {
        locate(key).map { FoundRow(key: key, location: $0) }
    }

    /// The first row whose indexed `column` equals `value`. O(log n).
    package func first(_ column: IndexedColumn, equalTo value: StoredValue) -> FoundRow? {
        guard column.number < columnCount, column.canHold(value),
            let index = index(column.number).node
        else { return nil }
        let reader = IndexReader(root: index, order: IndexOrder(self, column))
        return IndexProbe.with(value, in: column.kind) { probe in
            guard let found = reader.first(equalTo: probe) else { return nil }
            let key = RowKey(found.row)
            return found.location.map { FoundRow(key: key, location: $0) } ?? find(key)
        }
    }
}
