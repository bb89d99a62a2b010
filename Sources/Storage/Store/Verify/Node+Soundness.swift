// Safety: only the header is read before its size is known to cover all other accesses; every node
// was allocated with at least a header.

extension Node {
    /// Why this node is not a valid one of `kinds`; nil if it is: then its fields are within it,
    /// and the number of children or entries is valid for its kind.
    func unsoundness(among kinds: Set<NodeKind>) -> String? {
        let number = raw.load(fromByteOffset: 4, as: UInt8.self)
        guard let kind = NodeKind(rawValue: number), kinds.contains(kind) else {
            return "a node has the unexpected kind \(number)"
        }
        guard let (size, counts) = kind.measures(of: self), self.size >= size else {
            return "a \(kind) node is smaller than its contents"
        }
        guard counts.contains(count) else { return "a \(kind) node has the invalid count \(count)" }
        return nil
    }
}

extension NodeKind {
    /// The minimum size of a node of this kind, and the valid numbers of children or entries; nil
    /// if the node is too small to determine them.
    fileprivate func measures(of node: Node) -> (size: Int, counts: ClosedRange<Int>)? {
        switch self {
        case .chunk:
            guard node.size >= Chunk.dataOffset else { return nil }
            let chunk = Chunk(node: node)
            return (
                Chunk.dataOffset + chunk.width * chunk.capacity + chunk.heapCapacity, 0...0xFFFF
            )
        case .cluster:
            guard node.size >= Cluster.cellsOffset else { return nil }
            let columns = Cluster(node: node).columnCount
            return (Cluster.cellsOffset + columns * Cluster.cellSize, 0...0xFFFF)
        case .classRoot:
            guard node.size >= ClassRoot.indexesOffset else { return nil }
            let columns = ClassRoot(node: node).columnCount
            return (ClassRoot.indexesOffset + columns * Slot.size, 0...0xFFFF)
        case .clusterBranch: return (ClusterBranch.size, 1...ClusterBranch.fanOut)
        case .indexLeaf:
            guard node.size >= IndexLeaf.dataOffset else { return nil }
            let leaf = IndexLeaf(node: node)
            return (
                IndexLeaf.dataOffset + leaf.capacity * (leaf.keyWidth + leaf.rowWidth),
                1...IndexLeaf.entriesMax
            )
        case .indexBranch: return (IndexBranch.size, 1...IndexBranch.fanOut)
        case .sequenceBranch: return (SequenceBranch.size, 1...SequenceBranch.fanOut)
        case .map: return (MapRoot.size, 0...0xFFFF)
        case .blob: return (Blob.dataOffset, 0...0xFFFF)
        case .storeRoot: return (StoreRoot.slotsOffset + node.count * Slot.size, 0...0xFFFF)
        }
    }
}
