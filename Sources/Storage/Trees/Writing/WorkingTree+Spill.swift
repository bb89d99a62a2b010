/// Writing what a large transaction has filled while it runs.
extension WorkingTree {
    /// How a transaction spills.
    struct Spilling {
        /// Bytes of new nodes between two times.
        let interval: Int
        let make: () -> Spill
    }

    /// Sets how much memory nodes may take before the transaction that begins now spills.
    func armSpill() {
        spillMark = spilling.map { account.byteCount + $0.interval } ?? .max
    }

    /// What the transaction has spilled so far, which the caller sees to from here on.
    func takeSpill() -> Spill? {
        defer { spill = nil }
        return spill
    }

    /// Writes the clusters that only this transaction has and that are full; gives up in memory
    /// what is on disk when the budget is nearly spent.
    func spillFilled() {
        guard let spilling else { return }
        closeRow()
        forgetRecent()
        let spill = spill ?? spilling.make()
        self.spill = spill
        var walk = SpillWalk()
        for id in states.indices { walk.visit(tree: settledRoot(ClassID(id))) }
        spill.write(walk.filled.compactMap(\.resident))
        if account.budget.isNearlySpent(account.byteCount) {
            for slot in walk.filled + walk.clean {
                guard let cluster = slot.resident, let place = cluster.place else { continue }
                spill.note(cluster, at: place)
                slot.detach(at: place)
            }
        }
        spillMark = spill.failure == nil ? account.byteCount + spilling.interval : .max
    }

    /// The tree of clusters of a class, when this transaction has changed it.
    private func settledRoot(_ id: ClassID) -> Slot? {
        guard root.isUnique,
            let node = root.slot(StoreRoot.slotsOffset, id.rawValue).resident, node.isUnique
        else { return nil }
        return ClassRoot(node: node).tree
    }
}

/// Goes through the branches that are the writer's own.
private struct SpillWalk {
    /// Slots of clusters that no page file has.
    private(set) var filled: [Slot] = []
    /// Slots of clusters that can be read again.
    private(set) var clean: [Slot] = []

    mutating func visit(tree slot: Slot?) {
        guard let node = slot?.resident, node.isUnique else { return }
        let branch = ClusterBranch(node: node)
        for index in 0..<node.count {
            let child = branch.slot(index)
            if node.level > 1 {
                visit(tree: child)
            } else if let cluster = child.resident, cluster.isUnique {
                if cluster.place != nil {
                    clean.append(child)
                } else if Self.isOwn(cluster) {
                    filled.append(child)
                }
            }
        }
    }

    /// Whether nobody shares what of the cluster is not on disk.
    private static func isOwn(_ node: Node) -> Bool {
        var isOwn = true
        node.forEachChild { child in
            if isOwn, child.place == nil { isOwn = child.isUnique && Self.isOwn(child) }
        }
        return isOwn
    }
}
