/// Relocation of nodes out of page segments that are to be emptied: the writer copies shared nodes
/// without changing them, so that the next checkpoint writes them elsewhere.
extension WorkingTree {
    /// Executes up to `limit` clusters or one index of the plan. Between transactions, or in one
    /// that changes nothing.
    package func relocate(_ plan: inout CompactionPlan, limit: Int) {
        closeRow()
        forgetRecent()
        if plan.resets == nil { plan.resets = resets }
        // After a failure nothing is written any more, and nodes that cannot be read must not be
        // released.
        if account.failure != nil { return plan.abandon() }
        let clusters = plan.takeClusters(limit)
        for (id, key) in clusters {
            guard isReadable(id) else { continue }
            let tree = tree(states[id.rawValue])
            if plan.erases {
                if tree.hasChanged(in: key, since: plan.newest) { plan.isStale = true }
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

    /// Whether the root of the class can be read, so that it can be copied.
    private func isReadable(_ id: ClassID) -> Bool {
        !MissingNode.isPlaceholder(flushedView.classView(id).root.node)
    }
}

extension ClassTree {
    /// Whether the first cluster with keys from `key` on has changed since `newest` was the newest
    /// segment.
    fileprivate func hasChanged(in key: Int64, since newest: PageIndex?) -> Bool {
        // If that cluster was removed, the previous one is found for the key.
        guard let newest, let cluster = root.cluster(for: key), cluster.firstKey >= key,
            let place = cluster.node.place
        else { return true }
        return place.address.segment > newest
    }
}

/// Relocates the nodes of one class out of victims; `columns` are those of the class.
private struct Relocation {
    let victims: Set<PageIndex>
    let columns: [ColumnSchema]

    /// Visits the children of a uniquely owned node below `column`.
    func run(below node: Node, _ column: ColumnSchema?) {
        node.forEachSlot { slot in
            run(
                slot, node.demand(slot, columns: columns, below: column),
                node.column(slot, columns: columns, below: column))
        }
    }

    /// Copies the child of `slot` if it is shared, and it or a node below it is in a victim.
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
