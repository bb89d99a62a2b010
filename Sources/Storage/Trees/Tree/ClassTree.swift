/// The writer's operations on the clusters of one class.
///
/// `root` must be uniquely owned; every shared node on the path is copied before it changes. Nodes
/// that cannot be read are left unchanged, except the newest cluster, which new rows need.
struct ClassTree {
    let root: ClassRoot
    let schema: ClassSchema

    // Unowned: the working tree retains the account.
    var account: Unmanaged<NodeAccount> { root.node.account }

    /// Appends a row with `key`, which is above every existing key, and returns its location.
    ///
    /// The columns are aligned to the rows before it; the caller writes or zeroes the new row.
    func append(_ key: Int64) -> RowLocation {
        if let newest = root.newestCluster {
            // Negative if the newest cluster cannot be read, or the class's root could not be read
            // when the key was chosen.
            let slot = Int(key &- newest.firstKey)
            if slot >= 0, slot < Cluster.slotsMax, newest.offsets == nil,
                let own = uniqueNewest()
            {
                return open(own, slot: slot)
            }
            sealNewest()
        }
        let cluster = Cluster.make(firstKey: key, schema: schema, account: account)
        root.newest.put(cluster.node)
        return open(cluster, slot: 0)
    }

    private func open(_ cluster: Cluster, slot: Int) -> RowLocation {
        // Keys of rolled back transactions leave dead slots, which are filled with zeros here.
        alignColumns(cluster, to: slot)
        cluster.slotCount = slot + 1
        cluster.setLive(slot, true)
        cluster.liveCount += 1
        return RowLocation(cluster: cluster, slot: slot)
    }

    private func uniqueNewest() -> Cluster? {
        guard let node = root.newest.uniqueNode(root.newestDemand) else { return nil }
        let cluster = Cluster(node: node)
        if cluster.columnCount >= schema.columns.count { return cluster }
        let wide = cluster.widened(to: schema)
        root.newest.replace(with: wide.node)
        return wide
    }

    /// Truncates what a rolled back transaction has written to the chunks after the last row, and
    /// pads those of unwritten columns.
    private func alignColumns(_ cluster: Cluster, to count: Int) {
        for column in 0..<cluster.columnCount {
            let cell = cluster.cell(column)
            let node = cell.node(
                .chunk(schema.columns[column].chunkShape, count: cluster.slotCount))
            guard let node, Chunk(node: node).used != count else { continue }
            ChunkCell(
                slot: cell, shape: schema.columns[column].chunkShape, count: cluster.slotCount,
                account: account
            ).align(to: count, nullable: schema.columns[column].hasNullBits)
        }
    }

    /// Moves the newest cluster, which is full, into the tree.
    func sealNewest() {
        guard let node = root.newest.take(root.newestDemand) else { return }
        let cluster = Cluster(node: node)
        guard cluster.liveCount > 0 else {
            node.release()
            return
        }
        let firstKey = cluster.firstKey
        insertLast(node, firstKey: firstKey, rows: cluster.liveCount)
        rebalance(firstKey)
    }

    private func insertLast(_ cluster: Node, firstKey: Int64, rows: Int) {
        guard let top = root.tree.uniqueNode(root.treeDemand) else {
            let branch = ClusterBranch.make(level: 1, account: account)
            branch.append(cluster, firstKey: firstKey, rows: rows)
            root.tree.put(branch.node)
            root.treeRows = rows
            root.node.level = 1
            return
        }
        root.treeRows += rows
        let branch = ClusterBranch(node: top)
        guard let sibling = append(cluster, firstKey: firstKey, rows: rows, to: branch) else {
            return
        }
        let parent = ClusterBranch.make(level: Int(root.node.level) + 1, account: account)
        let old = root.tree.take(root.treeDemand).unsafelyUnwrapped
        parent.append(old, firstKey: branch.firstKey(0), rows: branch.rowCount)
        parent.append(sibling.node, firstKey: firstKey, rows: rows)
        root.tree.put(parent.node)
        root.node.level = parent.node.level
    }

