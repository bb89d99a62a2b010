/// Reinserts rows with keys among existing ones. Trees grow only at their end, so clusters and
/// branches are rebuilt on the paths to such rows; all other nodes are shared.
extension ClassTree {
    /// Adds rows with `keys`, which ascend and do not exist, and whose values are zero, null or
    /// empty. O(new rows times the height of the tree). Invalidates locations.
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
        // Without a tree these are clusters, which need a branch above them nevertheless.
        while children.count > 1 || level == 0 {
            level += 1
            children = packed(children, level: level)
        }
        guard case .owned(let top)? = children.first?.node else { return }
        root.tree.replace(with: top)
        root.node.level = UInt8(level)
        root.treeRows += keys.count
    }

    /// Gives the newest cluster columns of its own: the writer of the tree that this one began with
    /// may append to the shared ones.
    func unshareNewest() {
        guard let newest = root.newestCluster, !MissingNode.isPlaceholder(newest.node) else {
            return
        }
        root.newest.replace(with: newest.liveCount == 0 ? nil : rebuilt(newest).node)
    }

    /// A child of a branch.
    private struct Child {
        enum Place {
            /// Retained once.
            case owned(Node)
            /// The child of a branch that is kept.
            case shared(Slot)
        }

        let node: Place
        let firstKey: Int64
        let rows: Int
    }

    /// The branches that replace `branch` after rows with `keys` were inserted below it.
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

    /// The replacement for one child of `branch`.
    private func inserting(
        _ keys: ArraySlice<RowKey>, _ index: Int, _ branch: ClusterBranch
    ) -> [Child] {
        let node = branch.child(index)
        // One that cannot be read stays; the result will not be published.
        if MissingNode.isPlaceholder(node) { return [child(index, of: branch)] }
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

    /// Branches of one level above `children`.
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
