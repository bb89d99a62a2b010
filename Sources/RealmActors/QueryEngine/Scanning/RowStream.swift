package import Storage

/// Rows between stages: still a scan over clusters, or a list of keys.
package enum RowStream {
    case clusters(RowPredicate)
    case keys([RowKey])

    /// The rows that match, in their order. Neighbours in one cluster are read together.
    static func filtered(
        _ keys: [RowKey], _ predicate: RowPredicate, _ rows: ClassView, _ view: TreeView,
        _ cancellation: EvaluationCancellation
    ) -> [RowKey] {
        var cancellation = cancellation
        var cursor = RowCursor(rows)
        var kept: [RowKey] = []
        var cluster: Cluster?
        var mask = ClusterMask()
        var last = -1
        func finish() {
            guard let cluster else { return }
            predicate.narrow(&mask, cluster, view)
            mask.forEach { slot in
                kept.append(cluster.key(slot))
                return true
            }
        }
        for key in keys {
            // Before the cursor leaves the cluster, which invalidates it.
            if !cursor.isBeside(key) {
                if cancellation.isCancelledAtCluster() { return kept }
                finish()
                cluster = nil
            }
            guard let row = cursor.locate(key) else { continue }
            if cluster == nil || row.slot <= last {
                finish()
                cluster = row.cluster
                mask = ClusterMask()
            }
            mask.insert(row.slot)
            last = row.slot
        }
        finish()
        return kept
    }

    /// Visits the clusters of a scan with their matching rows, until `body` returns false.
    @inline(__always)
    func forEachMask(
        _ view: TreeView, _ classID: ClassID, _ cancellation: EvaluationCancellation = .ignored,
        _ body: (Cluster, ClusterMask) -> Bool
    ) {
        guard case .clusters(let predicate) = self else { return }
        var cancellation = cancellation
        var clusters = view.classView(classID).makeClusterIterator(from: predicate.firstKey)
        while let cluster = clusters.next(), !cancellation.isCancelledAtCluster() {
            var mask = ClusterMask(live: cluster)
            predicate.narrow(&mask, cluster, view)
            if !mask.isEmpty, !body(cluster, mask) { return }
        }
    }

    /// Visits the rows in order, until `body` returns false.
    @inline(__always)
    func forEachRow(
        _ view: TreeView, _ classID: ClassID, _ cancellation: EvaluationCancellation = .ignored,
        _ body: (RowLocation) -> Bool
    ) {
        switch self {
        case .clusters:
            forEachMask(view, classID, cancellation) { cluster, mask in
                mask.forEach { body(RowLocation(cluster: cluster, slot: $0)) }
            }
        case .keys(let keys):
            var cancellation = cancellation
            var cursor = RowCursor(view.classView(classID))
            for key in keys {
                if cancellation.isCancellable, !cursor.isBeside(key),
                    cancellation.isCancelledAtCluster()
                {
                    return
                }
                if let row = cursor.locate(key), !body(row) { return }
            }
        }
    }

    func allKeys(
        _ view: TreeView, _ classID: ClassID, _ cancellation: EvaluationCancellation = .ignored
    ) -> [RowKey] {
        if case .keys(let keys) = self { return keys }
        var keys: [RowKey] = []
        forEachMask(view, classID, cancellation) { cluster, mask in
            mask.forEach { slot in
                keys.append(cluster.key(slot))
                return true
            }
        }
        return keys
    }

    func prefix(_ count: Int, _ view: TreeView, _ classID: ClassID) -> [RowKey] {
        guard count > 0 else { return [] }
        if case .keys(let keys) = self { return Array(keys.prefix(count)) }
        var kept: [RowKey] = []
        forEachRow(view, classID) { row in
            kept.append(row.cluster.key(row.slot))
            return kept.count < count
        }
        return kept
    }
}
