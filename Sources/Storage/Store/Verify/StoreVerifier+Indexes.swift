/// Indexes: their nodes, and their consistency with the rows.
extension StoreVerifier {
    /// Walks the nodes of one index or backlink tree.
    func walkIndex(_ slot: Slot, _ place: StoreProblem.Place) throws(CancellationError) {
        guard !slot.isEmpty, let node = child(slot, .any, [.indexLeaf, .indexBranch], place),
            node.kind == .indexBranch
        else { return }
        _ = try walkBranch(node, level: Int(node.level), place)
    }

    /// The entries below a node of an index.
    private typealias Entries = (count: Int, first: IndexEntry)

    private func walkBranch(
        _ node: Node, level: Int, _ place: StoreProblem.Place
    ) throws(CancellationError) -> Entries? {
        guard level > 0, Int(node.level) == level else {
            damaged(place, "a branch has height \(node.level), expected \(level)")
            return nil
        }
        try tally.advance(0)
        let branch = IndexBranch(node: node)
        var total = 0
        var first: IndexEntry?
        for index in 0..<node.count {
            let below = try walkChild(
                branch.slot(index), branch.demand(index), level: level - 1, place)
            guard let below else { return nil }
            guard below.count == branch.entries(index) else {
                damaged(
                    place,
                    "a branch records \(branch.entries(index)) entries and has \(below.count)")
                return nil
            }
            if below.first != IndexEntry(key: branch.key(index), row: branch.row(index)) {
                tally.note(.order, place, "a branch of an index records a wrong first entry")
            }
            total += below.count
            first = first ?? below.first
        }
        return first.map { (total, $0) }
    }

    private func walkChild(
        _ slot: Slot, _ demand: NodeDemand, level: Int, _ place: StoreProblem.Place
    ) throws(CancellationError) -> Entries? {
        if slot.isEmpty {
            damaged(place, "a branch of an index lacks a child")
        } else if level > 0 {
            guard let branch = child(slot, demand, [.indexBranch], place) else { return nil }
            return try walkBranch(branch, level: level, place)
        } else if let leaf = heldChild(slot, demand, .indexLeaf, place) {
            return (leaf.node.count, IndexLeaf(node: leaf.node).entry(0))
        }
        return nil
    }

    /// Compares the index of `column` with the rows.
    ///
    /// Entries that ascend strictly are all different; if each is that of a row and there are as
    /// many as rows, none is missing.
    func compareIndex(_ id: ClassID, _ column: Int) throws(CancellationError) {
        let view = snapshot.view.classView(id)
        let place = StoreProblem.Place(id, column)
        let before = tally.problemCount
        var entries = 0
        if let root = view.root.indexRoot(column) {
            var walk = EntryWalk(
                view: view, column: column,
                order: IndexOrder(view.root, view.classSchema.columns[column], column: column),
                isPrimaryKey: schema[id].primaryKey?.rawValue == column)
            try forEachEntry(root) { entry throws(CancellationError) in
                entries += 1
                try tally.advance(1)
                if let (kind, reason) = walk.problem(with: entry) {
                    tally.note(kind, place.at(row: RowKey(entry.row)), reason)
                }
            }
        }
        tally.counts.indexEntries += entries
        if entries != view.count || tally.problemCount != before {
            try findRowsWithoutEntry(view, column, place)
        }
        if entries != view.count, tally.problemCount == before {
            tally.note(
                .count, place, "the index has \(entries) entries for \(view.count) rows")
        }
    }

    /// Calls `body` with every entry of an index, in order.
    func forEachEntry(
        _ node: Node, _ body: (IndexEntry) throws(CancellationError) -> Void
    ) throws(CancellationError) {
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            for index in 0..<node.count { try body(leaf.entry(index)) }
            return
        }
        let branch = IndexBranch(node: node)
        for index in 0..<node.count {
            if node.level > 1 {
                try forEachEntry(branch.child(index), body)
            } else {
                let leaf = branch.hold(index)
                try forEachEntry(leaf.node, body)
            }
        }
    }

    private func findRowsWithoutEntry(
        _ view: ClassView, _ column: Int, _ place: StoreProblem.Place
    ) throws(CancellationError) {
        let order = view.order(column)
        let reader = view.root.indexRoot(column).map {
            IndexReader(root: $0, order: order)
        }
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let key = cluster.key(slot).rawValue
                let found = order.withProbe(cluster, slot) { probe in
                    guard let reader else { return false }
                    let rank = reader.rank(of: probe, row: key)
                    return reader.rank(of: probe, row: key &+ 1) > rank
                }
                if !found {
                    tally.note(.index, place.at(row: RowKey(key)), "the index lacks its entry")
                }
            }
            try tally.advance(0)
        }
    }
}

/// Visits the entries of an index and compares each with its row and the previous entry.
private struct EntryWalk {
    let view: ClassView
    let column: Int
    let order: IndexOrder
    let isPrimaryKey: Bool
    private var last: IndexEntry?

    init(view: ClassView, column: Int, order: IndexOrder, isPrimaryKey: Bool) {
        self.view = view
        self.column = column
        self.order = order
        self.isPrimaryKey = isPrimaryKey
    }

    mutating func problem(with entry: IndexEntry) -> (StoreProblem.Kind, String)? {
        let before = last
        last = entry
        guard let location = view.locate(RowKey(entry.row)) else {
            return (.index, "the index has an entry of a row that does not exist")
        }
        let (cluster, slot) = (location.cluster, location.slot)
        let parts = order.column.parts
        let isUnique =
            isPrimaryKey || parts.isUnique && !CompositeKey.hasNull(cluster, slot, parts)
        return order.withProbe(cluster, slot) { probe in
            if probe.key != entry.key {
                return (.index, "the index entry differs from the value of the row")
            }
            guard let before else { return nil }
            if before.key != entry.key {
                return before.key < entry.key ? nil : (.order, "index entries are out of order")
            }
            let tie = order.compareTie(probe, before.row)
            if tie == 0, isUnique {
                let what = isPrimaryKey ? "primary key" : "values in a unique index"
                return (.duplicateKey, "row \(before.row) has the same \(what)")
            }
            let ascends = tie > 0 || tie == 0 && before.row < entry.row
            return ascends ? nil : (.order, "index entries are out of order")
        }
    }
}
