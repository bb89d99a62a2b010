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

    /// How many entries after `rank`, the last one that was read, are the same as those of `other`
    /// after `otherRank`, because both read from one leaf.
    func sharedCount(after rank: Int, _ other: IndexCursor, after otherRank: Int) -> Int {
        guard let leaf, let otherLeaf = other.leaf, leaf.node == otherLeaf.node,
            ranks.contains(rank),
            rank - ranks.lowerBound == otherRank - other.ranks.lowerBound
        else { return 0 }
        return ranks.upperBound - rank - 1
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
