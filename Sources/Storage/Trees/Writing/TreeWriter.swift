/// Writes what of a tree is not on disk yet: children before their parents, because a parent's
/// image holds the addresses and hashes of its children.
///
/// Nothing in memory changes: the caller marks what was ``written`` once that is durable. The root
/// must be one that is captured, and held until then: shared nodes are not edited.
struct TreeWriter: ~Copyable {
    /// A node that was written.
    struct Written {
        let node: Node
        let place: NodePlace
        let used: Int
    }

    var pages: PageWriter
    private(set) var written: [Written] = []
    // Unsafe: addresses of nodes, as keys alone; the root that is written keeps the nodes.
    /// By address in memory, because what was written is not marked yet.
    private var places: [UnsafeMutableRawPointer: NodePlace] = [:]
    /// Nodes on disk that what was written refers to: they live on, with all below them.
    private(set) var kept: Set<PageAddress> = []
    /// How many nodes were written.
    private var appended = 0
    /// Called now and then with the number of bytes written, so that it can be given up.
    private let pace: (Int) throws(StorageError) -> Void

    init(
        pages: consuming PageWriter,
        pace: @escaping (Int) throws(StorageError) -> Void = { _ in }
    ) {
        self.pages = pages
        self.pace = pace
    }

    /// Writes the tree below `root` as far as it is not on disk, and returns where it stands.
    mutating func write(_ root: Node) throws(StorageError) -> NodePlace {
        try write(root, limit: nil)
    }

    /// `limit` is how many elements of a chunk its cluster counts.
    private mutating func write(_ node: Node, limit: Int?) throws(StorageError) -> NodePlace {
        if let place = node.place {
            kept.insert(place.address)
            return place
        }
        if let place = places[node.raw] { return place }
        let childLimit = node.childLimit
        for slot in node.slots(limit) {
            if let child = slot.resident {
                if let place = child.place {
                    kept.insert(place.address)
                    // The writer may append to it before its cluster is written.
                    if child.kind == .chunk { places[child.raw] = place }
                } else {
                    _ = try write(child, limit: childLimit)
                }
            } else if let place = slot.storedPlace {
                kept.insert(place.address)
            }
        }
        let (place, used) = try append(node, limit: limit) { [places] slot in
            slot.resident.flatMap { places[$0.raw] } ?? slot.place
        }
        places[node.raw] = place
        written.append(Written(node: node, place: place, used: used))
        return place
    }

    /// Appends the image of one node, in which `place` says where the children stand.
    mutating func append(
        _ node: Node, limit: Int?, place: (Slot) -> NodePlace?
    ) throws(StorageError) -> (place: NodePlace, used: Int) {
        if appended & 0xFF == 0 { try pace(pages.byteCount) }
        appended += 1
        if node.kind == .indexLeaf, let exact = IndexLeaf(node: node).exactCopy() {
            defer { exact.node.release() }
            return (try pages.append(exact.node, used: 0, place: place), 0)
        }
        guard node.kind == .chunk else {
            return (try pages.append(node, used: 0, place: place), 0)
        }
        let chunk = Chunk(node: node)
        let used = min(chunk.used, limit ?? .max)
        if chunk.form == .strings, used < chunk.capacity || chunk.holdsGarbage {
            let exact = chunk.copyStrings(count: used, capacity: max(used, 1), extra: 0)
            defer { exact.node.release() }
            return (try pages.append(exact.node, used: used, place: place), used)
        }
        return (try pages.append(node, used: used, place: place), used)
    }

    /// Forgets what was written, which has been marked or is about to go.
    mutating func forget() {
        written = []
        places = [:]
        kept = []
    }

    /// Writes bytes as a node of their own, which nothing refers to.
    mutating func append(_ bytes: [UInt8], _ account: NodeAccount) throws(StorageError) -> NodePlace
    {
        // Unsafe: lent for the call, which copies the bytes.
        let blob = bytes.withUnsafeBytes { Blob.make($0, account: .passUnretained(account)) }
        defer { blob.release() }
        return try pages.append(blob, used: 0)
    }
}

extension Node {
    /// How many elements of the chunks below it count; nil for all.
    var childLimit: Int? { kind == .cluster ? Cluster(node: self).slotCount : nil }

    /// The slots of a tree that does not change. `limit` is how many elements of a chunk its
    /// cluster counts: what an unfinished transaction appended is not part of the tree.
    func slots(_ limit: Int?) -> [Slot] {
        var slots: [Slot] = []
        if kind == .chunk {
            let chunk = Chunk(node: self)
            chunk.forEachSlot(of: min(chunk.used, limit ?? .max)) { slots.append($0) }
        } else {
            forEachSlot { slots.append($0) }
        }
        return slots
    }
}
