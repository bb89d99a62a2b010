/// A row found in a tree, which can be read while this value and the owner of the tree live.
package struct RowHold: ~Copyable {
    package let location: RowLocation
    /// Whether this value retains the cluster.
    private let isOwned: Bool

    init(_ cluster: consuming NodeHold, slot: Int) {
        let (node, isOwned) = cluster.take()
        location = RowLocation(cluster: Cluster(node: node), slot: slot)
        self.isOwned = isOwned
    }

    /// A row that the caller retains.
    package init(borrowing location: RowLocation) { self.init(location, isOwned: false) }

    /// A row; with `isOwned`, takes over a retained cluster.
    init(_ location: RowLocation, isOwned: Bool) {
        self.location = location
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { location.cluster.node.release() }
    }

    package var cluster: Cluster { location.cluster }
    package var slot: Int { location.slot }
    package var key: RowKey { cluster.key(slot) }

    /// The number of elements in a list, set or map.
    func elementCount(_ column: Int, _ schema: ColumnSchema) -> Int {
        schema.container == .map
            ? cluster.map(column, slot, schema).count
            : cluster.sequence(column, slot, schema).count
    }

    /// A value without a container.
    package func value(_ column: Int, _ schema: ColumnSchema) -> StoredValue {
        cluster.value(column, slot, schema)
    }

    /// The location, valid while the caller retains the keeper, if there is one.
    package consuming func keep() -> (location: RowLocation, keeper: NodeKeeper?) {
        let (location, isOwned) = take()
        return (location, isOwned ? NodeKeeper(owning: location.cluster.node) : nil)
    }

    /// Hands the location to the caller; with `isOwned`, with a retained cluster.
    package consuming func take() -> (location: RowLocation, isOwned: Bool) {
        let taken = (location, isOwned)
        discard self
        return taken
    }
}

extension Cluster {
    /// Retains a cluster that the tree does not retain.
    package func retain() { node.retain() }

    /// Releases a cluster that the tree does not retain.
    package func release() { node.release() }
}
