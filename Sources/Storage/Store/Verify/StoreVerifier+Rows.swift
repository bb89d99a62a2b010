/// The rows of a class: its tree of clusters.
extension StoreVerifier {
    /// The state of the walk over one class's clusters.
    struct RowWalk {
        let place: StoreProblem.Place
        let columns: [ColumnSchema]
        /// The highest key so far.
        var lastKey: Int64 = -1
        var rows = 0

        var classID: ClassID { place.classID.unsafelyUnwrapped }
    }

    func walkRows(of root: ClassRoot, _ id: ClassID) throws(CancellationError) {
        let place = StoreProblem.Place(id)
        var walk = RowWalk(place: place, columns: schema[id].columns)
        let level = Int(root.node.level)
        if !root.tree.isEmpty {
            try walkBranch(root.tree, root.treeDemand, level: level, &walk)
        } else if level != 0 {
            damaged(place, "a class without a tree has height \(level)")
        }
        if walk.rows != root.treeRows {
            tally.note(
                .count, place,
                "the class records \(root.treeRows) rows, and its tree has \(walk.rows)")
        }
        if !root.newest.isEmpty {
            _ = try walkCluster(root.newest, root.newestDemand, isNewest: true, &walk)
        }
        if root.nextKey <= walk.lastKey {
            tally.note(
                .order, place,
                "the key of the next row is \(root.nextKey), and a row has key "
                    + "\(walk.lastKey)")
        }
    }

    /// Walks one branch and the nodes below it; returns the number of rows, nil if it cannot be
    /// followed.
    @discardableResult
    private func walkBranch(
        _ slot: Slot, _ demand: NodeDemand, level: Int, _ walk: inout RowWalk
    ) throws(CancellationError) -> Int? {
        guard let node = child(slot, demand, [.clusterBranch], walk.place) else {
            if slot.isEmpty { damaged(walk.place, "a branch lacks a child") }
            return nil
        }
        guard level >= 1, Int(node.level) == level else {
            damaged(walk.place, "a branch has height \(node.level), expected \(level)")
            return nil
        }
        let branch = ClusterBranch(node: node)
        var rows = 0
        for index in 0..<node.count {
            let firstKey = branch.firstKey(index)
            if firstKey <= walk.lastKey {
                tally.note(
                    .order, walk.place,
                    "the first key \(firstKey) of a branch is not above \(walk.lastKey)")
            }
            walk.lastKey = max(walk.lastKey, firstKey &- 1)
            let below =
                level > 1
                ? try walkBranch(
                    branch.slot(index), branch.demand(index), level: level - 1, &walk)
                : try walkCluster(
                    branch.slot(index), branch.demand(index), isNewest: false, &walk)
            guard let below else { continue }
            rows += below
            if below != branch.rows(index) || below == 0 {
                tally.note(
                    .count, walk.place,
                    "a branch records \(branch.rows(index)) rows and has \(below)")
            }
        }
        return rows
    }

    /// Walks one cluster; returns the number of rows, nil if it cannot be followed.
    private func walkCluster(
        _ slot: Slot, _ demand: NodeDemand, isNewest: Bool, _ walk: inout RowWalk
    ) throws(CancellationError) -> Int? {
        guard let hold = heldChild(slot, demand, .cluster, walk.place) else {
            if slot.isEmpty { damaged(walk.place, "a branch lacks a cluster") }
            return nil
        }
        let cluster = Cluster(node: hold.node)
        let slots = cluster.slotCount
        let first = walk.place.at(row: RowKey(cluster.firstKey))
        guard (1...Cluster.slotsMax).contains(slots),
            cluster.columnCount <= walk.columns.count
        else {
            damaged(first, "a cluster has \(slots) slots and \(cluster.columnCount) columns")
            return nil
        }
        guard checkKeys(cluster, first, &walk) else { return nil }
        var live = 0
        for index in 0..<4 {
            let word = cluster.liveWord(index)
            live += word.nonzeroBitCount
            if word & ~Cluster.mask(slots, index) != 0 {
                damaged(first, "rows are live after the last slot of a cluster")
            }
        }
        if live != cluster.liveCount {
            damaged(first, "a cluster records \(cluster.liveCount) rows and has \(live)")
        }
        let mayChange = isNewest && isShared
        for column in 0..<cluster.columnCount {
            try checkColumn(cluster, column, mayChange: mayChange, walk)
        }
        walk.rows += isNewest ? 0 : live
        tally.counts.rows += live
        try tally.advance(live)
        return live
    }

    /// Whether the keys of the slots can be read and ascend.
    private func checkKeys(
        _ cluster: Cluster, _ place: StoreProblem.Place, _ walk: inout RowWalk
    ) -> Bool {
        let slots = cluster.slotCount
        let offsets = cluster.offsetsSlot
        if !offsets.isEmpty {
            guard let node = child(offsets, .offsets(slots), [.chunk], place) else { return false }
            let chunk = Chunk(node: node)
            guard chunk.soundForm == .integers, chunk.width == 4, chunk.base == 0,
                chunk.used >= slots, chunk.used <= chunk.capacity
            else {
                damaged(place, "a cluster does not have \(slots) key offsets")
                return false
            }
        }
        let (_, overflow) = cluster.firstKey.addingReportingOverflow(Int64(UInt32.max))
        guard cluster.firstKey >= 0, !overflow else {
            damaged(place, "a cluster has the invalid first key \(cluster.firstKey)")
            return false
        }
        for slot in 0..<slots {
            let key = cluster.key(slot).rawValue
            if key <= walk.lastKey {
                damaged(place.at(row: RowKey(key)), "its key is not above \(walk.lastKey)")
                return false
            }
            walk.lastKey = key
        }
        return true
    }
}
