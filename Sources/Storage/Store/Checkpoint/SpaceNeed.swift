/// How much space a checkpoint takes, before it is written.
struct SpaceNeed {
    /// Bytes of the images of nodes that no page file has.
    private(set) var nodes = 0
    private let overhead: Int
    // Unsafe: addresses of nodes, as keys only; the root that is walked retains the nodes.
    private var seen: Set<UnsafeMutableRawPointer> = []

    /// The space for writing the tree of `snapshot`, besides `contents`, which describes it. The
    /// root must be captured. O(nodes that are not written).
    static func checkpoint(
        of snapshot: SnapshotRoot, _ contents: Checkpointer.Contents, overhead: Int
    ) -> Int {
        var need = SpaceNeed(overhead: overhead)
        need.add(snapshot.root, limit: nil)
        let described = CheckpointContents(
            schema: snapshot.schema, segments: contents.segments.values)
        // Allows for partly filled blocks: of the page segments, and one of the log.
        return need.nodes + described.encode().count + 2 * DiskBlock.size
    }

    /// Whether the reserved space of `log` suffices for `bytes`, and afterwards still for deleting
    /// everything in a store with `live` used bytes in its page files. It includes the log that a
    /// checkpoint makes obsolete and thereby frees.
    static func isCovered(_ bytes: Int, by log: Log, classes: Int, live: Int) -> Bool {
        let available = log.spaceHeld
        let toReplay = log.bytesToReplay
        let floor = DeletionSpace.emptying(classes: classes, bytes: live + toReplay)
        // Without history, only a small segment of that log is left afterwards.
        let keepsLog = log.retention.keepsMoreThanRecovery
        let freed = keepsLog ? 0 : toReplay - log.options.segmentSizeMin
        return bytes <= available && bytes + floor <= available + max(freed, 0)
    }

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
