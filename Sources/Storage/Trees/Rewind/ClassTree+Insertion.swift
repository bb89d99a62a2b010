/// Rows that come back with keys among those of others: trees grow at their end only, so that
/// clusters and branches are made anew where such rows belong. What no row comes to is shared.
extension ClassTree {
    /// Adds rows with `keys`, which ascend and of which there are none, and whose values are zero,
    /// null or empty. O(rows that come, times the height of the tree). A location taken before is
    /// no longer current.
    func insertBlank(_ keys: [RowKey]) {
        if keys.isEmpty { return }
        sealNewest()
        var children: [Child]
        var level = Int(root.node.level)
        if let branch = root.branch {
            children = inserting(keys[...], into: branch)
        } else {
            children = clusters(nil, keys[...])
        }
        // Without a tree these are clusters, which hang below a branch all the same.
        while children.count > 1 || level == 0 {
            level += 1
            children = packed(children, level: level)
        }
        guard case .owned(let top)? = children.first?.node else { return }
        root.tree.replace(with: top)
        root.node.level = UInt8(level)
        root.treeRows += keys.count
    }

    /// Gives the newest cluster columns of its own: the writer of the tree that this one begins
    /// with may go on appending to those that it has.
    func ownNewest() {
        guard let newest = root.newestCluster, !MissingNode.standsIn(newest.node) else { return }
        root.newest.replace(with: newest.liveCount == 0 ? nil : rebuilt(newest).node)
    }

    /// What a branch leads to.
    private struct Child {
        enum Place {
            /// With one count.
            case owned(Node)
            /// The child of a branch that stays.
            case shared(Slot)
        }

        let node: Place
        let firstKey: Int64
        let rows: Int
    }

    /// The branches that take the place of `branch` once rows with `keys` stand below it.
    private func inserting(_ keys: ArraySlice<RowKey>, into branch: ClusterBranch) -> [Child] {
        var children: [Child] = []
        var rest = keys
        for index in 0..<branch.node.count {
            let isLast = index + 1 == branch.node.count
            let end = isLast ? .max : branch.firstKey(index + 1)
            let part = rest.prefix { $0.rawValue < end }
            rest = rest.dropFirst(part.count)
            children += part.isEmpty ? [child(index, of: branch)] : inserting(part, index, branch)
        }
        return packed(children, level: Int(branch.node.level))
    }

    /// What takes the place of one child of `branch`.
    private func inserting(
        _ keys: ArraySlice<RowKey>, _ index: Int, _ branch: ClusterBranch
    ) -> [Child] {
        let node = branch.child(index)
        // One that cannot be read stays; nothing of what is made of it will be shown.
        if MissingNode.standsIn(node) { return [child(index, of: branch)] }
        if branch.node.level == 1 { return clusters(Cluster(node: node), keys) }
        return inserting(keys, into: ClusterBranch(node: node))
    }

    private func child(_ index: Int, of branch: ClusterBranch) -> Child {
        Child(
            node: .shared(branch.slot(index)), firstKey: branch.firstKey(index),
            rows: branch.rows(index))
    }

    private func clusters(_ cluster: Cluster?, _ keys: ArraySlice<RowKey>) -> [Child] {
        ClusterRebuild.clusters(of: cluster, adding: keys, schema: schema, account: account).map {
            Child(node: .owned($0.node), firstKey: $0.firstKey, rows: $0.liveCount)
        }
    }

    /// Branches of one level that lead to `children`.
    private func packed(_ children: [Child], level: Int) -> [Child] {
        stride(from: 0, to: children.count, by: ClusterBranch.fanOut).map { start in
            let branch = ClusterBranch.make(level: level, account: account)
            let part = children[start..<min(start + ClusterBranch.fanOut, children.count)]
            for child in part {
                switch child.node {
                case .owned(let node):
                    branch.append(node, firstKey: child.firstKey, rows: child.rows)
                case .shared(let slot):
                    branch.append(sharing: slot, firstKey: child.firstKey, rows: child.rows)
                }
            }
            return Child(
                node: .owned(branch.node), firstKey: part[start].firstKey,
                rows: part.reduce(0) { $0 + $1.rows })
        }
    }
}
