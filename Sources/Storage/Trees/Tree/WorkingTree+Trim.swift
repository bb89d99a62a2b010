/// Evicts nodes that the page files have, so that memory stays within its budget.
extension WorkingTree {
    /// Evicts clean nodes when memory is short. Between transactions.
    func trimIfShort() {
        let excess = account.budget.excess(account.byteCount)
        if excess == 0 { return }
        trim(excess)
        account.budget.noteTrim(account.byteCount)
    }

    /// Evicts clean clusters and index leaves, until about `bytes` of memory are freed. Between
    /// transactions.
    ///
    /// The contents of the tree do not change. Snapshots that share evicted nodes retain them until
    /// they are released.
    package func trim(_ bytes: Int) {
        closeRow()
        forgetRecent()
        trims += 1
        var trimmer = Trimmer(bytesLeft: bytes, start: trims)
        let root = rootAsIs()
        for step in 0..<root.count {
            let slot = root.slot(StoreRoot.slotsOffset, (step &+ trims) % root.count)
            guard trimmer.bytesLeft > 0, let node = slot.childAsIs() else { continue }
            let classRoot = ClassRoot(node: node)
            trimmer.trim(classRoot.tree)
            for column in 0..<classRoot.columnCount { trimmer.trim(classRoot.index(column)) }
        }
    }
}

/// Visits branches and evicts the leaves below them.
private struct Trimmer {
    /// The number of bytes still to be evicted.
    var bytesLeft: Int
    /// The first child to visit in each branch; varies, so that no leaf is always evicted first.
    let start: Int

    mutating func trim(_ slot: Slot) {
        guard bytesLeft > 0, let node = slot.resident, Self.isBranch(node.kind) else { return }
        let offset =
            node.kind == .clusterBranch
            ? ClusterBranch.slotsOffset : IndexBranch.slotsOffset
        let isLowest = node.level == 1
        let hasWork = (0..<node.count).contains { index in
            let child = node.slot(offset, index).resident
            return isLowest ? child?.place != nil : child != nil
        }
        guard hasWork, let own = slot.childAsIs() else { return }
        for step in 0..<own.count where bytesLeft > 0 {
            let child = own.slot(offset, (step &+ start) % own.count)
            if isLowest { drop(child) } else { trim(child) }
        }
    }

    private mutating func drop(_ slot: Slot) {
        guard let leaf = slot.resident, let place = leaf.place else { return }
        var bytes = Node.footprint(leaf.size)
        leaf.forEachChild { bytes += Node.footprint($0.size) }
        bytesLeft -= max(bytes, leaf.charge)
        slot.detach(at: place)
    }

    private static func isBranch(_ kind: NodeKind) -> Bool {
        kind == .clusterBranch || kind == .indexBranch
    }
}

extension Slot {
    /// The child, copied if it is shared, but not about to be edited: a copy keeps the child's
    /// place on disk. Nil if it is only on disk.
    fileprivate func childAsIs() -> Node? {
        guard let node = resident, !node.isUnique else { return resident }
        if MissingNode.isPlaceholder(node) { return nil }
        let copy = node.cloneAsIs()
        put(copy)
        node.release()
        return copy
    }
}

extension Node {
    /// A copy that keeps the place of this node on disk.
    func cloneAsIs() -> Node {
        let copy = clone()
        if let place { copy.setPlace(place, used: 0) }
        return copy
    }
}
