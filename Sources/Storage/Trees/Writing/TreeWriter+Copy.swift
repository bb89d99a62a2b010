/// Writing a tree into another store.
extension TreeWriter {
    /// Writes all of the tree of `snapshot`, wherever it stands already, without the values of rows
    /// that were deleted, and returns where it stands in the other store. Beyond the memory budget
    /// nothing stays of what it reads.
    mutating func copy(_ snapshot: SnapshotRoot) throws(StorageError) -> NodePlace {
        let root = snapshot.root
        let reading = try snapshot.account.beginReading()
        // Unsafe: addresses as keys alone; the root stays where it is.
        var places: [UnsafeMutableRawPointer: NodePlace] = [:]
        for (index, schema) in snapshot.schema.classes.enumerated() {
            let slot = root.slot(StoreRoot.slotsOffset, index)
            guard let node = StoreRoot.classRoot(root, ClassID(index), snapshot.schema) else {
                continue
            }
            places[slot.raw] = try copy(node, limit: nil, schema, reading)
        }
        try reading.requireAll()
        return try append(root, limit: nil) { places[$0.raw] }.place
    }

    /// `limit` is how many elements of a chunk its cluster counts, `column` the one that the node
    /// is of.
    private mutating func copy(
        _ node: Node, limit: Int?, _ schema: ClassSchema, _ reading: WholeReading,
        below column: ColumnSchema? = nil
    ) throws(StorageError) -> NodePlace {
        try reading.visit(node)
        if let clean = node.withoutDeadRows(schema) {
            defer { clean.release() }
            return try copyAsIs(clean, limit: limit, schema, reading, below: column)
        }
        return try copyAsIs(node, limit: limit, schema, reading, below: column)
    }

    private mutating func copyAsIs(
        _ node: Node, limit: Int?, _ schema: ClassSchema, _ reading: WholeReading,
        below column: ColumnSchema?
    ) throws(StorageError) -> NodePlace {
        let childLimit = node.childLimit
        // Unsafe: addresses as keys alone. Slots of a branch stay where they are while this runs;
        // so do children that are attached, also when the image is made of a copy of the node.
        var places: [UnsafeMutableRawPointer: NodePlace] = [:]
        for slot in node.slots(limit) where !slot.isEmpty {
            let demand = node.demand(slot, columns: schema.columns, below: column)
            let below = node.column(slot, columns: schema.columns, below: column)
            if node.holdsLeaves {
                let leaf = slot.hold(demand)
                places[slot.raw] = try copy(leaf.node, limit: childLimit, schema, reading)
            } else if let child = slot.node(demand) {
                places[child.raw] = try copy(
                    child, limit: childLimit, schema, reading, below: below)
            }
        }
        // What stands in for a child has no place.
        try reading.requireAll()
        return try append(node, limit: limit) { slot in
            places[slot.raw] ?? slot.resident.flatMap { places[$0.raw] }
        }.place
    }
}

extension Node {
    /// Whether its children are what readers hold rather than attach, see ``Slot/hold()``.
    fileprivate var holdsLeaves: Bool {
        (kind == .clusterBranch || kind == .indexBranch) && level == 1
    }

    /// A node that holds the same but for values of rows that were deleted, with a count for the
    /// caller; nil where this one holds none. The cluster of a class whose newest rows were all
    /// deleted is left out.
    fileprivate func withoutDeadRows(_ schema: ClassSchema) -> Node? {
        // Nothing is kept of a copy that meets what it cannot read.
        if MissingNode.standsIn(self) { return nil }
        switch kind {
        case .cluster:
            let cluster = Cluster(node: self)
            guard cluster.holdsDeadRows, cluster.liveCount > 0 else { return nil }
            return ClusterRebuild([cluster], schema: schema, account: account).make().node
        case .classRoot:
            guard let newest = ClassRoot(node: self).newestCluster, newest.liveCount == 0 else {
                return nil
            }
            let copy = clone()
            ClassRoot(node: copy).newest.replace(with: nil)
            return copy
        case .chunk, .clusterBranch, .indexLeaf, .indexBranch, .sequenceBranch, .blob, .map,
            .storeRoot:
            return nil
        }
    }
}
