import Storage

extension LinkHop {
    /// Keeps the rows of `mask` whose link leads to a row that meets `condition`. Rows of a class
    /// lie in clusters: the condition is evaluated once for each of those that the links lead to.
    func narrow(
        _ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView, _ condition: RowPredicate,
        matchesNil: Bool
    ) {
        var kept = ClusterMask()
        // Unsafe: every element is initialized before it is read, and trivial to destroy.
        withUnsafeTemporaryAllocation(of: LinkedSlot.self, capacity: mask.count) { buffer in
            var count = 0
            var isAscending = true
            mask.forEach { slot in
                guard let key = cluster.link(column, slot) else {
                    if matchesNil { kept.insert(slot) }
                    return true
                }
                if count > 0, key < buffer[count - 1].target { isAscending = false }
                buffer.initializeElement(at: count, to: LinkedSlot(target: key, slot: slot))
                count += 1
                return true
            }
            var links = buffer[..<count]
            if !isAscending { links.sort { $0.target < $1.target } }
            keep(links, &kept, view, condition, matchesNil)
        }
        mask = kept
    }

    // Unsafe: the links are borrowed for the call, which reads within them.
    private func keep(
        _ links: Slice<UnsafeMutableBufferPointer<LinkedSlot>>, _ kept: inout ClusterMask,
        _ view: TreeView, _ condition: RowPredicate, _ matchesNil: Bool
    ) {
        var cursor = RowCursor(view.classView(target))
        var index = 0
        while index < links.endIndex {
            // A cluster is valid until the cursor leaves it.
            guard let row = cursor.locate(links[index].target) else {
                if matchesNil { kept.insert(links[index].slot) }
                index += 1
                continue
            }
            var targets = ClusterMask()
            var end = index
            while end < links.endIndex, let slot = row.cluster.slot(of: links[end].target) {
                targets.insert(slot)
                end += 1
            }
            condition.narrow(&targets, row.cluster, view)
            for link in links[index..<end] {
                if let slot = row.cluster.slot(of: link.target), targets.contains(slot) {
                    kept.insert(link.slot)
                }
            }
            index = end
        }
    }
}

/// A row of a cluster, and the row that its link names.
private struct LinkedSlot: BitwiseCopyable {
    let target: RowKey
    let slot: Int
}
