/// Moving nodes out of page segments that are to be emptied: the writer makes them its own, without
/// changing them, so that the next checkpoint writes them anew.
extension WorkingTree {
    /// Works off up to `limit` clusters or one index of the plan. Between transactions, or in one
    /// that changes nothing.
    package func relocate(_ plan: inout CompactionPlan, limit: Int) {
        closeRow()
        forgetRecent()
        // Nothing is written any more, and what cannot be read must not be given up.
        if account.failure != nil { return plan.abandon() }
        let clusters = plan.takeClusters(limit)
        for (id, key) in clusters {
            guard isReadable(id) else { continue }
            let tree = tree(states[id.rawValue])
            if plan.erases { tree.eraseDeadRows(in: key) }
            guard let cluster = tree.uniqueCluster(for: key) else { continue }
            cluster.forEachSlot { Self.relocate($0, plan.victims) }
        }
        if clusters.isEmpty {
            if let (id, column) = plan.takeIndex() {
                if isReadable(id) { Self.relocate(uniqueRoot(id).index(column), plan.victims) }
            } else if let id = plan.takeRoot(), isReadable(id) {
                _ = uniqueRoot(id)
            }
        }
        forgetRecent()
    }

    /// Whether the class has a root to be made the writer's own.
    private func isReadable(_ id: ClassID) -> Bool {
        !MissingNode.standsIn(settledView.classView(id).root.node)
    }

    /// Makes the child of `slot` the writer's own, when it or anything below it is in a victim.
    private static func relocate(_ slot: Slot, _ victims: Set<PageIndex>) {
        guard holds(slot, victims), let node = slot.uniqueNode() else { return }
        node.forEachSlot { relocate($0, victims) }
    }

    private static func holds(_ slot: Slot, _ victims: Set<PageIndex>) -> Bool {
        if let place = slot.place {
            if victims.contains(place.address.segment) { return true }
            if !place.hasSlots { return false }
        }
        var found = false
        slot.node?.forEachSlot { child in
            if !found { found = holds(child, victims) }
        }
        return found
    }
}
