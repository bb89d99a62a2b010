extension SnapshotRoot {
    /// Bytes of memory that only this version has: what would be free if it were released. What
    /// other versions, the writer or a reader in the middle of a node share with it is not counted.
    ///
    /// Safe concurrently with readers and the writer: a node without other references has no other
    /// owner that could detach its children.
    ///
    /// - Complexity: linear in the nodes that only this version has, and in their children.
    package var exclusiveBytes: Int { root.exclusiveBytes }
}

extension Node {
    fileprivate var exclusiveBytes: Int {
        guard isUnique else { return 0 }
        var bytes = Node.footprint(size)
        forEachChild { bytes += $0.exclusiveBytes }
        return bytes
    }
}
