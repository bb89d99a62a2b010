// A lookup retains nothing: results are borrowed from the tree, except nodes that are not attached
// because of the memory budget.
extension ClassRoot {
    /// Descends the tree to a cluster; nil if there is no tree, or `step` returns no child. All
    /// lookups of a single cluster use this.
    @inline(__always)
    private func place(
        _ step: (ClusterBranch) -> Int?
    ) -> (branch: ClusterBranch, child: Int)? {
        guard var branch else { return nil }
        while let child = step(branch) {
            if branch.node.level == 1 { return (branch, child) }
            branch = ClusterBranch(node: branch.child(child))
        }
        return nil
    }

    /// The cluster that a descent ends at, to be read.
    @inline(__always)
    func hold(_ step: (ClusterBranch) -> Int?) -> NodeHold? {
        guard let place = place(step) else { return nil }
        return place.branch.hold(place.child)
    }

    /// The cluster of `key`, if there is one, attached to the tree.
    func cluster(for key: Int64) -> Cluster? {
        if let newest = newestCluster, key >= newest.firstKey { return newest }
        return place { $0.child(for: key) }.map { Cluster(node: $0.branch.child($0.child)) }
    }

    /// Whether the cluster of `key` is resident.
    func hasResidentCluster(for key: Int64) -> Bool {
        if let newest = newestCluster, key >= newest.firstKey { return true }
        guard let place = place({ $0.child(for: key) }) else { return false }
        return place.branch.slot(place.child).resident != nil
    }

    /// The row with `key`; nil if it was deleted or never existed. O(log n).
    package func locate(_ key: RowKey) -> RowHold? {
        if let newest = newestCluster, key.rawValue >= newest.firstKey {
            guard let slot = newest.slot(of: key) else { return nil }
            return RowHold(NodeHold(attached: newest.node), slot: slot)
        }
        guard let cluster = hold({ $0.child(for: key.rawValue) }) else { return nil }
        guard let slot = Cluster(node: cluster.node).slot(of: key) else { return nil }
        return RowHold(cluster, slot: slot)
    }

    /// The row with `key`, attached to the tree regardless of the memory budget.
    func attach(_ key: RowKey) -> RowLocation? {
        guard let cluster = cluster(for: key.rawValue), let slot = cluster.slot(of: key) else {
            return nil
        }
        return RowLocation(cluster: cluster, slot: slot)
    }

    /// The index of `column`; nil if no row can have `value`, or there is no index.
    @inline(__always)
    private func reader(_ column: IndexedColumn, holding value: StoredValue) -> IndexReader? {
        guard column.number < columnCount, column.canHold(value),
            let index = indexRoot(column.number)
        else { return nil }
        return IndexReader(root: index, order: IndexOrder(self, column))
    }

    /// The first row whose indexed `column` equals `value`. O(log n).
    package func first(_ column: IndexedColumn, equalTo value: StoredValue) -> RowHold? {
        guard let reader = reader(column, holding: value) else { return nil }
        // Returned from the closure as parts, which generic code can copy.
        let found = IndexProbe.with(value, in: column.kind) { probe in
            reader.first(equalTo: probe)?.place(in: self)?.take()
        }
        guard let found else { return nil }
        return RowHold(found.location, isOwned: found.isOwned)
    }

    /// The rows whose indexed `column` equals `value`, in the order of their creation.
    /// O(log n + rows).
    package func rows(_ column: IndexedColumn, equalTo value: StoredValue) -> MatchedRows {
        guard let reader = reader(column, holding: value) else { return .none }
        return IndexProbe.with(value, in: column.kind) { reader.rows(equalTo: $0) }
    }

    /// The number of these rows. O(log n).
    package func rowCount(_ column: IndexedColumn, equalTo value: StoredValue) -> Int {
        guard let reader = reader(column, holding: value) else { return 0 }
        return IndexProbe.with(value, in: column.kind) { reader.ranks(equalTo: $0).count }
    }
}