    /// Appends below `branch`; if that is full, returns a new sibling instead.
    private func append(
        _ cluster: Node, firstKey: Int64, rows: Int, to branch: ClusterBranch
    ) -> ClusterBranch? {
        var child = cluster
        if branch.node.level > 1 {
            let last = branch.node.count - 1
            guard let node = branch.slot(last).uniqueNode(branch.demand(last)) else {
                cluster.release()
                return nil
            }
            let below = ClusterBranch(node: node)
            guard let sibling = append(cluster, firstKey: firstKey, rows: rows, to: below) else {
                branch.setRows(last, branch.rows(last) + rows)
                return nil
            }
            child = sibling.node
        }
        if branch.node.count < ClusterBranch.fanOut {
            branch.append(child, firstKey: firstKey, rows: rows)
            return nil
        }
        let sibling = ClusterBranch.make(level: Int(branch.node.level), account: account)
        sibling.append(child, firstKey: firstKey, rows: rows)
        return sibling
    }

    /// The cluster of `key`, copied if it is shared, and as wide as the schema.
    func uniqueCluster(for key: Int64) -> Cluster? {
        if let newest = root.newestCluster, key >= newest.firstKey { return uniqueNewest() }
        guard let (branch, child) = uniqueLowestBranch(for: key),
            let node = branch.slot(child).uniqueNode(branch.demand(child))
        else { return nil }
        let cluster = Cluster(node: node)
        if cluster.columnCount >= schema.columns.count { return cluster }
        let wide = cluster.widened(to: schema)
        branch.slot(child).replace(with: wide.node)
        return wide
    }

    /// The branch above the cluster of `key`, copied if it is shared, and the index of that
    /// cluster; nil if there is none, or a node on the path cannot be read.
    private func uniqueLowestBranch(for key: Int64) -> (branch: ClusterBranch, child: Int)? {
        guard let top = root.tree.uniqueNode(root.treeDemand) else { return nil }
        var branch = ClusterBranch(node: top)
        while let child = branch.child(for: key) {
            if branch.node.level == 1 { return (branch, child) }
            guard let below = branch.slot(child).uniqueNode(branch.demand(child)) else {
                return nil
            }
            branch = ClusterBranch(node: below)
        }
        return nil
    }

    /// Removes the rows with `keys`, which ascend; missing ones are skipped.
    ///
    /// Clusters that have lost many rows are rewritten, each once, at the end.
    func remove(_ keys: [RowKey]) {
        var thinned: [Int64] = []
        var next = 0
        while next < keys.count {
            let first = keys[next]
            guard let cluster = uniqueCluster(for: first.rawValue) else {
                next += 1
                continue
            }
            var removed = 0
            while next < keys.count, let slot = cluster.slot(of: keys[next]) {
                cluster.setLive(slot, false)
                removed += 1
                next += 1
            }
            guard removed > 0 else {
                next += 1
                continue
            }
            forget(removed, of: cluster, first.rawValue)
            thinned.append(first.rawValue)
        }
        for key in thinned { rebalance(key) }
    }

    /// Subtracts `removed` rows from the counts of the cluster of `key`, and unlinks it if it is
    /// empty.
    private func forget(_ removed: Int, of cluster: Cluster, _ key: Int64) {
        cluster.liveCount -= removed
        if cluster == root.newestCluster { return }
        root.treeRows -= removed
        // Resident and uniquely owned, since it is on the path to the cluster.
        guard let tree = root.tree.resident else { return }
        if removeBelow(ClusterBranch(node: tree), key, removed) {
            root.tree.replace(with: nil)
            root.node.level = 0
        }
    }

    /// Subtracts `removed` rows on the path to `key` and unlinks empty nodes; true if the branch
    /// itself is empty.
    private func removeBelow(_ branch: ClusterBranch, _ key: Int64, _ removed: Int) -> Bool {
        guard let child = branch.child(for: key) else { return false }
        branch.setRows(child, branch.rows(child) - removed)
        if branch.node.level > 1 {
            guard let below = branch.slot(child).resident else { return false }
            if removeBelow(ClusterBranch(node: below), key, removed) { branch.remove(child) }
        } else if branch.rows(child) == 0 {
            branch.remove(child)
        }
        return branch.node.count == 0
    }
}

