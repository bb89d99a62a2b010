/// Reads entries of an index by their ranks; fast for neighbouring entries in succession.
///
/// Valid as long as the tree.
struct IndexCursor {
    private let root: Node
    private var leaf: IndexLeaf?
    /// Retains the leaf if the tree does not.
    private var keeper: NodeKeeper?
    private var ranks = 0..<0

    init(_ root: Node) { self.root = root }

    /// The entry at `rank`, which must be below the count of the index.
    @inline(__always)
    mutating func entry(_ rank: Int) -> IndexEntry {
        if let leaf, ranks.contains(rank) { return leaf.entry(rank &- ranks.lowerBound) }
        return load(rank)
    }

    private mutating func load(_ rank: Int) -> IndexEntry {
        var start = 0
        let (node, isOwned) = IndexReader.leaf(below: root) { branch in
            var index = 0
            while index < branch.node.count - 1, start + branch.entries(index) <= rank {
                start += branch.entries(index)
                index += 1
            }
            return index
        }.take()
        keeper = isOwned ? NodeKeeper(owning: node) : nil
        let leaf = IndexLeaf(node: node)
        self.leaf = leaf
        ranks = start..<(start + leaf.count)
        return leaf.entry(rank - start)
    }
}
