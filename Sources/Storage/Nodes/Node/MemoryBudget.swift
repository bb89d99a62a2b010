import Synchronization

/// The memory budget of a store's nodes, and the claims on it.
///
/// A node that a reader attaches stays in memory as long as its tree, with all nodes that are
/// attached below it later. So it is admitted with its ``cost(of:)``, which includes what is below
/// it, read or not.
final class MemoryBudget: Sendable {
    /// In bytes. Nodes that are not on disk yet may exceed it until the next checkpoint.
    private let limit = Atomic<Int>(.max)
    /// Bytes that attached nodes take, or will take when all nodes below them are read.
    private let claimed = Atomic<Int>(0)
    /// Bytes that the whole store takes in the page files.
    private let stored = Atomic<Int>(0)
    /// Bytes that were resident after the writer's last eviction.
    private let trimmed = Atomic<Int>(0)

    var bytes: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    /// Bytes that the whole store takes in the page files.
    var storedBytes: Int { stored.load(ordering: .relaxed) }

    /// Records the bytes in the page files.
    func noteStored(_ bytes: Int) {
        stored.store(bytes, ordering: .relaxed)
        trimmed.store(0, ordering: .relaxed)
    }

    /// Whether `resident` bytes leave so little of the budget that nodes should be evicted.
    func isNearlySpent(_ resident: Int) -> Bool { resident > bytes / 8 * 7 }

    /// Whether a checkpoint should follow soon, after which written nodes can be evicted: because
    /// of `resident` bytes, or of the claims of nodes.
    func isShort(_ resident: Int) -> Bool { isNearlySpent(need(resident)) }

    private func need(_ resident: Int) -> Int {
        max(resident, claimed.load(ordering: .relaxed))
    }

    /// Bytes of clean nodes that the writer should evict; zero if it need not. After an eviction,
    /// the next one is due when memory has grown again, or after a checkpoint.
    func excess(_ resident: Int) -> Int {
        let need = need(resident)
        guard isNearlySpent(need), need > trimmed.load(ordering: .relaxed) + bytes / 16 else {
            return 0
        }
        return need - bytes / 2
    }

    func noteTrim(_ resident: Int) { trimmed.store(need(resident), ordering: .relaxed) }

    /// The share of readers. The rest is for nodes that are being written, and for fragmentation of
    /// the allocator.
    private var readersBytes: Int { bytes / 4 * 3 }

    /// Whether `resident` bytes exhaust the share of readers.
    func isFull(_ resident: Int) -> Bool { resident > readersBytes }

    /// Whether `resident` bytes are more than the budget.
    func isSpent(_ resident: Int) -> Bool { resident > bytes }

    /// If the budget is spent, a checkpoint of less log than this is not worthwhile: the memory is
    /// used by other nodes.
    var logBytesMin: Int { bytes / 64 }

    /// Claims the cost of attaching `node`, and records it in the node; false if the budget does
    /// not allow it.
    func admit(_ node: Node, resident: Int) -> Bool {
        let limit = readersBytes
        if stored.load(ordering: .relaxed) <= limit / 2, resident <= limit { return true }
        guard let cost = Self.cost(of: node), resident + cost <= limit else { return false }
        let after = claimed.wrappingAdd(cost, ordering: .relaxed).newValue
        if after > limit {
            claimed.wrappingSubtract(cost, ordering: .relaxed)
            return false
        }
        node.charge = cost
        return true
    }

    /// Claims the cost of a node that the writer attaches, regardless of the budget. Nodes below a
    /// cluster were counted with the cluster.
    func charge(_ node: Node) {
        let cost: Int
        switch node.kind {
        case .cluster: cost = Self.cost(of: node) ?? Node.footprint(node.size)
        case .clusterBranch, .indexBranch, .indexLeaf: cost = Node.footprint(node.size)
        case .chunk, .sequenceBranch, .blob, .map, .classRoot, .storeRoot: return
        }
        node.charge = cost
        addClaim(cost)
    }

    /// Adds the claim of a copied node.
    func addClaim(_ cost: Int) { claimed.wrappingAdd(cost, ordering: .relaxed) }

    /// Removes the claim of a node that is freed.
    func removeClaim(_ cost: Int) { claimed.wrappingSubtract(cost, ordering: .relaxed) }

    /// The largest cost that a node can record: a larger one indicates a damaged file.
    private static let costMax = Int(UInt32.max) * 8

    /// The bytes that a node just read will take, with all nodes below it; nil if that cannot be
    /// determined.
    private static func cost(of node: Node) -> Int? {
        if node.kind != .cluster { return node.hasSlots ? nil : Node.footprint(node.size) }
        var cost = Node.footprint(node.size)
        var isKnown = true
        node.forEachSlot { slot in
            guard let place = slot.storedPlace else { return }
            if place.hasSlots { isKnown = false }
            cost += Node.footprint(Int(place.length))
        }
        return isKnown ? min(cost, costMax) : nil
    }
}
