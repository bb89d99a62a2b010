/// Writing a tree into another store.
extension TreeWriter {
    /// Writes the whole tree of `snapshot`, without the values of deleted rows, and returns its
    /// place in the other store. Beyond the memory budget, nodes that it reads are not kept.
    mutating func copy(_ snapshot: SnapshotRoot) throws(StorageError) -> NodePlace {
        let root = snapshot.root
        let reading = try snapshot.account.beginReading()
        // Unsafe: addresses as keys only; the root is not freed.
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

    /// `limit` is how many elements of a chunk its cluster uses, `column` the column of the node.
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
        // Unsafe: addresses as keys only. Slots of a branch and attached children are not freed
        // meanwhile, also if the image is made from a copy of the node.
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
        // A placeholder for a child has no place.
        try reading.requireAll()
        return try append(node, limit: limit) { slot in
            places[slot.raw] ?? slot.resident.flatMap { places[$0.raw] }
        }.place
    }
}

extension Node {
    /// Whether its children may be held by readers instead of attached, see ``Slot/hold(_:)``.
    fileprivate var holdsLeaves: Bool {
        (kind == .clusterBranch || kind == .indexBranch) && level == 1
    }

    /// A copy of the node without the values of deleted rows, retained for the caller; nil if it
    /// has none. An empty newest cluster is left out.
    fileprivate func withoutDeadRows(_ schema: ClassSchema) -> Node? {
        // After a failed read the copy will be discarded.
        if MissingNode.isPlaceholder(self) { return nil }
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
