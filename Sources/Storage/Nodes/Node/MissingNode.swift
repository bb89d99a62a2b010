/// The placeholders for nodes that could not be read, where a read cannot throw: they read as
/// zeros, or as empty. The failure latches in the account, so that the store is no longer written,
/// and every operation that can throw does.
///
/// They are shared by all stores and never freed; their reference count is never one, so that they
/// are not edited.
enum MissingNode {
    private static let account = NodeAccount()

    private static let chunk: SharedNodes<Node> = {
        // Wide enough for elements of any kind.
        let count = Chunk.elementsMax
        let node = make(.chunk, size: Chunk.dataOffset + count * Slot.size)
        node.level = 1
        node.raw.storeBytes(of: UInt32(count), toByteOffset: 32, as: UInt32.self)
        node.raw.storeBytes(of: UInt32(count), toByteOffset: 36, as: UInt32.self)
        return SharedNodes(node)
    }()

    private static let cluster: SharedNodes<Node> = {
        let cluster = make(.cluster, size: Cluster.cellsOffset)
        // The key of a row that is read from it is one that no row has.
        cluster.raw.storeBytes(of: .min, toByteOffset: Cluster.firstKeyOffset, as: Int64.self)
        return SharedNodes(cluster)
    }()

    private static let clusterBranch: SharedNodes<Node> = {
        let branch = ClusterBranch(node: make(.clusterBranch, size: ClusterBranch.size))
        branch.node.level = 1
        branch.append(cluster.reader, firstKey: 0, rows: .max / 4)
        return SharedNodes(branch.node)
    }()

    private static let sequenceBranch: SharedNodes<Node> = {
        let branch = SequenceBranch(node: make(.sequenceBranch, size: SequenceBranch.size))
        branch.node.level = 1
        branch.slot(0).put(chunk.reader)
        branch.node.count = 1
        branch.setElements(0, .max / 4)
        return SharedNodes(branch.node)
    }()

    private static let indexLeaf: SharedNodes<Node> = {
        let leaf = make(.indexLeaf, size: IndexLeaf.dataOffset)
        // An entry that is read from it has a row that no class has.
        leaf.raw.storeBytes(of: .min, toByteOffset: IndexLeaf.rowBaseOffset, as: Int64.self)
        return SharedNodes(leaf)
    }()

    private static let indexBranch: SharedNodes<Node> = {
        let branch = IndexBranch(node: make(.indexBranch, size: IndexBranch.size))
        branch.node.level = 1
        branch.slot(0).put(indexLeaf.reader)
        branch.node.count = 1
        return SharedNodes(branch.node)
    }()

    private static let map = SharedNodes(make(.map, size: MapRoot.size))

    private static let classRoot: SharedNodes<Node> = {
        let root = ClassRoot.make(
            columns: Limits.columns, account: .passUnretained(account))
        root.node.retain()
        return SharedNodes(root.node)
    }()

    private static func make(_ kind: NodeKind, size: Int) -> Node {
        let node = Node.allocate(kind, size: size, account: .passUnretained(account))
        node.retain()
        return node
    }

    /// Whether `node` is a placeholder, which must not be edited.
    static func isPlaceholder(_ node: Node) -> Bool {
        node.account.toOpaque() == Unmanaged.passUnretained(account).toOpaque()
    }

    /// Whether `node` is the placeholder for elements of a list, which reads as empty.
    static func isElements(_ node: Node) -> Bool {
        node == chunk.reader || node == sequenceBranch.reader
    }

    /// A cluster without rows.
    static var rows: Cluster { Cluster(node: cluster.reader) }

    /// Zeros of any kind.
    static var elements: Chunk { Chunk(node: chunk.reader) }

    /// Whether `node` is the placeholder for a chunk.
    static func isChunk(_ node: Node) -> Bool { node == chunk.reader }

    /// The placeholder for a node of `kind`; nil if the reader treats a missing one as empty.
    static func of(_ kind: NodeKind) -> Node? {
        switch kind {
        case .chunk: chunk.reader
        case .cluster: cluster.reader
        case .clusterBranch: clusterBranch.reader
        case .indexLeaf: indexLeaf.reader
        case .indexBranch: indexBranch.reader
        case .sequenceBranch: sequenceBranch.reader
        case .map: map.reader
        case .classRoot: classRoot.reader
        case .blob, .storeRoot: nil
        }
    }
}
