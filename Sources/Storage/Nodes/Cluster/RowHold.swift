/// A row found in a tree, which can be read for as long as this value lives and the owner of the
/// tree does.
package struct RowHold: ~Copyable {
    package let location: RowLocation
    /// Whether a count of the cluster is this value's own.
    private let isOwned: Bool

    init(_ cluster: consuming NodeHold, slot: Int) {
        let (node, isOwned) = cluster.take()
        location = RowLocation(cluster: Cluster(node: node), slot: slot)
        self.isOwned = isOwned
    }

    /// A row that the caller keeps.
    package init(borrowing location: RowLocation) { self.init(location, isOwned: false) }

    /// A row, with a count of its cluster where `isOwned` says so.
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

    /// The location, valid for as long as the caller has the keeper, if there is one.
    package consuming func keep() -> (location: RowLocation, keeper: NodeKeeper?) {
        let (location, isOwned) = take()
        return (location, isOwned ? NodeKeeper(owning: location.cluster.node) : nil)
    }

    /// Hands the location to the caller, with a count of its cluster where `isOwned` says so.
    package consuming func take() -> (location: RowLocation, isOwned: Bool) {
        let taken = (location, isOwned)
        discard self
        return taken
    }
}

extension Cluster {
    /// Takes a count of a cluster that the tree does not keep.
    package func retain() { node.retain() }

    /// Gives up a count that was taken, or handed over, of a cluster that the tree does not keep.
    package func release() { node.release() }
}
