/// What stands in for a node that could not be read, where a read cannot throw: it reads as zeros,
/// as empty, as nothing. The account that could not read it has failed, so that the store is no
/// longer written and everything that can throw does.
///
/// These nodes are shared by all stores and live for ever; their count is never one, so that nobody
/// edits them.
enum MissingNode {
    private static let account = NodeAccount()

    // Immutable once made, which a static is exactly once.
    nonisolated(unsafe) private static let chunk: Node = {
        // Wide enough for whatever a reader takes its elements for.
        let count = Chunk.elementsMax
        let node = make(.chunk, size: Chunk.dataOffset + count * Slot.size)
        node.level = 1
        node.raw.storeBytes(of: UInt32(count), toByteOffset: 32, as: UInt32.self)
        node.raw.storeBytes(of: UInt32(count), toByteOffset: 36, as: UInt32.self)
        return node
    }()

    // As above.
    nonisolated(unsafe) private static let cluster = make(.cluster, size: Cluster.cellsOffset)

    // As above.
    nonisolated(unsafe) private static let clusterBranch: Node = {
        let branch = ClusterBranch(node: make(.clusterBranch, size: ClusterBranch.size))
        branch.node.level = 1
        branch.append(cluster, firstKey: 0, rows: .max / 4)
        return branch.node
    }()

    // As above.
    nonisolated(unsafe) private static let sequenceBranch: Node = {
        let branch = SequenceBranch(node: make(.sequenceBranch, size: SequenceBranch.size))
        branch.node.level = 1
        branch.slot(0).put(chunk)
        branch.node.count = 1
        branch.setElements(0, .max / 4)
        return branch.node
    }()

    // As above.
    nonisolated(unsafe) private static let indexLeaf: Node = {
        let leaf = make(.indexLeaf, size: IndexLeaf.dataOffset)
        // A request for an entry all the same gets a row that no class has.
        leaf.raw.storeBytes(of: .min, toByteOffset: IndexLeaf.rowBaseOffset, as: Int64.self)
        return leaf
    }()

    // As above.
    nonisolated(unsafe) private static let indexBranch: Node = {
        let branch = IndexBranch(node: make(.indexBranch, size: IndexBranch.size))
        branch.node.level = 1
        branch.slot(0).put(indexLeaf)
        branch.node.count = 1
        return branch.node
    }()

    // As above.
    nonisolated(unsafe) private static let map = make(.map, size: MapRoot.size)

    // As above.
    nonisolated(unsafe) private static let classRoot: Node = {
        let root = ClassRoot.make(
            columns: Limits.columns, account: .passUnretained(account))
        root.node.retain()
        return root.node
    }()

    private static func make(_ kind: NodeKind, size: Int) -> Node {
        let node = Node.allocate(kind, size: size, account: .passUnretained(account))
        node.retain()
        return node
    }

    /// Whether `node` stands in for one that could not be read, and so is not to be edited.
    static func standsIn(_ node: Node) -> Bool {
        node.account.toOpaque() == Unmanaged.passUnretained(account).toOpaque()
    }

    /// Whether `node` stands in for elements of a list that could not be read: it reads as empty.
    static func isElements(_ node: Node) -> Bool { node == chunk || node == sequenceBranch }

    /// A cluster without rows, all of which read as zero.
    static var rows: Cluster { Cluster(node: cluster) }

    /// Zeros of any kind.
    static var elements: Chunk { Chunk(node: chunk) }

    /// Whether `node` stands in for a chunk that could not be read.
    static func isChunk(_ node: Node) -> Bool { node == chunk }

    /// What a reader that expects a node of `kind` gets; nil where it takes none for empty.
    static func of(_ kind: NodeKind) -> Node? {
        switch kind {
        case .chunk: chunk
        case .cluster: cluster
        case .clusterBranch: clusterBranch
        case .indexLeaf: indexLeaf
        case .indexBranch: indexBranch
        case .sequenceBranch: sequenceBranch
        case .map: map
        case .classRoot: classRoot
        case .blob, .storeRoot: nil
        }
    }
}
