/// Determines which bytes a tree uses of the segments that its transactions have spilled to.
struct SpilledNodes {
    let pages: PageStore
    let account: NodeAccount
    private let clusters: [PageAddress: Spill.Cluster]
    private var bySegment: [PageIndex: PageSegment] = [:]
    /// Nodes in other segments that spilled nodes, or the tree, refer to.
    private(set) var kept: Set<PageAddress> = []

    init(_ spills: [Spill], pages: PageStore, account: NodeAccount) {
        self.pages = pages
        self.account = account
        clusters = spills.reduce(into: [:]) { $0.merge($1.clusters) { a, _ in a } }
        for segment in spills.flatMap(\.segments) { bySegment[segment.index] = segment }
    }

    var segments: some Sequence<PageSegment> { bySegment.values }

    /// Counts `node`, which is in memory, and all nodes below it. O(nodes that the transactions
    /// created); reads a spilled cluster only if it was read again, and so perhaps changed, after
    /// its eviction.
    mutating func count(_ node: Node, limit: Int? = nil) throws(StorageError) {
        let childLimit = node.childLimit
        for slot in node.slots(limit) {
            guard let child = slot.resident else {
                if let place = slot.storedPlace { try count(below: place) }
                continue
            }
            guard let place = node.place == nil ? child.place : child.imagePlace else {
                // It was written with the tree.
                try count(child, limit: childLimit)
                continue
            }
            if add(place) { try count(child, limit: childLimit) }
        }
    }

    /// Counts one node; false if it is older than the transactions, like all nodes below it.
    private mutating func add(_ place: NodePlace) -> Bool {
        let index = place.address.segment
        guard bySegment[index] != nil else {
            kept.insert(place.address)
            return false
        }
        bySegment[index]?.live += Int(place.length)
        return true
    }

    private mutating func count(below place: NodePlace) throws(StorageError) {
        if let cluster = clusters[place.address] {
            for (index, bytes) in cluster.bytes { bySegment[index]?.live += bytes }
            // Another transaction of the group may have spilled them.
            for place in cluster.kept { try count(below: place) }
            return
        }
        guard add(place), place.hasSlots else { return }
        let node = try pages.load(place, account: .passUnretained(account))
        defer { node.release() }
        for slot in node.slots(nil) {
            if let child = slot.storedPlace { try count(below: child) }
        }
    }
}
