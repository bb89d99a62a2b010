import Synchronization

/// How much memory the nodes of a store may take, and what is promised of it.
///
/// A node that a reader attaches stays for as long as its tree does, with all that comes to hang
/// from it. So it is admitted with its ``cost(of:)``, which counts what is below it whether it was
/// read already or not.
final class MemoryBudget: Sendable {
    /// Bytes; what is written and not yet on disk may pass it until a checkpoint has ended.
    private let limit = Atomic<Int>(.max)
    /// Bytes that attached nodes take, or will when all below them is read.
    private let promised = Atomic<Int>(0)
    /// Bytes that the whole store takes in the page files.
    private let stored = Atomic<Int>(0)
    /// Bytes that were resident after the writer gave up what it could.
    private let trimmed = Atomic<Int>(0)

    var bytes: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    /// Bytes that the whole store takes in the page files.
    var storedBytes: Int { stored.load(ordering: .relaxed) }

    /// Takes note of what the page files hold now.
    func noteStored(_ bytes: Int) {
        stored.store(bytes, ordering: .relaxed)
        trimmed.store(0, ordering: .relaxed)
    }

    /// Whether `resident` bytes leave so little of the budget that something should be given up.
    func isNearlySpent(_ resident: Int) -> Bool { resident > bytes / 8 * 7 }

    /// Whether a checkpoint should come soon, after which the writer can give up what it has
    /// written: because of `resident` bytes, or of what is still to be read below its clusters.
    func isShort(_ resident: Int) -> Bool { isNearlySpent(need(resident)) }

    private func need(_ resident: Int) -> Int {
        max(resident, promised.load(ordering: .relaxed))
    }

    /// Bytes that the writer should give up of what is on disk anyway; zero when it need not. After
    /// it did, memory has to grow again, or a checkpoint to end, before it is worth another look.
    func excess(_ resident: Int) -> Int {
        let need = need(resident)
        guard isNearlySpent(need), need > trimmed.load(ordering: .relaxed) + bytes / 16 else {
            return 0
        }
        return need - bytes / 2
    }

    func noteTrim(_ resident: Int) { trimmed.store(need(resident), ordering: .relaxed) }

    /// What readers may fill. The rest is for what is being written, and for what the allocator
    /// cannot give back to the system although it was freed.
    private var readersBytes: Int { bytes / 4 * 3 }

    /// Whether `resident` bytes leave readers nothing to keep.
    func isFull(_ resident: Int) -> Bool { resident > readersBytes }

    /// Whether `resident` bytes are more than the budget.
    func isSpent(_ resident: Int) -> Bool { resident > bytes }

    /// Once the budget is spent, a checkpoint of no more of the log than this is not worth it:
    /// something else has the memory.
    var logBytesMin: Int { bytes / 64 }

    /// Claims what attaching `node` costs, of which the node then keeps note; false when the budget
    /// does not allow it.
    func admit(_ node: Node, resident: Int) -> Bool {
        let limit = readersBytes
        if stored.load(ordering: .relaxed) <= limit / 2, resident <= limit { return true }
        guard let cost = Self.cost(of: node), resident + cost <= limit else { return false }
        let after = promised.wrappingAdd(cost, ordering: .relaxed).newValue
        if after > limit {
            promised.wrappingSubtract(cost, ordering: .relaxed)
            return false
        }
        node.charge = cost
        return true
    }

    /// Counts what a node that the writer attaches comes to take, whether there is room or not.
    /// What is below a cluster was counted with the cluster.
    func charge(_ node: Node) {
        let cost: Int
        switch node.kind {
        case .cluster: cost = Self.cost(of: node) ?? Node.footprint(node.size)
        case .clusterBranch, .indexBranch, .indexLeaf: cost = Node.footprint(node.size)
        case .chunk, .sequenceBranch, .blob, .map, .classRoot, .storeRoot: return
        }
        node.charge = cost
        promise(cost)
    }

    /// Counts a claim that a copy of a node has as the node does.
    func promise(_ cost: Int) { promised.wrappingAdd(cost, ordering: .relaxed) }

    /// Takes back the claim of a node that goes.
    func remit(_ cost: Int) { promised.wrappingSubtract(cost, ordering: .relaxed) }

    /// The largest cost that a node can store: one that claims more comes from a damaged file.
    private static let costMax = Int(UInt32.max) * 8

    /// Bytes that a node just read will take with all below it; nil when that cannot be determined.
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
