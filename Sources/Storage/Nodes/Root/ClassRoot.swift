/// The root of one class: its rows, its newest cluster, its indexes.
///
///     offset  size  content
///          0    24  node header; level = height of the tree of clusters
///         24     8  next row key
///         32     8  live rows in the tree, without the newest cluster
///         40     4  columns
///         44     4  classes that values of any type may link to
///         48    32  slot of the tree (a cluster branch)
///         80    32  slot of the newest cluster, which stays outside the tree until it is full
///        112    32  per column: slot of its index or backlink tree
package struct ClassRoot {
    let node: Node

    static let treeOffset = 48
    static let newestOffset = 80
    static let indexesOffset = 112

    static func make(columns: Int, account: Unmanaged<NodeAccount>) -> ClassRoot {
        let node = Node.allocate(
            .classRoot, size: indexesOffset + columns * Slot.size, account: account)
        node.raw.storeBytes(of: UInt32(columns), toByteOffset: 40, as: UInt32.self)
        let root = ClassRoot(node: node)
        root.mixedTargets = .none
        return root
    }

    /// A copy for a schema that has more columns; the children are shared.
    func widened(to columns: Int) -> ClassRoot {
        let copy = ClassRoot.make(columns: columns, account: node.account)
        copy.node.level = node.level
        copy.nextKey = nextKey
        copy.treeRows = treeRows
        copy.mixedTargets = mixedTargets
        for offset in [Self.treeOffset, Self.newestOffset] {
            Slot(raw: copy.node.raw + offset).share(Slot(raw: node.raw + offset))
        }
        for column in 0..<min(columns, columnCount) {
            copy.index(column).share(index(column))
        }
        return copy
    }

    var nextKey: Int64 {
        get { node.raw.load(fromByteOffset: 24, as: Int64.self) }
        nonmutating set { node.raw.storeBytes(of: newValue, toByteOffset: 24, as: Int64.self) }
    }

    var treeRows: Int {
        get { node.raw.load(fromByteOffset: 32, as: Int.self) }
        nonmutating set { node.raw.storeBytes(of: newValue, toByteOffset: 32, as: Int.self) }
    }

    var columnCount: Int { Int(node.raw.load(fromByteOffset: 40, as: UInt32.self)) }

    var mixedTargets: MixedTargets {
        get { MixedTargets(bits: node.raw.load(fromByteOffset: 44, as: UInt32.self)) }
        nonmutating set {
            node.raw.storeBytes(of: newValue.bits, toByteOffset: 44, as: UInt32.self)
        }
    }

    var tree: Slot { Slot(raw: node.raw + Self.treeOffset) }
    var newest: Slot { Slot(raw: node.raw + Self.newestOffset) }
    func index(_ column: Int) -> Slot { node.slot(Self.indexesOffset, column) }

    /// The tree of clusters, if there is one.
    var branch: ClusterBranch? { tree.node(treeDemand).map { ClusterBranch(node: $0) } }
    var newestCluster: Cluster? { newest.node(newestDemand).map { Cluster(node: $0) } }
    /// The root of the index or backlinks of a column. Its parent records nothing to check it by.
    func indexRoot(_ column: Int) -> Node? { index(column).node(.any) }

    var rowCount: Int { treeRows + (newestCluster?.liveCount ?? 0) }

    func forEachSlot(_ body: (Slot) -> Void) {
        body(tree)
        body(newest)
        node.visit(Self.indexesOffset, columnCount, body)
    }
}
