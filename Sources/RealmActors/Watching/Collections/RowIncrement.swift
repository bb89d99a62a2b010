import Storage

/// What rows that were written, created and deleted do to a collection that a ``RowRule`` defines.
///
/// Rows that were not touched are looked at only to find places among them, O(log n) for each
/// touched one. Only rows that were deleted from a sorted collection, or whose values it is sorted
/// by were written, are searched for among all keys: where they were, the values of before would
/// tell.
struct RowIncrement {
    private let rule: RowRule
    private let view: TreeView
    private let order: RowOrder
    /// Whether there are rows after these that are not known.
    private let isPrefix: Bool
    /// What did not move, then what is shown.
    private(set) var rows: KeyRope
    private(set) var change = PositionChange()

    /// A row that comes, or comes again: where it was, and among how many that did not move.
    private struct Arrival {
        let key: RowKey
        let former: (position: Int, rank: Int)?
    }

    /// The rows after the marks, and the change to them without its modifications. Of rows that are
    /// a prefix, those are left out that come after the last one which did not move: there may be
    /// others before them.
    init(
        _ rows: KeyRope, _ rule: RowRule, _ marks: MergedMarks.ClassMarks?, in view: TreeView,
        isPrefix: Bool = false
    ) {
        self.isPrefix = isPrefix
        self.rows = rows
        self.rule = rule
        self.view = view
        order = rule.order(in: view)
        guard let marks else { return }
        let created = Set(marks.created.lazy.joined().map { RowKey($0) })
        var arrivals = takeOut(marks, except: created)
        for key in created where rule.includes(key, in: view) {
            arrivals.append(Arrival(key: key, former: nil))
        }
        putIn(arrivals)
    }

    /// Where a row is; nil if it is not there. Rows are in their order.
    private func position(of key: RowKey) -> Int? {
        rows.position(of: key, inOrder: order.precedes)
    }

    /// Takes out what may have moved or no longer belongs here; returns what is to come back.
    private mutating func takeOut(
        _ marks: MergedMarks.ClassMarks, except created: Set<RowKey>
    ) -> [Arrival] {
        var displaced = Set(marks.deleted)
        var written: [RowKey] = []
        for (key, columns) in marks.touched where !created.contains(key) {
            if rule.isRearranged(by: columns) {
                displaced.insert(key)
            } else if rule.isSelective {
                written.append(key)
            }
        }
        let former =
            rule.isAscending
            ? displaced.compactMap(position).sorted() : rows.positions(of: displaced)
        var arrivals: [Arrival] = []
        for (index, position) in former.enumerated() {
            let key = rows[position]
            displaced.remove(key)
            // What has the key of one that went is another object, and comes as all that were
            // created do.
            if !created.contains(key), rule.includes(key, in: view) {
                arrivals.append(Arrival(key: key, former: (position, position - index)))
            }
        }
        for key in displaced where !created.contains(key) && rule.includes(key, in: view) {
            arrivals.append(Arrival(key: key, former: nil))
        }
        for position in former.reversed() { rows.remove(at: position) }
        let lost = judge(written, &arrivals)
        for position in lost.reversed() { rows.remove(at: position) }
        change.deletions = Self.merged(
            former, PositionChange.newPositions(of: lost, deletions: [], insertions: former))
        // Ranks count what did not move, of which some went just now.
        return arrivals.map { arrival in
            guard let former = arrival.former else { return arrival }
            let gone = lost.partition { $0 < former.rank }
            return Arrival(key: arrival.key, former: (former.position, former.rank - gone))
        }
    }

    /// Among rows that keep their place: those that belong here no longer, ascending. Those that
    /// belong here now are arrivals.
    private func judge(_ written: [RowKey], _ arrivals: inout [Arrival]) -> [Int] {
        var lost: [Int] = []
        for key in written {
            let isMember = rule.includes(key, in: view)
            if let position = position(of: key) {
                if !isMember { lost.append(position) }
            } else if isMember {
                arrivals.append(Arrival(key: key, former: nil))
            }
        }
        return lost.sorted()
    }

    /// Puts rows in their places. Those that are where they were have not moved.
    private mutating func putIn(_ arrivals: [Arrival]) {
        if arrivals.isEmpty { return }
        var sorted = arrivals.sorted { order.precedes($0.key, $1.key) }
        var ranks = sorted.map { arrival in
            rows.firstPosition { order.precedes($0, arrival.key) }
        }
        if isPrefix, let known = ranks.firstIndex(of: rows.count) {
            sorted.removeSubrange(known...)
            ranks.removeSubrange(known...)
        }
        let resting = sorted.indices.filter { sorted[$0].former?.rank == ranks[$0] }
        let members = IncreasingSubsequence.members(
            of: resting.compactMap { sorted[$0].former?.position })
        var stayed: Set<Int> = []
        for (index, arrival) in resting.enumerated() where members?[index] ?? true {
            stayed.insert(arrival)
        }
        var restored: Set<Int> = []
        for (index, arrival) in sorted.enumerated() {
            let position = ranks[index] + index
            rows.insert(arrival.key, at: position)
            if stayed.contains(index), let former = arrival.former {
                restored.insert(former.position)
            } else {
                change.insertions.append(position)
            }
        }
        if !restored.isEmpty { change.deletions.removeAll { restored.contains($0) } }
    }

    /// Where the rows among `modified` that were there before were then, ascending.
    func formerPositions(of modified: Set<RowKey>) -> [Int] {
        var positions = modified.compactMap(position).sorted()
        var inserted = change.insertions[...]
        positions.removeAll { position in
            while let first = inserted.first, first < position { inserted.removeFirst() }
            return inserted.first == position
        }
        return PositionChange.newPositions(
            of: positions, deletions: change.insertions, insertions: change.deletions)
    }

    private static func merged(_ a: [Int], _ b: [Int]) -> [Int] {
        if b.isEmpty { return a }
        return (a + b).sorted()
    }
}
