/// Spilling: writing full clusters of a large transaction while it runs.
extension WorkingTree {
    /// How a transaction spills.
    struct Spilling {
        /// Bytes of new nodes between two spills.
        let interval: Int
        let make: () -> Spill
    }

    /// Sets the memory of nodes at which the beginning transaction spills.
    func armSpill() {
        spillMark = spilling.map { account.byteCount + $0.interval } ?? .max
    }

    /// Hands the spill of the transaction over to the caller.
    func takeSpill() -> Spill? {
        defer { (spill, spillRefusal) = (nil, nil) }
        return spill
    }

    /// Throws if the running transaction cannot be committed any more because its spill has failed:
    /// continuing would only fill the memory.
    package func requireSpilled() throws(StorageError) {
        if let spillRefusal { throw spillRefusal }
    }

    /// Writes the full clusters that only this transaction refers to, and evicts clean nodes if the
    /// memory budget is nearly spent.
    func spillFilled() {
        guard let spilling else { return }
        closeRow()
        forgetRecent()
        let spill = spill ?? spilling.make()
        self.spill = spill
        let isShort = account.budget.isNearlySpent(account.byteCount)
        var walk = SpillWalk()
        for id in states.indices {
            guard let root = changedRoot(ClassID(id)) else { continue }
            walk.visit(tree: root.tree)
            if isShort { walk.visit(newest: root.newest) }
        }
        spill.write(walk.filled.compactMap(\.resident))
        if isShort {
            for slot in walk.filled + walk.clean {
                guard let node = slot.resident, let place = node.place else { continue }
                if place.hasSlots { spill.note(node, at: place) }
                slot.detach(at: place)
            }
        }
        spillRefusal = spill.refusal
        spillMark = spillRefusal == nil ? account.byteCount + spilling.interval : .max
    }

    /// The root of a class, if this transaction has changed it.
    private func changedRoot(_ id: ClassID) -> ClassRoot? {
        guard root.isUnique,
            let node = root.slot(StoreRoot.slotsOffset, id.rawValue).resident, node.isUnique
        else { return nil }
        return ClassRoot(node: node)
    }
}

/// A walk through the uniquely owned branches.
private struct SpillWalk {
    /// Slots of clusters, and of long values of newest ones, that no page file has.
    private(set) var filled: [Slot] = []
    /// Slots of those that are on disk and can be evicted.
    private(set) var clean: [Slot] = []

    mutating func visit(tree slot: Slot) {
        guard let node = slot.resident, node.isUnique else { return }
        let branch = ClusterBranch(node: node)
        for index in 0..<node.count {
            let child = branch.slot(index)
            if node.level > 1 {
                visit(tree: child)
            } else {
                visit(leaf: child)
            }
        }
    }

    /// The newest cluster will get more rows, and stays in memory, except for its long values,
    /// which together may be far larger than the budget.
    mutating func visit(newest slot: Slot) {
        guard let cluster = slot.resident, cluster.isUnique else { return }
        cluster.forEachChild { chunk in
            guard chunk.kind == .chunk, chunk.isUnique else { return }
            chunk.forEachSlot { value in
                if let node = value.resident, Self.isLong(node) { visit(leaf: value) }
            }
        }
    }

    private mutating func visit(leaf slot: Slot) {
        guard let node = slot.resident, node.isUnique else { return }
        if node.place != nil {
            clean.append(slot)
        } else if Self.isOwn(node) {
            filled.append(slot)
        }
    }

    /// From this size on, a value is evicted separately.
    private static let longMin = 4096

    private static func isLong(_ value: Node) -> Bool {
        switch value.kind {
        case .blob: return value.size >= longMin
        case .sequenceBranch: return true
        case .chunk: return value.hasSlots
        case .map:
            var isLong = false
            value.forEachChild { isLong = isLong || Self.isLong($0) }
            return isLong
        case .cluster, .clusterBranch, .indexLeaf, .indexBranch, .classRoot, .storeRoot:
            return false
        }
    }

    /// Whether the part of a cluster or value that is not on disk is not shared.
    private static func isOwn(_ node: Node) -> Bool {
        var isOwn = true
        node.forEachChild { child in
            if isOwn, child.place == nil { isOwn = child.isUnique && Self.isOwn(child) }
        }
        return isOwn
    }
}
