/// The requirements for a node beyond its own bounds (``NodeBounds``): readers rely on its
/// consistency with its parent.
///
/// They are checked once, when the node is read from disk. So every access to a child that relies
/// on more than ``NodeBounds`` has to state its demand.
enum NodeDemand {
    /// Nothing else: readers rely only on its own bounds.
    case any
    /// With this many columns.
    case classRoot(Int)
    /// A class's tree of this height and with this many live rows.
    case clusterTree(level: Int, rows: Int)
    /// A child of such a tree, with a first key in `keys`; level 0 is a cluster.
    case clusters(level: Int, rows: Int, keys: Range<Int64>)
    /// A class's newest cluster, after which the next row gets `nextKey`, with at most this many
    /// columns.
    case newest(nextKey: Int64, columns: Int)
    /// The key offsets of a cluster with this many slots.
    case offsets(Int)
    /// At least `count` elements of a shape.
    case chunk(ChunkShape, count: Int)
    /// The root of a list or set, or of the keys or values of a map.
    case sequence(ChunkShape)
    /// A node below such a root, with `count` elements; level 0 is a leaf.
    case elements(ChunkShape, level: Int, count: Int)
    case map
    /// A node below an index's root, with `count` entries; level 0 is a leaf.
    case entries(level: Int, count: Int)

    /// Whether `node`, which is within its own bounds, meets the demand.
    func holds(_ node: Node) -> Bool {
        switch self {
        case .any: return true
        case .classRoot(let columns):
            return node.kind == .classRoot && ClassRoot(node: node).columnCount == columns
        case .clusterTree(let level, let rows):
            return node.kind == .clusterBranch && Int(node.level) == level
                && ClusterBranch(node: node).rowCount == rows
        case .clusters(let level, let rows, let keys):
            return Self.holds(node, level: level, rows: rows, keys: keys)
        case .newest(let nextKey, let columns):
            let cluster = Cluster(node: node)
            return node.kind == .cluster && cluster.columnCount <= columns
                && cluster.firstKey <= nextKey - Int64(cluster.slotCount)
        case .offsets(let count): return Self.areOffsets(node, count)
        case .chunk(let shape, let count):
            return node.kind == .chunk && shape.fits(Chunk(node: node))
                && Chunk(node: node).used >= count
        case .sequence(let shape):
            return node.kind == .sequenceBranch
                || node.kind == .chunk && shape.fits(Chunk(node: node))
        case .elements(let shape, let level, let count):
            if level == 0 {
                return node.kind == .chunk && shape.fits(Chunk(node: node))
                    && Chunk(node: node).used == count
            }
            return node.kind == .sequenceBranch && Int(node.level) == level
                && SequenceBranch(node: node).elementCount == count
        case .map: return node.kind == .map
        case .entries(let level, let count):
            if level == 0 { return node.kind == .indexLeaf && node.count == count }
            return node.kind == .indexBranch && Int(node.level) == level
                && IndexBranch(node: node).entryCount == count
        }
    }

    private static func holds(
        _ node: Node, level: Int, rows: Int, keys: Range<Int64>
    ) -> Bool {
        if level == 0 {
            let cluster = Cluster(node: node)
            return node.kind == .cluster && cluster.liveCount == rows
                && keys.contains(cluster.firstKey)
        }
        let branch = ClusterBranch(node: node)
        return node.kind == .clusterBranch && Int(node.level) == level
            && branch.rowCount == rows && keys.contains(branch.firstKey(0))
            && keys.contains(branch.firstKey(node.count - 1))
    }

    private static func areOffsets(_ node: Node, _ count: Int) -> Bool {
        guard node.kind == .chunk else { return false }
        let chunk = Chunk(node: node)
        return chunk.soundForm == .integers && chunk.width == 4 && chunk.base == 0
            && chunk.used >= count
            && (1..<max(count, 1)).allSatisfy {
                chunk.int($0 - 1) < chunk.int($0)
            }
    }

    /// The placeholder for the node if it cannot be read; `kind` is the one in its slot.
    func missing(_ kind: NodeKind) -> Node? {
        switch self {
        case .map: MissingNode.of(.map)
        // It is read as elements, whatever kind the slot names.
        case .sequence, .elements, .chunk, .offsets:
            MissingNode.of(kind == .sequenceBranch ? .sequenceBranch : .chunk)
        case .any, .classRoot, .clusterTree, .clusters, .newest, .entries: MissingNode.of(kind)
        }
    }
}

// MARK: The demands of a node for its children

