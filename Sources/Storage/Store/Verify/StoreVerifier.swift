/// Checks a whole version of a store: that every node meets the demand of its place, and that rows,
/// indexes and links are consistent.
///
/// It only reads, takes O(n log n) time, and keeps nothing that grows with the store. It trusts no
/// node: the fields of a damaged one are checked before they are used, and nodes below it are
/// excluded from checks that would have to follow it.
///
/// First the nodes are walked from the root, class by class, always with ``child(_:_:_:_:)``. Then
/// the indexes of those classes whose nodes are sound are compared with their rows, and the parents
/// of embedded rows are counted.
package final class StoreVerifier {
    let snapshot: SnapshotRoot
    let schema: StoreSchema
    /// Whether a writer may concurrently append to chunks of this version's newest clusters, after
    /// the elements of the version. Fields that it changes then are not checked.
    let isShared: Bool
    var tally: VerificationTally

    /// Classes whose rows can be read without following damage.
    private(set) var soundClasses: Set<ClassID> = []
    /// Index and backlink trees that can be walked without following damage.
    private(set) var soundIndexes: Set<IncomingLink> = []
    private let visits: NodeVisits
    /// Whether the part of the tree that is being walked is undamaged so far.
    private var isSound = true

    /// Verifies `snapshot`. `extraWork` is the work that the caller will report to the tally
    /// itself.
    package init(
        _ snapshot: SnapshotRoot, isShared: Bool, monitor: ReadingMonitor = ReadingMonitor(),
        extraWork: Int = 0
    ) {
        self.snapshot = snapshot
        self.isShared = isShared
        schema = snapshot.schema
        visits = NodeVisits(snapshot.account.pages)
        tally = VerificationTally(
            total: Self.work(of: snapshot) + extraWork, monitor: monitor)
    }

    package var problems: [StoreProblem] { tally.problems }
    package var problemCount: Int { tally.problemCount }
    package var counts: VerificationCounts { tally.counts }

    /// The amount of work, if the counts in the roots are right.
    private static func work(of snapshot: SnapshotRoot) -> Int {
        var total = 0
        let root = snapshot.root
        for (index, schema) in snapshot.schema.classes.enumerated() where index < root.count {
            guard let node = StoreRoot.classRoot(root, ClassID(index), snapshot.schema) else {
                continue
            }
            let indexes = schema.columns.count { $0.hasComparableIndex }
            let rows = min(max(ClassRoot(node: node).treeRows, 0), 1 << 40)
            total += (rows + Cluster.slotsMax) * (1 + indexes)
        }
        return total
    }

    /// Runs all checks.
    package func verify() throws(CancellationError) {
        let root = snapshot.root
        guard accept(root, [.storeRoot], StoreProblem.Place()) else { return }
        guard root.count == schema.classes.count else {
            return tally.note(
                .count, StoreProblem.Place(),
                "the root has \(root.count) classes, and the schema has \(schema.classes.count)")
        }
        for index in 0..<root.count { try walkClass(ClassID(index), root) }
        for id in soundClasses.sorted() { try compareIndexes(id) }
        for id in soundClasses.sorted() where schema[id].isEmbedded { try checkOwnership(id) }
    }

    private func walkClass(_ id: ClassID, _ root: Node) throws(CancellationError) {
        let place = StoreProblem.Place(id)
        isSound = true
        let slot = root.slot(StoreRoot.slotsOffset, id.rawValue)
        let demand = NodeDemand.classRoot(schema[id].columns.count)
        guard let node = child(slot, demand, [.classRoot], place) else {
            if isSound { damaged(place, "the class has no root") }
            return
        }
        let classRoot = ClassRoot(node: node)
        guard classRoot.columnCount == schema[id].columns.count else {
            return damaged(place, "its root has \(classRoot.columnCount) columns")
        }
        try walkRows(of: classRoot, id)
        if isSound { soundClasses.insert(id) }
        for column in schema[id].columns.indices where schema[id].columns[column].hasIndex {
            isSound = true
            try walkIndex(classRoot.index(column), StoreProblem.Place(id, column))
            guard isSound else { continue }
            soundIndexes.insert(IncomingLink(origin: id, column: ColumnID(column)))
        }
    }

    private func compareIndexes(_ id: ClassID) throws(CancellationError) {
        let columns = schema[id].columns
        for column in columns.indices where columns[column].hasComparableIndex {
            let link = IncomingLink(origin: id, column: ColumnID(column))
            guard soundIndexes.contains(link) else { continue }
            if columns[column].kind == .link {
                try compareBacklinks(id, column)
            } else if columns[column].isFullText {
                try compareWords(id, column)
            } else {
                try compareIndex(id, column)
            }
        }
    }

    // MARK: Descending

    /// The node that `slot` refers to; nil if there is none, or if it cannot be followed, which is
    /// reported.
    func child(
        _ slot: Slot, _ demand: NodeDemand, _ kinds: Set<NodeKind>, _ place: StoreProblem.Place
    ) -> Node? {
        // Determined before the child is read, and needed only if it cannot be read.
        let stored = slot.resident == nil ? slot.storedPlace : nil
        let node = slot.node(demand)
        if let stored, let node, MissingNode.isPlaceholder(node) {
            noteMissing(stored, place)
            return nil
        }
        guard let node else {
            if !slot.isEmpty { damaged(place, "a node refers to a node of an unknown kind") }
            return nil
        }
        return accept(node, kinds, place) ? node : nil
    }

    /// The same for clusters and leaves of indexes, which are many: beyond the memory budget they
    /// are released with the hold.
    func heldChild(
        _ slot: Slot, _ demand: NodeDemand, _ kind: NodeKind, _ place: StoreProblem.Place
    ) -> NodeHold? {
        if slot.isEmpty { return nil }
        let stored = slot.resident == nil ? slot.storedPlace : nil
        let hold = slot.hold(demand)
        if let stored, MissingNode.isPlaceholder(hold.node) {
            noteMissing(stored, place)
            return nil
        }
        guard accept(hold.node, [kind], place) else { return nil }
        return hold
    }

    /// Reports a node that cannot be read from the page files, with its place there.
    private func noteMissing(_ stored: NodePlace, _ place: StoreProblem.Place) {
        isSound = false
        var place = place
        let segment = stored.address.segment
        place.file = snapshot.account.pages?.path(segment) ?? segment.fileName
        place.offset = stored.address.offset
        tally.note(.node, place, "the \(stored.kind) node cannot be read")
    }

    /// Whether a node is of one of `kinds` and as large as its fields say.
    private func accept(
        _ node: Node, _ kinds: Set<NodeKind>, _ place: StoreProblem.Place
    ) -> Bool {
        if let reason = node.unsoundness(among: kinds) {
            damaged(place, reason)
            return false
        }
        guard visits.visit(node.place) else {
            damaged(place, NodeVisits.reason)
            return false
        }
        tally.counts.nodes += 1
        tally.counts.nodeBytes += Node.footprint(node.size)
        return true
    }

    /// Reports damage that must not be followed.
    func damaged(_ place: StoreProblem.Place, _ reason: String) {
        isSound = false
        tally.note(.node, place, reason)
    }
}
