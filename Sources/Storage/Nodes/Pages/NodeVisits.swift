/// Notices that a walk reaches nodes of page files more than once.
///
/// Every node of a tree has one parent, and bytes of a file that are its own. So all that a walk
/// reaches is no longer than the files are. Where branches were forged that share what is
/// below them, it soon would be, and the walk would have no end that one could wait for. Counting
/// bytes instead of keeping addresses takes no memory that grows with the store.
final class NodeVisits {
    private struct Segment {
        var visited = 0
        var length = 0
    }

    /// No tree is deeper: branches of clusters and of elements may both be 64 high, and beside them
    /// there are few nodes on a way down.
    private static let depthMax = 160

    private let pages: PageStore?
    private var segments: [PageIndex: Segment] = [:]
    /// How many nodes are above the one that the walk has come to.
    private var depth = 0

    init(_ pages: PageStore?) { self.pages = pages }

    /// Counts a node by where it stands; false when more has been reached than there is. Nodes that
    /// no file has are this process's own.
    func visit(_ place: NodePlace?) -> Bool {
        guard let place, let pages else { return true }
        let index = place.address.segment
        var segment = segments[index] ?? Segment()
        segment.visited += Int(place.length)
        if segment.visited > segment.length {
            // It may have grown since it was measured.
            guard let size = try? pages.file(index).file.size() else { return true }
            segment.length = size.length
        }
        segments[index] = segment
        return segment.visited <= segment.length
    }

    /// The same, for walks that end there.
    func require(_ place: NodePlace?) throws(StorageError) {
        guard !visit(place), let place, let pages else { return }
        throw .corrupted(
            segment: pages.path(place.address.segment), offset: place.address.offset,
            reason: Self.reason)
    }

    /// The same, and walks on below the node with `body`, for recursive walks: branches that have
    /// ever more branches below them would take more of the stack than there is.
    func require(
        _ place: NodePlace?, walking body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        try require(place)
        depth += 1
        defer { depth -= 1 }
        if depth > Self.depthMax, let place, let pages {
            throw .corrupted(
                segment: pages.path(place.address.segment), offset: place.address.offset,
                reason: "the tree is deeper than any that was written")
        }
        try body()
    }

    /// What is wrong with such a tree.
    static let reason = "branches of the tree share what is below them"
}

extension Node {
    /// What a branch counts below it: rows, elements or entries. Nothing of other nodes.
    var countBelow: Int {
        switch kind {
        case .clusterBranch: ClusterBranch(node: self).rowCount
        case .indexBranch: IndexBranch(node: self).entryCount
        case .sequenceBranch: SequenceBranch(node: self).elementCount
        case .chunk, .cluster, .indexLeaf, .map, .classRoot, .storeRoot, .blob: 0
        }
    }
}
