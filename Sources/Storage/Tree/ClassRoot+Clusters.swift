extension ClassRoot {
    /// Calls `body` with the clusters that can hold keys from `key` on, in order.
    func forEachCluster(from key: Int64, _ body: (Cluster) throws -> Void) rethrows {
        if let tree = tree.node {
            let newestStart = newestCluster?.firstKey ?? .max
            if key < newestStart { try Self.visit(ClusterBranch(node: tree), key, body) }
        }
        if let newest = newestCluster, newest.slotCount > 0 { try body(newest) }
    }

    /// Goes through the keys from about `key` on: where they have no gap by runs, for which nothing
    /// need be read, else by clusters.
    func forEachRun(
        from key: Int64, _ body: (Range<Int64>) -> Void, orCluster other: (Cluster) -> Void
    ) {
        if let tree = tree.node {
            let end = newestCluster?.firstKey ?? nextKey
            if key < end {
                Self.visitRuns(ClusterBranch(node: tree), key, end: end, body, other)
            }
        }
        if let newest = newestCluster, newest.slotCount > 0 { other(newest) }
    }

    private static func visitRuns(
        _ branch: ClusterBranch, _ key: Int64, end: Int64, _ body: (Range<Int64>) -> Void,
        _ other: (Cluster) -> Void
    ) {
        for index in (branch.child(for: key) ?? 0)..<branch.node.count {
            let first = branch.firstKey(index)
            let next = index + 1 < branch.node.count ? branch.firstKey(index + 1) : end
            if branch.rows(index) == Int(next - first) {
                body(first..<next)
                continue
            }
            if branch.node.level > 1 {
                let child = branch.slot(index).node.unsafelyUnwrapped
                visitRuns(ClusterBranch(node: child), key, end: next, body, other)
            } else {
                let child = branch.slot(index).hold()
                other(Cluster(node: child.node))
            }
        }
    }

    private static func visit(
        _ branch: ClusterBranch, _ key: Int64, _ body: (Cluster) throws -> Void
    ) rethrows {
        for index in (branch.child(for: key) ?? 0)..<branch.node.count {
            let child = branch.slot(index).node.unsafelyUnwrapped
            if branch.node.level > 1 {
                try visit(ClusterBranch(node: child), key, body)
            } else {
                try body(Cluster(node: child))
            }
        }
    }
}
