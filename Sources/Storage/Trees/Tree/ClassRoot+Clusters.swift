extension ClassRoot {
    /// Calls `body` with the clusters that can contain keys from `key` on, in order.
    func forEachCluster(from key: Int64, _ body: (Cluster) throws -> Void) rethrows {
        if let branch {
            let newestStart = newestCluster?.firstKey ?? .max
            if key < newestStart { try Self.visit(branch, key, body) }
        }
        if let newest = newestCluster, newest.slotCount > 0 { try body(newest) }
    }

    /// Enumerates the keys from about `key` on: contiguous ones as runs, for which nothing is read,
    /// others by cluster.
    func forEachRun(
        from key: Int64, _ body: (Range<Int64>) -> Void, orCluster other: (Cluster) -> Void
    ) {
        if let branch {
            let end = newestCluster?.firstKey ?? nextKey
            if key < end {
                Self.visitRuns(branch, key, end: end, body, other)
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
                let child = branch.child(index)
                visitRuns(ClusterBranch(node: child), key, end: next, body, other)
            } else {
                let child = branch.hold(index)
                other(Cluster(node: child.node))
            }
        }
    }

    private static func visit(
        _ branch: ClusterBranch, _ key: Int64, _ body: (Cluster) throws -> Void
    ) rethrows {
        for index in (branch.child(for: key) ?? 0)..<branch.node.count {
            let child = branch.child(index)
            if branch.node.level > 1 {
                try visit(ClusterBranch(node: child), key, body)
            } else {
                try body(Cluster(node: child))
            }
        }
    }
}
