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

    /// Takes note of what the page files hold now.
    func noteStored(_ bytes: Int) {
        stored.store(bytes, ordering: .relaxed)
        trimmed.store(0, ordering: .relaxed)
    }

    /// Whether `resident` bytes leave so little of the budget that a checkpoint should come soon.
    func isNearlySpent(_ resident: Int) -> Bool { resident > bytes / 8 * 7 }

    /// Whether the writer should give up what is on disk anyway. After it did, memory has to grow
    /// again, or a checkpoint to end, before it is worth another look.
    func shouldTrim(_ resident: Int) -> Bool {
        guard isNearlySpent(resident) else { return false }
        return resident > trimmed.load(ordering: .relaxed) + bytes / 16
    }

    func noteTrim(_ resident: Int) { trimmed.store(resident, ordering: .relaxed) }

    /// Whether `resident` bytes are more than the budget.
    func isSpent(_ resident: Int) -> Bool { resident > bytes }

    /// What the writer brings memory down to when it is nearly spent.
    var lowWater: Int { bytes / 2 }

    /// Claims what attaching `node` costs, of which the node then keeps note; false when the budget
    /// does not allow it.
    func admit(_ node: Node, resident: Int) -> Bool {
        let limit = bytes
        if stored.load(ordering: .relaxed) <= limit / 2, resident <= limit { return true }
        guard let cost = Self.cost(of: node), resident + cost <= limit else { return false }
        let after = promised.wrappingAdd(cost, ordering: .relaxed).newValue
        // A quarter is left for what is read now and not again, and for what is written.
        if after > limit / 4 * 3 {
            promised.wrappingSubtract(cost, ordering: .relaxed)
            return false
        }
        node.charge = cost
        return true
    }

    /// Takes back the claim of a node that goes.
    func remit(_ cost: Int) { promised.wrappingSubtract(cost, ordering: .relaxed) }

    /// Bytes that a node just read will take with all below it; nil when that cannot be told.
    private static func cost(of node: Node) -> Int? {
        if node.kind != .cluster { return node.hasSlots ? nil : Node.footprint(node.size) }
        var cost = Node.footprint(node.size)
        var isKnown = true
        node.forEachSlot { slot in
            guard let place = slot.storedPlace else { return }
            if place.hasSlots { isKnown = false }
            cost += Node.footprint(Int(place.length))
        }
        return isKnown ? cost : nil
    }
}