extension ClassTree {
    /// Rewrites the cluster of `key` without its dead slots if they are more than half of it, and
    /// merges it with neighbours whose rows fit into one cluster.
    ///
    /// The newest cluster is rebalanced when it moves into the tree. Neighbours in other branches
    /// are not merged. Invalidates locations.
    func rebalance(_ key: Int64) {
        guard let cluster = root.cluster(for: key), cluster != root.newestCluster,
            cluster.liveCount * 2 < cluster.slotCount
        else { return }
        guard let (branch, index) = uniqueLowestBranch(for: key) else { return }
        let run = branch.mergeable(around: index)
        // A neighbour that cannot be read has an unknown number of rows, and a cluster needs at
        // least one.
        guard !run.isEmpty, run.allSatisfy({ branch.slot($0).resident != nil }) else { return }
        let new = ClusterRebuild(
            run.map { branch.cluster($0) }, schema: schema, account: account
        ).make()
        branch.setRows(run.lowerBound, new.liveCount)
        branch.slot(run.lowerBound).replace(with: new.node)
        for _ in run.dropFirst() { branch.remove(run.lowerBound + 1) }
    }
}

extension ClassTree {
    /// Rewrites the cluster of `key` without the values of deleted rows, if it holds any.
    /// Invalidates locations.
    func eraseDeadRows(in key: Int64) {
        guard let cluster = root.cluster(for: key), cluster.holdsDeadRows,
            !MissingNode.isPlaceholder(cluster.node)
        else { return }
        if cluster == root.newestCluster {
            // An empty cluster is dropped; the next row begins another.
            root.newest.replace(with: cluster.liveCount == 0 ? nil : rebuilt(cluster).node)
            return
        }
        guard cluster.liveCount > 0, let (branch, child) = uniqueLowestBranch(for: key) else {
            return
        }
        branch.slot(child).replace(with: rebuilt(cluster).node)
    }

    /// Sets the key of the next row. No row from `key` on may exist; the slots of deleted ones are
    /// removed.
    func rewindKeys(to key: Int64) {
        if let newest = root.newestCluster { eraseDeadRows(in: newest.firstKey) }
        // Without a newest cluster, the tree's last one may have such slots as well.
        eraseDeadRows(in: key)
        root.nextKey = key
    }

    func rebuilt(_ cluster: Cluster) -> Cluster {
        ClusterRebuild([cluster], schema: schema, account: account).make()
    }
}

extension ClusterBranch {
    /// The cluster at `index` of a branch of the lowest level.
    fileprivate func cluster(_ index: Int) -> Cluster {
        Cluster(node: child(index))
    }

    /// The longest run of clusters around `index` whose rows fit one, later neighbours first.
    fileprivate func mergeable(around index: Int) -> Range<Int> {
        var run = index..<index + 1
        while run.upperBound < node.count,
            ClusterRebuild.canMerge((run.lowerBound...run.upperBound).map { cluster($0) })
        {
            run = run.lowerBound..<run.upperBound + 1
        }
        while run.lowerBound > 0,
            ClusterRebuild.canMerge((run.lowerBound - 1..<run.upperBound).map { cluster($0) })
        {
            run = run.lowerBound - 1..<run.upperBound
        }
        return run
    }
}

extension Cluster {
    /// A copy with room for columns that were added to the class since.
    func widened(to schema: ClassSchema) -> Cluster {
        let copy = Cluster.make(firstKey: firstKey, schema: schema, account: node.account)
        (copy.node.raw + 32).copyMemory(from: node.raw + 32, byteCount: 4)
        (copy.node.raw + Cluster.liveOffset).copyMemory(
            from: node.raw + Cluster.liveOffset, byteCount: Cluster.cellsOffset - Cluster.liveOffset
        )
        copy.cell(0).raw.copyMemory(
            from: cell(0).raw, byteCount: columnCount * Cluster.cellSize)
        copy.forEachSlot { $0.resident?.retain() }
        return copy
    }
}
