extension ClassRoot {
    /// Calls `body` with the clusters that can hold keys from `key` on, in order.
    func forEachCluster(from key: Int64, _ body: (Cluster) throws -> Void) rethrows {
        if let tree = tree.node {
            let newestStart = newestCluster?.firstKey ?? .max
            if key < newestStart { try Self.visit(ClusterBranch(node: tree), key, body) }
        }
        if let newest = newestCluster, newest.slotCount > 0 { try body(newest) }
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
