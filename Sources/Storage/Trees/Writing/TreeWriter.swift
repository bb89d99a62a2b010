/// Writes the nodes of a tree that are not on disk yet: children before their parents, because a
/// parent's image contains the addresses and hashes of its children.
///
/// Nodes in memory are not changed: the caller marks those ``written`` once they are durable. The
/// root must be captured and retained until then, since shared nodes are not edited.
struct TreeWriter: ~Copyable {
    /// A node that was written.
    struct Written {
        let node: Node
        let place: NodePlace
        let used: Int
    }

    var pages: PageWriter
    private(set) var written: [Written] = []
    // Unsafe: addresses of nodes as keys only; the root retains the nodes.
    /// The places by address in memory, because written nodes are not marked yet.
    private var places: [UnsafeMutableRawPointer: NodePlace] = [:]
    /// Nodes on disk that written nodes refer to: they stay in use, with all nodes below them.
    private(set) var kept: Set<PageAddress> = []
    /// How many nodes were written.
    private var appended = 0
    /// Called repeatedly with the number of bytes written; may throw to abort.
    private let pace: (Int) throws(StorageError) -> Void

    init(
        pages: consuming PageWriter,
        pace: @escaping (Int) throws(StorageError) -> Void = { _ in }
    ) {
        self.pages = pages
        self.pace = pace
    }

    /// Writes the nodes of the tree that are not on disk, and returns the root's place.
    mutating func write(_ root: Node) throws(StorageError) -> NodePlace {
        try write(root, limit: nil)
    }

    /// `limit` is how many elements of a chunk its cluster uses.
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

    /// Appends the image of one node, with the places of its children from `place`.
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

    /// Clears the written nodes, which were marked or will be discarded.
    mutating func forget() {
        written = []
        places = [:]
        kept = []
    }

    /// Writes bytes as a separate node, which no other node refers to.
    mutating func append(_ bytes: [UInt8], _ account: NodeAccount) throws(StorageError) -> NodePlace
    {
        // Unsafe: lent for the call, which copies the bytes.
        let blob = bytes.withUnsafeBytes { Blob.make($0, account: .passUnretained(account)) }
        defer { blob.release() }
        return try pages.append(blob, used: 0)
    }
}

extension Node {
    /// How many elements of the chunks below it are in use; nil for all.
    var childLimit: Int? { kind == .cluster ? Cluster(node: self).slotCount : nil }

    /// The slots of a node in an immutable tree. `limit` is how many elements of a chunk its
    /// cluster uses: what an unfinished transaction has appended is not part of the tree.
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
