/// Which page segments are to be emptied, and where in the tree the nodes are that live there.
///
/// The plan is made from a snapshot, beside the writer. The writer then makes the nodes its own, a
/// few at a time, as if it had changed them (``WorkingTree/relocate(_:limit:)``), and the next
/// checkpoint writes them elsewhere. What has changed since the plan was made is written elsewhere
/// anyway, so that the plan need not be exact.
package struct CompactionPlan: Sendable {
    /// The segments to be emptied.
    let victims: Set<PageIndex>
    /// First keys of the clusters that have nodes there, by class.
    fileprivate(set) var clusters: [(id: ClassID, key: Int64)] = []
    /// Indexes, by class and column.
    fileprivate(set) var indexes: [(id: ClassID, column: Int)] = []

    /// Steps that are left.
    package var remaining: Int { clusters.count + indexes.count }

    package var isDone: Bool { clusters.isEmpty && indexes.isEmpty }

    /// Takes the next few clusters off the plan.
    mutating func takeClusters(_ limit: Int) -> [(id: ClassID, key: Int64)] {
        let taken = Array(clusters.suffix(limit))
        clusters.removeLast(taken.count)
        return taken
    }

    /// Forgets the steps that are left.
    mutating func abandon() {
        clusters = []
        indexes = []
    }

    mutating func takeIndex() -> (id: ClassID, column: Int)? { indexes.popLast() }
}

extension CompactionPlan {
    /// The segments that are worth emptying: with `isFull` all that hold anything unused, else so
    /// many of the emptiest that what is unused becomes less than a fifth.
    static func victims(
        _ contents: Checkpointer.Contents, segmentSize: Int, isFull: Bool
    ) -> Set<PageIndex> {
        let segments = contents.segments.values.filter { $0.live < $0.length - 64 }
            .sorted { $0.live * max($1.length, 1) < $1.live * max($0.length, 1) }
        if isFull { return Set(segments.map(\.index)) }
        let tail = contents.segments.last?.key
        var victims: Set<PageIndex> = []
        var length = contents.length
        for segment in segments where length > contents.live * 5 / 4 + segmentSize {
            // What is written now goes behind the newest.
            if segment.index == tail { continue }
            victims.insert(segment.index)
            length -= segment.length - segment.live
        }
        return victims
    }

    /// Finds the nodes of `snapshot` that live in `victims`. O(clusters); reads from disk what is
    /// not in memory, and does not keep it.
    init(_ snapshot: SnapshotRoot, victims: Set<PageIndex>) throws(StorageError) {
        self.victims = victims
        let walk = VictimWalk(victims: victims, account: snapshot.account)
        for number in 0..<snapshot.root.count {
            let id = ClassID(number)
            let slot = snapshot.root.slot(StoreRoot.slotsOffset, number)
            guard let node = slot.node else { continue }
            let root = ClassRoot(node: node)
            for column in 0..<root.columnCount where try walk.holds(root.index(column)) {
                indexes.append((id, column))
            }
            var keys: [Int64] = []
            try walk.clusters(below: root.tree, &keys)
            try walk.clusters(below: root.newest, &keys)
            if keys.isEmpty, walk.isVictim(slot), let newest = root.newestCluster {
                // The class's own node is rewritten with any of its clusters.
                keys.append(newest.firstKey)
            }
            clusters += keys.map { (id, $0) }
        }
    }
}

/// Looks for nodes that stand in certain segments.
private struct VictimWalk {
    let victims: Set<PageIndex>
    let account: NodeAccount

    func isVictim(_ slot: Slot) -> Bool {
        slot.place.map { victims.contains($0.address.segment) } ?? false
    }

    /// Whether the child of `slot`, or anything below it, is in a victim.
    func holds(_ slot: Slot) throws(StorageError) -> Bool {
        if isVictim(slot) { return true }
        var found = false
        try forEachSlot(below: slot) { child throws(StorageError) in
            if !found { found = try holds(child) }
        }
        return found
    }

    /// Adds the first key of every cluster below `slot` that is in a victim or has something there.
    func clusters(below slot: Slot, _ keys: inout [Int64]) throws(StorageError) {
        guard let kind = slot.resident?.kind ?? slot.storedPlace?.kind else { return }
        if kind == .cluster {
            if try holds(slot) {
                try reading(slot) { node in keys.append(Cluster(node: node).firstKey) }
            }
            return
        }
        let before = keys.count
        try forEachSlot(below: slot) { child throws(StorageError) in
            try clusters(below: child, &keys)
        }
        if keys.count == before, isVictim(slot) {
            // A branch is rewritten with any cluster below it.
            try reading(slot) { node in keys.append(ClusterBranch(node: node).firstKey(0)) }
        }
    }

    private func forEachSlot(
        below slot: Slot, _ body: (Slot) throws(StorageError) -> Void
    ) throws(StorageError) {
        if slot.resident == nil, slot.storedPlace?.hasSlots != true { return }
        try reading(slot) { node throws(StorageError) in
            var slots: [Slot] = []
            node.forEachSlot { slots.append($0) }
            for child in slots { try body(child) }
        }
    }

    /// Calls `body` with the child of `slot`; one that is only on disk is read for the call.
    private func reading(
        _ slot: Slot, _ body: (Node) throws(StorageError) -> Void
    ) throws(StorageError) {
        if let node = slot.resident { return try body(node) }
        guard let place = slot.storedPlace, let pages = account.pages else { return }
        let node = try pages.load(place, account: .passUnretained(account))
        defer { node.release() }
        try body(node)
    }
}
