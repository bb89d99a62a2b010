/// The page segments to be emptied, and the locations of their nodes in the tree.
///
/// The plan is made from a snapshot, concurrently with the writer. The writer then copies the
/// nodes, a few at a time, as if it had changed them (``WorkingTree/relocate(_:limit:)``), and the
/// next checkpoint writes them elsewhere. Nodes that have changed since are written elsewhere
/// anyway, so the plan need not be exact.
package struct CompactionPlan: Sendable {
    /// The segments to be emptied.
    private(set) var victims: Set<PageIndex>
    /// Whether more segments should be emptied, but lack space.
    package var isPartial = false
    /// First keys of the clusters that have nodes there, by class.
    fileprivate(set) var clusters: [(id: ClassID, key: Int64)] = []
    /// Indexes, by class and column.
    fileprivate(set) var indexes: [(id: ClassID, column: Int)] = []
    /// Classes of which only the root is in a victim.
    fileprivate(set) var roots: [ClassID] = []
    /// Whether values of deleted rows are erased from their clusters.
    let erases: Bool
    /// The newest segment when the plan was made. A plan that erases ends this segment, so that
    /// later images are in newer ones.
    var newest: PageIndex?
    /// Whether a cluster was changed between the plan and its step: a checkpoint in between may
    /// have written its deleted values to segments that are not victims.
    var isStale = false
    /// How often this process had switched to a tree of another one when the plan was made.
    var adoptions = 0
    /// How often the working tree had lost relocated nodes when the first step was executed.
    var resets: Int?
    /// Whether it has lost some since, so that executed steps have to be repeated.
    var wasRolledBack = false

    /// The number of remaining steps.
    package var remaining: Int { clusters.count + indexes.count + roots.count }

    package var isDone: Bool { remaining == 0 }

    /// Removes the next few clusters from the plan.
    mutating func takeClusters(_ limit: Int) -> [(id: ClassID, key: Int64)] {
        let taken = Array(clusters.suffix(limit))
        clusters.removeLast(taken.count)
        return taken
    }

    /// Discards the remaining steps.
    mutating func abandon() {
        clusters = []
        indexes = []
        roots = []
    }

    mutating func takeIndex() -> (id: ClassID, column: Int)? { indexes.popLast() }

    mutating func takeRoot() -> ClassID? { roots.popLast() }
}

extension CompactionPlan {
    /// The segments that are worth emptying: with `isFull` all that have unused bytes, otherwise so
    /// many of the emptiest that the unused part becomes less than a fifth.
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
            // The newest segment is still written to.
            if segment.index == tail { continue }
            victims.insert(segment.index)
            length -= segment.length - segment.live
        }
        return victims
    }

    /// Finds the nodes of `snapshot` in `victims`. O(clusters); nodes that are read from disk for
    /// that are not kept.
    ///
    /// With `erases`, also finds the clusters that have values of deleted rows, and adds the
    /// segments of these values to the victims.
    init(
        _ snapshot: SnapshotRoot, victims: Set<PageIndex>, erases: Bool = false
    ) throws(StorageError) {
        self.erases = erases
        var victims = victims
        if erases {
            var traces = TraceWalk(account: snapshot.account)
            try traces.visit(snapshot.root)
            victims.formUnion(traces.segments)
        }
        self.victims = victims
        let walk = VictimWalk(
            victims: victims, erases: erases, account: snapshot.account,
            visits: NodeVisits(snapshot.account.pages))
        for number in 0..<snapshot.root.count {
            let id = ClassID(number)
            let slot = snapshot.root.slot(StoreRoot.slotsOffset, number)
            guard let node = StoreRoot.classRoot(snapshot.root, id, snapshot.schema) else {
                continue
            }
            let root = ClassRoot(node: node)
            for column in 0..<root.columnCount where try walk.holds(root.index(column)) {
                indexes.append((id, column))
            }
            var keys: [Int64] = []
            try walk.clusters(below: root.tree, &keys)
            try walk.clusters(below: root.newest, &keys)
            // The class's root is rewritten with any of its clusters.
            if keys.isEmpty, walk.isVictim(slot) { roots.append(id) }
            clusters += keys.map { (id, $0) }
        }
        // The store's root is rewritten with that of any class; without a class it stays.
        if isDone, let segment = snapshot.root.place?.address.segment, victims.contains(segment) {
            if snapshot.root.count > 0 {
                roots.append(ClassID(0))
            } else {
                self.victims.remove(segment)
            }
        }
    }
}

/// Finds clusters that still have values of deleted rows, and the segments of these.
private struct TraceWalk {
    let account: NodeAccount
    private(set) var segments: Set<PageIndex> = []
    private let visits: NodeVisits

    init(account: NodeAccount) {
        self.account = account
        visits = NodeVisits(account.pages)
    }

    mutating func visit(_ node: Node) throws(StorageError) {
        if node.kind == .cluster {
            if Cluster(node: node).holdsDeadRows { try add(below: node, limit: nil) }
            return
        }
        try forEachChild(of: node.slots(nil)) { (walk, child) throws(StorageError) in
            try walk.visit(child)
        }
    }

    /// Adds the segments of `node` and all nodes below it. `limit` is how many elements of a chunk
    /// its cluster uses.
    private mutating func add(below node: Node, limit: Int?) throws(StorageError) {
        if let place = node.imagePlace { segments.insert(place.address.segment) }
        let slots = node.slots(limit)
        for slot in slots {
            if let place = slot.resident?.imagePlace ?? slot.storedPlace {
                segments.insert(place.address.segment)
            }
        }
        let childLimit = node.childLimit
        try forEachChild(of: slots) { (walk, child) throws(StorageError) in
            try walk.add(below: child, limit: childLimit)
        }
    }

    /// Calls `body` with the children that can have children; one that is only on disk is read for
    /// the call.
    private mutating func forEachChild(
        of slots: [Slot], _ body: (inout TraceWalk, Node) throws(StorageError) -> Void
    ) throws(StorageError) {
        for slot in slots {
            if let child = slot.resident {
                if child.hasSlots, child.kind != .indexBranch {
                    try visits.require(child.place) { () throws(StorageError) in
                        try body(&self, child)
                    }
                }
                continue
            }
            guard let place = slot.storedPlace, place.hasSlots, place.kind != .indexBranch,
                let pages = account.pages
            else { continue }
            try visits.require(place) { () throws(StorageError) in
                let child = try pages.load(place, account: .passUnretained(account))
                defer { child.release() }
                try body(&self, child)
            }
        }
    }
}

/// Finds nodes in certain segments.
private struct VictimWalk {
    let victims: Set<PageIndex>
    let erases: Bool
    let account: NodeAccount
    let visits: NodeVisits

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

    /// Adds the first key of every cluster below `slot` that has nodes in a victim.
    func clusters(below slot: Slot, _ keys: inout [Int64]) throws(StorageError) {
        guard let kind = slot.resident?.kind ?? slot.storedPlace?.kind else { return }
        if kind == .cluster {
            let isVictim = try holds(slot)
            guard isVictim || erases else { return }
            return try reading(slot) { node in
                let cluster = Cluster(node: node)
                if isVictim || cluster.holdsDeadRows { keys.append(cluster.firstKey) }
            }
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
        try visits.require(slot.place) { () throws(StorageError) in
            try reading(slot) { node throws(StorageError) in
                var slots: [Slot] = []
                node.forEachSlot { slots.append($0) }
                for child in slots { try body(child) }
            }
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

extension Cluster {
    /// Whether it may have values of deleted rows.
    var holdsDeadRows: Bool { liveCount < slotCount }
}
