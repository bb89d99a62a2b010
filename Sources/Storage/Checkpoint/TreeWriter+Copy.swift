/// Writing a tree into another store.
extension TreeWriter {
    /// Writes all of the tree below `root`, wherever it stands already, and returns where it stands
    /// in the other store. Beyond the memory budget nothing stays of what it reads.
    mutating func copy(_ root: Node) throws(StorageError) -> NodePlace {
        try copy(root, limit: nil)
    }

    /// `limit` is how many elements of a chunk its cluster counts.
    private mutating func copy(_ node: Node, limit: Int?) throws(StorageError) -> NodePlace {
        let childLimit = node.childLimit
        // Unsafe: addresses as keys alone. Slots of a branch stay where they are while this runs;
        // so do children that are attached, also when the image is made of a copy of the node.
        var places: [UnsafeMutableRawPointer: NodePlace] = [:]
        for slot in node.slots(limit) where !slot.isEmpty {
            if node.holdsLeaves {
                let leaf = slot.hold()
                places[slot.raw] = try copy(leaf.node, limit: childLimit)
            } else if let child = slot.node {
                places[child.raw] = try copy(child, limit: childLimit)
            }
        }
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
}
