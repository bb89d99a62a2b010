/// The invariants of a node from a file, so that reading it stays within its bytes.
enum NodeBounds {
    /// Whether the fields of `node`, which has `length` bytes and a known kind, stay within it, and
    /// its slots refer to valid kinds. `overhead` is what files have after each image.
    static func hold(_ node: Node, length: Int, overhead: Int = 0) -> Bool {
        guard holdFields(node, length, overhead) else { return false }
        var isRight = true
        node.forEachSlot { slot in
            // Unsafe: the slot is within the node.
            let offset = node.raw.distance(to: slot.raw)
            guard let place = slot.storedPlace else {
                // A slot with an unknown kind would otherwise be treated as empty.
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

    private static func holdFields(_ node: Node, _ length: Int, _ overhead: Int) -> Bool {
        switch node.kind {
        case .chunk: length >= Chunk.dataOffset && hold(Chunk(node: node), length, overhead)
        case .cluster: length >= Cluster.cellsOffset && hold(Cluster(node: node), length)
        case .clusterBranch:
            length >= ClusterBranch.size && isBranch(node, ClusterBranch.fanOut)
                && isFull(node, ClusterBranch.slotsOffset)
                && areCounts(node, ClusterBranch.countsOffset)
                && areKeys(ClusterBranch(node: node))
        case .indexBranch:
            length >= IndexBranch.size && isBranch(node, IndexBranch.fanOut)
                && isFull(node, IndexBranch.slotsOffset)
                && areCounts(node, IndexBranch.entriesOffset)
        case .sequenceBranch:
            length >= SequenceBranch.size && isBranch(node, SequenceBranch.fanOut)
                && isFull(node, SequenceBranch.slotsOffset)
                && areCounts(node, SequenceBranch.countsOffset)
        case .indexLeaf: IndexLeaf.holds(node, length: length)
        case .blob: length >= Blob.dataOffset
        case .map: length >= MapRoot.size
        case .classRoot:
            length >= ClassRoot.indexesOffset
                && ClassRoot(node: node).columnCount <= Limits.columns
                && (0...keyMax).contains(ClassRoot(node: node).nextKey)
                && (0...countMax).contains(ClassRoot(node: node).treeRows)
                && length
                    >= ClassRoot.indexesOffset + ClassRoot(node: node).columnCount * Slot.size
        case .storeRoot:
            node.count <= Limits.classes
                && length >= StoreRoot.slotsOffset + node.count * Slot.size
                && isFull(node, StoreRoot.slotsOffset)
        }
    }

    /// More than a store can have, and small enough that sums do not overflow.
    private static let countMax = 1 << 48
    /// So that there is always a next key.
    static let keyMax = Int64.max / 2

    private static func isBranch(_ node: Node, _ fanOut: Int) -> Bool {
        (1...fanOut).contains(node.count) && (1...64).contains(node.level)
    }

    /// Whether there is a child in each slot, which a descent relies on.
    private static func isFull(_ node: Node, _ slotsOffset: Int) -> Bool {
        (0..<node.count).allSatisfy { node.slot(slotsOffset, $0).storedPlace != nil }
    }

    /// Whether the counts at `offset` are positive and not too large.
    private static func areCounts(_ node: Node, _ offset: Int) -> Bool {
        (0..<node.count).allSatisfy { index in
            (1...countMax).contains(
                node.raw.load(fromByteOffset: offset + index * 8, as: Int.self))
        }
    }

    /// Whether the children's first keys ascend.
    private static func areKeys(_ branch: ClusterBranch) -> Bool {
        (0..<branch.node.count).allSatisfy { index in
            (0...keyMax).contains(branch.firstKey(index))
                && (index == 0 || branch.firstKey(index - 1) < branch.firstKey(index))
        }
    }

    private static func hold(_ cluster: Cluster, _ length: Int) -> Bool {
        (1...Cluster.slotsMax).contains(cluster.slotCount)
            && cluster.columnCount <= Limits.columns
            && (0...keyMax).contains(cluster.firstKey) && isCounted(cluster)
            && length >= Cluster.cellsOffset + cluster.columnCount * Cluster.cellSize
    }

    /// Whether the live bits match the cluster's count, and none is set after its last slot.
    private static func isCounted(_ cluster: Cluster) -> Bool {
        var live = 0
        for index in 0..<4 {
            let word = cluster.liveWord(index)
            if word & ~Cluster.mask(cluster.slotCount, index) != 0 { return false }
            live += word.nonzeroBitCount
        }
        return live == cluster.liveCount
    }

    private static func hold(_ chunk: Chunk, _ length: Int, _ overhead: Int) -> Bool {
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
        // New texts are written after the bytes in use, where there must be no slot.
        let heapUsed = chunk.heapUsed
        var blobs: [Int] = []
        let isWithin = (0..<chunk.used).allSatisfy { index in
            let view = chunk.stringView(index)
            if view.length <= StringView.inlineMax { return true }
            if view.length <= StringView.heapMax {
                return view.heapOffset <= heapUsed - view.length
            }
            blobs.append(view.heapOffset)
            guard view.heapOffset & 7 == 0, view.heapOffset <= heapUsed - Slot.size,
                let place = view.blobSlot(heap: UnsafeRawPointer(chunk.heap)).storedPlace
            else { return false }
            return Int(place.length) - overhead - Blob.dataOffset >= view.length
        }
        guard isWithin, !blobs.isEmpty else { return isWithin }
        // Without the flag, references are not shared, so each slot must have its own child.
        blobs.sort()
        return chunk.node.flags & Chunk.blobFlag != 0
            && zip(blobs, blobs.dropFirst()).allSatisfy { $1 - $0 >= Slot.size }
    }
}
