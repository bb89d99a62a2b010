/// The consistency of links and backlinks.
extension StoreVerifier {
    /// Compares the links of `column` with its backlinks, including the number of occurrences.
    ///
    /// Both sides are hashed as multisets; only if the sums differ are the differences determined.
    func compareBacklinks(_ id: ClassID, _ column: Int) throws(CancellationError) {
        let place = StoreProblem.Place(id, column)
        // Random for every comparison, so that no forged store can cause a collision.
        let seed = UInt64.random(in: 0...UInt64.max)
        var fromRows = LinkSum(seed: seed)
        var fromIndex = LinkSum(seed: seed)
        let view = snapshot.view.classView(id)
        let target = schema[id].columns[column].target
        let targets = target.flatMap { target in
            soundClasses.contains(target) ? snapshot.view.classView(target) : nil
        }
        try forEachLink(view, column) { row, link in
            fromRows.add(row, link)
            if let targets, targets.locate(link) == nil {
                tally.note(
                    .link, place.at(row: row),
                    "it links to row \(link.rawValue), which does not exist")
            }
        }
        tally.counts.links += fromRows.count
        var isAscending = true
        if let root = view.root.indexRoot(column) {
            var last: IndexEntry?
            try forEachEntry(root) { entry throws(CancellationError) in
                try tally.advance(1)
                fromIndex.add(RowKey(entry.row), entry.target)
                if let last, (entry.key, entry.row) < (last.key, last.row) { isAscending = false }
                last = entry
            }
        }
        tally.counts.indexEntries += fromIndex.count
        if !isAscending { tally.note(.order, place, "backlinks are out of order") }
        guard fromRows != fromIndex, isAscending else { return }
        try findDifferences(view, column, place)
    }

    /// Calls `body` with the row and the target of every link in `column`.
    private func forEachLink(
        _ view: ClassView, _ column: Int, _ body: (RowKey, RowKey) -> Void
    ) throws(CancellationError) {
        let schema = view.classSchema.columns[column]
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let row = cluster.key(slot)
                cluster.forEachLink(column, slot, schema) { body(row, $0) }
            }
            try tally.advance(0)
        }
    }

    /// Finds the links without backlink and the backlinks without link.
    private func findDifferences(
        _ view: ClassView, _ column: Int, _ place: StoreProblem.Place
    ) throws(CancellationError) {
        let schema = view.classSchema.columns[column]
        let reader = view.root.indexRoot(column).map { IndexReader(root: $0, order: .exact) }
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let row = cluster.key(slot)
                var links: [RowKey: Int] = [:]
                cluster.forEachLink(column, slot, schema) { links[$0, default: 0] += 1 }
                for (target, count) in links.sorted(by: { $0.key < $1.key }) {
                    let probe = IndexProbe(key: IndexKey.of(target))
                    let rank = reader?.rank(of: probe, row: row.rawValue) ?? 0
                    let end = reader?.rank(of: probe, row: row.rawValue &+ 1) ?? 0
                    if end - rank < count {
                        tally.note(
                            .backlink, place.at(row: row),
                            "\(count) links to row \(target.rawValue) have \(end - rank) backlinks")
                    }
                }
            }
            try tally.advance(0)
        }
        try findBacklinksWithoutLink(view, column, place)
    }

    private func findBacklinksWithoutLink(
        _ view: ClassView, _ column: Int, _ place: StoreProblem.Place
    ) throws(CancellationError) {
        guard let root = view.root.indexRoot(column) else { return }
        var run: (entry: IndexEntry, count: Int)?
        try forEachEntry(root) { entry throws(CancellationError) in
            if let last = run, last.entry == entry {
                run = (entry, last.count + 1)
                return
            }
            if let last = run { compare(last.entry, count: last.count, view, column, place) }
            run = (entry, 1)
        }
        if let last = run { compare(last.entry, count: last.count, view, column, place) }
    }

    /// Reports backlinks that occur more often than their links.
    private func compare(
        _ entry: IndexEntry, count: Int, _ view: ClassView, _ column: Int,
        _ place: StoreProblem.Place
    ) {
        let row = RowKey(entry.row)
        var links = 0
        if let location = view.locate(row) {
            let schema = view.classSchema.columns[column]
            location.cluster.forEachLink(column, location.slot, schema) {
                if $0 == entry.target { links += 1 }
            }
        }
        guard links < count else { return }
        tally.note(
            .backlink, place.at(row: row),
            "\(links) links to row \(entry.target.rawValue) have \(count) backlinks")
    }
}

extension IndexEntry {
    /// The row that a backlink refers to.
    fileprivate var target: RowKey { RowKey(Int64(bitPattern: key ^ (1 << 63))) }
}

/// A sum over links that does not depend on their order: different multisets of links have the same
/// sum only with a probability of 2^-64.
private struct LinkSum: Equatable {
    let seed: UInt64
    private(set) var count = 0
    private var sum: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    mutating func add(_ row: RowKey, _ target: RowKey) {
        count += 1
        let first = Self.mix(UInt64(bitPattern: row.rawValue) &+ seed)
        sum &+= Self.mix(first ^ UInt64(bitPattern: target.rawValue))
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
