/// Moving nodes out of page segments that are to be emptied: the writer makes them its own, without
/// changing them, so that the next checkpoint writes them anew.
extension WorkingTree {
    /// Works off up to `limit` clusters or one index of the plan. Between transactions, or in one
    /// that changes nothing.
    package func relocate(_ plan: inout CompactionPlan, limit: Int) {
        closeRow()
        forgetRecent()
        if plan.resets == nil { plan.resets = resets }
        // Nothing is written any more, and what cannot be read must not be given up.
        if account.failure != nil { return plan.abandon() }
        let clusters = plan.takeClusters(limit)
        for (id, key) in clusters {
            guard isReadable(id) else { continue }
            let tree = tree(states[id.rawValue])
            if plan.erases {
                if tree.hasChanged(in: key, since: plan.newest) { plan.wasOvertaken = true }
                tree.eraseDeadRows(in: key)
            }
            guard let cluster = tree.uniqueCluster(for: key) else { continue }
            let relocation = Relocation(victims: plan.victims, columns: tree.schema.columns)
            relocation.run(below: cluster.node, nil)
        }
        if clusters.isEmpty {
            if let (id, column) = plan.takeIndex() {
                if isReadable(id) {
                    let relocation = Relocation(victims: plan.victims, columns: [])
                    relocation.run(uniqueRoot(id).index(column), .any, nil)
                }
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
}

extension ClassTree {
    /// Whether the first cluster with keys from `key` on is not the one that was there when there
    /// was no segment behind `newest`.
    fileprivate func hasChanged(in key: Int64, since newest: PageIndex?) -> Bool {
        // Where it has gone, the one before it has the key.
        guard let newest, let cluster = root.cluster(for: key), cluster.firstKey >= key,
            let place = cluster.node.place
        else { return true }
        return place.address.segment > newest
    }
}

/// Takes nodes of one class out of victims, with what the class's columns say of them.
private struct Relocation {
    let victims: Set<PageIndex>
    let columns: [ColumnSchema]

    /// Goes through the children of a node that is the writer's own and below `column`.
    func run(below node: Node, _ column: ColumnSchema?) {
        node.forEachSlot { slot in
            run(
                slot, node.demand(slot, columns: columns, below: column),
                node.column(slot, columns: columns, below: column))
        }
    }

    /// Makes the child of `slot` the writer's own, when it or anything below it is in a victim.
    func run(_ slot: Slot, _ demand: NodeDemand, _ column: ColumnSchema?) {
        guard holds(slot, demand, column), let node = slot.uniqueNode(demand) else { return }
        run(below: node, column)
    }

    private func holds(_ slot: Slot, _ demand: NodeDemand, _ column: ColumnSchema?) -> Bool {
        if let place = slot.place {
            if victims.contains(place.address.segment) { return true }
            if !place.hasSlots { return false }
        }
        guard let node = slot.node(demand) else { return false }
        var found = false
        node.forEachSlot { child in
            if found { return }
            found = holds(
                child, node.demand(child, columns: columns, below: column),
                node.column(child, columns: columns, below: column))
        }
        return found
    }
}
