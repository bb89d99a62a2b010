/// How much space a checkpoint takes, before it is written.
struct SpaceNeed {
    /// Bytes of the images of nodes that no page file has.
    private(set) var nodes = 0
    private let overhead: Int
    // Unsafe: addresses of nodes, as keys alone; the root that is walked keeps the nodes.
    private var seen: Set<UnsafeMutableRawPointer> = []

    /// What writing the tree of `snapshot` takes, besides `contents`, which describes it. The root
    /// must be one that is captured. O(nodes that are not written).
    static func checkpoint(
        of snapshot: SnapshotRoot, _ contents: Checkpointer.Contents, overhead: Int
    ) -> Int {
        var need = SpaceNeed(overhead: overhead)
        need.add(snapshot.root, limit: nil)
        let described = CheckpointContents(
            schema: snapshot.schema, segments: contents.segments.values)
        // A few blocks that are not filled: of page segments, and of one of the log.
        return need.nodes + described.encode().count + 2 * blockSize
    }

    private static let blockSize = 4096

    private init(overhead: Int) { self.overhead = overhead }

    /// As ``TreeWriter`` writes it.
    private mutating func add(_ node: Node, limit: Int?) {
        guard node.place == nil, seen.insert(node.raw).inserted else { return }
        let used = node.kind == .chunk ? min(Chunk(node: node).used, limit ?? .max) : 0
        nodes += NodeImage.length(of: node, used: used) + overhead
        let childLimit = node.childLimit
        for slot in node.slots(limit) {
            if let child = slot.resident { add(child, limit: childLimit) }
        }
    }
}