extension ClusterBranch {
    func demand(_ index: Int) -> NodeDemand {
        let next = index + 1 < node.count ? firstKey(index + 1) : .max
        let first = firstKey(index)
        return .clusters(
            level: Int(node.level) - 1, rows: rows(index), keys: first..<max(first, next))
    }

    /// The child at `index`, which must exist; attached.
    @inline(__always)
    func child(_ index: Int) -> Node { slot(index).node(demand(index)).unsafelyUnwrapped }

    /// The same to be read, at the lowest level.
    @inline(__always)
    func hold(_ index: Int) -> NodeHold { slot(index).hold(demand(index)) }
}

extension IndexBranch {
    func demand(_ index: Int) -> NodeDemand {
        .entries(level: Int(node.level) - 1, count: entries(index))
    }

    /// The child at `index`, which must exist; attached.
    @inline(__always)
    func child(_ index: Int) -> Node { slot(index).node(demand(index)).unsafelyUnwrapped }

    /// The same to be read, at the lowest level.
    @inline(__always)
    func hold(_ index: Int) -> NodeHold { slot(index).hold(demand(index)) }
}

extension SequenceBranch {
    /// `shape` is that of the elements.
    func demand(_ index: Int, _ shape: ChunkShape) -> NodeDemand {
        .elements(shape, level: Int(node.level) - 1, count: elements(index))
    }

    /// The child at `index`, which must exist; attached.
    @inline(__always)
    func child(_ index: Int, _ shape: @autoclosure () -> ChunkShape) -> Node {
        slot(index).node(demand(index, shape())).unsafelyUnwrapped
    }

    /// The same to be read, at the lowest level.
    @inline(__always)
    func hold(_ index: Int, _ shape: @autoclosure () -> ChunkShape) -> NodeHold {
        slot(index).hold(demand(index, shape()))
    }
}

extension ColumnSchema {
    /// The demand for the root of a container in this column.
    var containerDemand: NodeDemand {
        container == .map ? .map : .sequence(elementKind.chunkShape)
    }
}

extension ClassRoot {
    var treeDemand: NodeDemand { .clusterTree(level: Int(node.level), rows: treeRows) }
    var newestDemand: NodeDemand { .newest(nextKey: nextKey, columns: columnCount) }
}

extension Node {
    /// The demand for the child of `slot`, for generic walks of trees.
    ///
    /// `columns` are those of the class that the node is of, `column` is the one below which it is.
    func demand(
        _ slot: Slot, columns: [ColumnSchema], below column: ColumnSchema? = nil
    ) -> NodeDemand {
        // Unsafe: the slot is within this node.
        let offset = raw.distance(to: slot.raw)
        switch kind {
        case .classRoot:
            let root = ClassRoot(node: self)
            return offset == ClassRoot.treeOffset
                ? root.treeDemand : offset == ClassRoot.newestOffset ? root.newestDemand : .any
        case .clusterBranch:
            return ClusterBranch(node: self).demand(
                (offset - ClusterBranch.slotsOffset) / Slot.size)
        case .cluster:
            let cluster = Cluster(node: self)
            guard let number = cluster.column(at: offset) else {
                return .offsets(cluster.slotCount)
            }
            let shape = number < columns.count ? columns[number].chunkShape : .none
            return .chunk(shape, count: cluster.slotCount)
        case .chunk:
            guard let column, Chunk(node: self).form == .slots else { return .any }
            return column.containerDemand
        case .map:
            let isKeys = offset == MapRoot.slotsOffset
            return .sequence(isKeys ? .strings : column?.elementKind.chunkShape ?? .none)
        case .sequenceBranch:
            return SequenceBranch(node: self).demand(
                (offset - SequenceBranch.slotsOffset) / Slot.size,
                column?.elementKind.chunkShape ?? .none)
        case .indexBranch:
            return IndexBranch(node: self).demand((offset - IndexBranch.slotsOffset) / Slot.size)
        case .storeRoot, .indexLeaf, .blob: return .any
        }
    }

    /// The column below `slot`, for ``demand(_:columns:below:)`` of the child.
    func column(
        _ slot: Slot, columns: [ColumnSchema], below column: ColumnSchema?
    ) -> ColumnSchema? {
        guard kind == .cluster else { return column }
        // Unsafe: the slot is within this node.
        let number = Cluster(node: self).column(at: raw.distance(to: slot.raw))
        return number.flatMap { $0 < columns.count ? columns[$0] : nil }
    }
}

extension Cluster {
    /// The column whose cell is at `offset` in the node; nil if there is none.
    fileprivate func column(at offset: Int) -> Int? {
        offset < Cluster.cellsOffset ? nil : (offset - Cluster.cellsOffset) / Cluster.cellSize
    }
}
