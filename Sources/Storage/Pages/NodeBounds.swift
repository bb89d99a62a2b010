/// What must hold of a node that comes from a file, so that reading it stays within its bytes.
enum NodeBounds {
    /// Whether the fields of `node`, which has `length` bytes and a known kind, keep within it, and
    /// its slots lead to what belongs there.
    static func hold(_ node: Node, length: Int) -> Bool {
        guard holdFields(node, length) else { return false }
        var isRight = true
        node.forEachSlot { slot in
            // Unsafe: the slot lies within the node.
            let offset = node.raw.distance(to: slot.raw)
            guard let place = slot.storedPlace else {
                // One that leads to a child of no known kind would pass for one without any.
                if slot.storedAddress != 0 { isRight = false }
                return
            }
            if !belongs(place.kind, in: node, at: offset) { isRight = false }
        }
        return isRight
    }

    private static func belongs(_ kind: NodeKind, in node: Node, at offset: Int) -> Bool {
        switch node.kind {
        case .chunk:
            Chunk(node: node).form == .strings
                ? kind == .blob : kind == .chunk || kind == .sequenceBranch || kind == .map
        case .cluster: kind == .chunk
        case .clusterBranch: kind == (node.level == 1 ? .cluster : .clusterBranch)
        case .indexBranch: kind == (node.level == 1 ? .indexLeaf : .indexBranch)
        case .sequenceBranch: kind == (node.level == 1 ? .chunk : .sequenceBranch)
        case .map: kind == .chunk || kind == .sequenceBranch
        case .classRoot:
            offset == ClassRoot.newestOffset
                ? kind == .cluster
                : offset == ClassRoot.treeOffset
                    ? kind == .clusterBranch : kind == .indexLeaf || kind == .indexBranch
        case .storeRoot: kind == .classRoot
        case .indexLeaf, .blob: false
        }
    }

    private static func holdFields(_ node: Node, _ length: Int) -> Bool {
        switch node.kind {
        case .chunk: length >= Chunk.dataOffset && hold(Chunk(node: node), length)
        case .cluster: length >= Cluster.cellsOffset && hold(Cluster(node: node), length)
        case .clusterBranch:
            length >= ClusterBranch.size && isBranch(node, ClusterBranch.fanOut)
                && isFull(node, ClusterBranch.slotsOffset)
        case .indexBranch:
            length >= IndexBranch.size && isBranch(node, IndexBranch.fanOut)
                && isFull(node, IndexBranch.slotsOffset)
        case .sequenceBranch:
            length >= SequenceBranch.size && isBranch(node, SequenceBranch.fanOut)
                && isFull(node, SequenceBranch.slotsOffset)
        case .indexLeaf: IndexLeaf.holds(node, length: length)
        case .blob: length >= Blob.dataOffset
        case .map: length >= MapRoot.size
        case .classRoot:
            length >= ClassRoot.indexesOffset
                && ClassRoot(node: node).columnCount <= Limits.columns
                && length
                    >= ClassRoot.indexesOffset + ClassRoot(node: node).columnCount * Slot.size
        case .storeRoot:
            node.count <= Limits.classes
                && length >= StoreRoot.slotsOffset + node.count * Slot.size
                && isFull(node, StoreRoot.slotsOffset)
        }
    }

    private static func isBranch(_ node: Node, _ fanOut: Int) -> Bool {
        (1...fanOut).contains(node.count) && (1...64).contains(node.level)
    }

    /// Whether there is a child in each slot, as whoever walks down takes for granted.
    private static func isFull(_ node: Node, _ slotsOffset: Int) -> Bool {
        (0..<node.count).allSatisfy { node.slot(slotsOffset, $0).storedPlace != nil }
    }

    private static func hold(_ cluster: Cluster, _ length: Int) -> Bool {
        cluster.slotCount <= Cluster.slotsMax && cluster.liveCount <= cluster.slotCount
            && cluster.columnCount <= Limits.columns
            && length >= Cluster.cellsOffset + cluster.columnCount * Cluster.cellSize
    }

    private static func hold(_ chunk: Chunk, _ length: Int) -> Bool {
        guard let form = Chunk.Form(rawValue: chunk.node.flags & 0xFF) else { return false }
        let isWidth =
            switch form {
            case .integers: [1, 2, 4, 8].contains(chunk.width)
            case .fixed: [4, 8, 12, 16].contains(chunk.width)
            case .strings: chunk.width == StringView.size
            case .slots: chunk.width == Slot.size
            }
        let room = length - Chunk.dataOffset
        guard isWidth, chunk.used <= chunk.capacity, chunk.used <= Chunk.elementsMax,
            chunk.capacity <= room / chunk.width
        else { return false }
        guard form == .strings else { return true }
        let heapSize = room - chunk.capacity * StringView.size
        guard chunk.heapCapacity <= heapSize, chunk.heapUsed <= heapSize else { return false }
        var blobs: [Int] = []
        let isWithin = (0..<chunk.used).allSatisfy { index in
            let view = chunk.stringView(index)
            if view.length <= StringView.inlineMax { return true }
            if view.length <= StringView.heapMax {
                return view.heapOffset <= heapSize - view.length
            }
            blobs.append(view.heapOffset)
            return view.heapOffset & 7 == 0 && view.heapOffset <= heapSize - Slot.size
        }
        guard isWithin, !blobs.isEmpty else { return isWithin }
        // Without the flag nobody makes the slots refer to the store; each has its own child.
        blobs.sort()
        return chunk.node.flags & Chunk.blobFlag != 0
            && zip(blobs, blobs.dropFirst()).allSatisfy { $1 - $0 >= Slot.size }
    }
}
