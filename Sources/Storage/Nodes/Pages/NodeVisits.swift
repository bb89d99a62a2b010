/// Detects that a walk reaches nodes of page files more than once.
///
/// Every node of a tree has one parent, and its own bytes of a file, so the total length of the
/// visited nodes is limited by the size of the files. Forged branches that share children would
/// soon exceed it, and the walk would be practically endless. Counting bytes instead of recording
/// addresses needs constant memory.
final class NodeVisits {
    private struct Segment {
        var visited = 0
        var length = 0
    }

    /// The maximum depth of a tree: branches of clusters and of elements may both be 64 high, plus
    /// a few other nodes.
    private static let depthMax = 160

    private let pages: PageStore?
    private var segments: [PageIndex: Segment] = [:]
    /// The depth of the current node.
    private var depth = 0

    init(_ pages: PageStore?) { self.pages = pages }

    /// Counts a node by its place; false if more bytes were visited than exist. Nodes that are only
    /// in memory are trusted.
    func visit(_ place: NodePlace?) -> Bool {
        guard let place, let pages else { return true }
        let index = place.address.segment
        var segment = segments[index] ?? Segment()
        segment.visited += Int(place.length)
        if segment.visited > segment.length {
            // The file may have grown since it was measured.
            guard let size = try? pages.file(index).file.size() else { return true }
            segment.length = size.length
        }
        segments[index] = segment
        return segment.visited <= segment.length
    }

    /// The same, but throws.
    func require(_ place: NodePlace?) throws(StorageError) {
        guard !visit(place), let place, let pages else { return }
        throw .corrupted(
            segment: pages.path(place.address.segment), offset: place.address.offset,
            reason: Self.reason)
    }

    /// The same, and walks below the node with `body`, for recursive walks: limits the depth, which
    /// could otherwise overflow the stack.
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

    /// The description of the damage.
    static let reason = "branches of the tree share what is below them"
}

extension Node {
    /// The rows, elements or entries that a branch counts below it; 0 for other nodes.
    var countBelow: Int {
        switch kind {
        case .clusterBranch: ClusterBranch(node: self).rowCount
        case .indexBranch: IndexBranch(node: self).entryCount
        case .sequenceBranch: SequenceBranch(node: self).elementCount
        case .chunk, .cluster, .indexLeaf, .map, .classRoot, .storeRoot, .blob: 0
        }
    }
}
