import Testing

@testable import Storage

/// One index with a root of its own, and the sorted array that it must equal.
struct IndexHarness {
    let account: NodeAccount
    private let root: ClassRoot
    private(set) var model: [IndexEntry] = []
    private var snapshots: [(root: Node, model: [IndexEntry])] = []

    init(_ account: NodeAccount) {
        self.account = account
        root = ClassRoot.make(columns: 1, account: .passUnretained(account))
    }

    private var writer: IndexWriter {
        IndexWriter(
            slot: root.index(0), order: .exact, account: .passUnretained(account))
    }

    var node: Node? { root.index(0).node }

    private func precedes(_ a: IndexEntry, _ b: IndexEntry) -> Bool {
        (a.key, a.row) < (b.key, b.row)
    }

    /// The first index in the array that does not precede `entry`.
    private func place(_ entry: IndexEntry) -> Int {
        var (low, high) = (0, model.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(model[middle], entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ entry: IndexEntry) {
        writer.insert(IndexProbe(key: entry.key), row: entry.row)
        model.insert(entry, at: place(entry))
    }

    mutating func insert(all entries: [IndexEntry]) {
        if entries.isEmpty { return }
        let sorted = entries.sorted(by: precedes)
        writer.insert(sorted: sorted) { entry, body in body(IndexProbe(key: entry.key)) }
        model = (model + sorted).sorted(by: precedes)
    }

    mutating func remove(_ entry: IndexEntry) {
        let place = place(entry)
        let isThere = place < model.count && model[place] == entry
        let removed = writer.remove(IndexProbe(key: entry.key), row: entry.row)
        #expect(removed == isThere)
        if isThere { model.remove(at: place) }
    }

    mutating func removeAll(where isGone: (IndexEntry) -> Bool) {
        writer.removeAll(where: isGone)
        model.removeAll(where: isGone)
    }

    /// Captures the current state, which later changes must not modify.
    mutating func capture() {
        guard let node else { return }
        node.retain()
        snapshots.append((node, model))
    }

    mutating func dropSnapshot() {
        if !snapshots.isEmpty { snapshots.removeFirst().root.release() }
    }

    mutating func finish() {
        while !snapshots.isEmpty { dropSnapshot() }
        root.node.release()
    }

    /// Compares the results of all lookups with the model.
    func check(_ comment: Comment) {
        #expect(entries(node) == model, comment)
        for (root, model) in snapshots { #expect(entries(root) == model, comment) }
        guard let node else { return }
        checkNode(node, comment)
        let reader = IndexReader(root: node, order: .exact)
        for step in 0..<20 {
            let at = model.count * step / 20
            let entry = model[at]
            let first = place(IndexEntry(key: entry.key, row: .min))
            let behind = place(IndexEntry(key: entry.key, row: .max))
            let probe = IndexProbe(key: entry.key)
            #expect(reader.ranks(equalTo: probe) == first..<behind, comment)
            #expect(reader.first(equalTo: probe)?.row == model[first].row, comment)
            #expect(IndexReader.entry(node, at) == entry, comment)
            let rank = reader.rank(of: probe, row: entry.row)
            #expect(model[rank] == entry && (rank == 0 || model[rank - 1] != entry), comment)
            for near in [entry.key &- 1, entry.key &+ 1] {
                let next = place(IndexEntry(key: near, row: .min))
                #expect(reader.rank(of: IndexProbe(key: near), row: .min) == next, comment)
                let hit = next < model.count && model[next].key == near ? model[next].row : nil
                #expect(reader.first(equalTo: IndexProbe(key: near))?.row == hit, comment)
            }
        }
        checkDescending(node, comment)
    }

    private func checkDescending(_ node: Node, _ comment: Comment) {
        let lower = model.count / 3
        let range = IndexRange(root: node, order: .exact, ranks: lower..<model.count)
        var rows: [Int64] = []
        range.forEachDescending {
            rows.append($0.rawValue)
            return rows.count < 500
        }
        let stable = model[lower...].enumerated()
            .sorted { ($1.element.key, $0.offset) < ($0.element.key, $1.offset) }
        #expect(rows == stable.prefix(500).map(\.element.row), comment)
    }

    private func entries(_ node: Node?) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        guard let node else { return entries }
        IndexReader.forEach(node, 0..<IndexReader.count(node)) {
            entries.append($0)
            return true
        }
        return entries
    }

    /// Branches record the first entries and counts of their children; leaves are within their
    /// nodes.
    private func checkNode(_ node: Node, _ comment: Comment) {
        #expect(node.count > 0, comment)
        if node.kind == .indexLeaf {
            let leaf = IndexLeaf(node: node)
            #expect(leaf.count <= leaf.capacity, comment)
            #expect(leaf.capacity <= IndexLeaf.entriesMax, comment)
            let used = IndexLeaf.dataOffset + leaf.capacity * (leaf.keyWidth + leaf.rowWidth)
            #expect(used <= node.size, comment)
            return
        }
        let branch = IndexBranch(node: node)
        for index in 0..<node.count {
            let child = branch.child(index)
            #expect(branch.entries(index) == IndexReader.count(child), comment)
            let first = IndexReader.entry(child, 0)
            #expect(first == IndexEntry(key: branch.key(index), row: branch.row(index)), comment)
            checkNode(child, comment)
        }
    }
}
