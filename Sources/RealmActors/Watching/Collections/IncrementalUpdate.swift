import Storage

/// The effect of rows that were written, created and deleted on the results of an
/// ``IncrementalQuery``.
///
/// Each touched row costs O(log n), by a binary search among the others. Exceptions are rows that
/// were deleted from a sorted collection, or whose sort values were written: a binary search for
/// their former positions would need the former values, so all keys are searched.
struct IncrementalUpdate {
    private let query: IncrementalQuery
    private let view: TreeView
    private let order: RowOrder
    /// Whether the query has further rows, which are not known.
    private let isPrefix: Bool
    /// During the update the rows that did not move, at the end the new results.
    private(set) var rows: KeyRope
    private(set) var change = PositionChange()

    /// A row to insert. For one that was removed: its former position, and its rank among the rows
    /// that did not move.
    private struct Arrival {
        let key: RowKey
        let former: (position: Int, rank: Int)?
    }

    /// Computes the new rows and the change, without modifications. If the rows are a prefix of the
    /// results, arrivals after the last row that did not move are left out: unknown rows may
    /// precede them.
    init(
        _ rows: KeyRope, _ query: IncrementalQuery, _ marks: MergedMarks.ClassMarks?,
        in view: TreeView,
        isPrefix: Bool = false
    ) {
        self.isPrefix = isPrefix
        self.rows = rows
        self.query = query
        self.view = view
        order = query.order(in: view)
        guard let marks else { return }
        let created = Set(marks.created.lazy.joined().map { RowKey($0) })
        var arrivals = remove(marks, except: created)
        for key in created where query.includes(key, in: view) {
            arrivals.append(Arrival(key: key, former: nil))
        }
        insert(arrivals)
    }

    /// The position of a row; nil if it is not there. Requires that the rows are in order.
    private func position(of key: RowKey) -> Int? {
        rows.position(of: key, inOrder: order.precedes)
    }

    /// Removes rows that may have moved or may no longer match; returns the rows to insert.
    private mutating func remove(
        _ marks: MergedMarks.ClassMarks, except created: Set<RowKey>
    ) -> [Arrival] {
        var displaced = Set(marks.deleted)
        var written: [RowKey] = []
        for (key, columns) in marks.touched where !created.contains(key) {
            if query.isRearranged(by: columns) {
                displaced.insert(key)
            } else if query.isSelective {
                written.append(key)
            }
        }
        let former =
            query.isAscending
            ? displaced.compactMap(position).sorted() : rows.positions(of: displaced)
        var arrivals: [Arrival] = []
        for (index, position) in former.enumerated() {
            let key = rows[position]
            displaced.remove(key)
            // A key in `created` belongs to a new object now, which is inserted with the created
            // rows.
            if !created.contains(key), query.includes(key, in: view) {
                arrivals.append(Arrival(key: key, former: (position, position - index)))
            }
        }
        for key in displaced where !created.contains(key) && query.includes(key, in: view) {
            arrivals.append(Arrival(key: key, former: nil))
        }
        for position in former.reversed() { rows.remove(at: position) }
        let lost = recheck(written, &arrivals)
        for position in lost.reversed() { rows.remove(at: position) }
        change.deletions = Self.merged(
            former, PositionChange.newPositions(of: lost, deletions: [], insertions: former))
        // The ranks counted the rows in `lost`, which are removed now.
        return arrivals.map { arrival in
            guard let former = arrival.former else { return arrival }
            let removed = lost.partition { $0 < former.rank }
            return Arrival(key: arrival.key, former: (former.position, former.rank - removed))
        }
    }

    /// Checks the membership of written rows that cannot have moved. Returns the positions of those
    /// that no longer match, ascending; adds those that match now to the arrivals.
    private func recheck(_ written: [RowKey], _ arrivals: inout [Arrival]) -> [Int] {
        var lost: [Int] = []
        for key in written {
            let isMember = query.includes(key, in: view)
            if let position = position(of: key) {
                if !isMember { lost.append(position) }
            } else if isMember {
                arrivals.append(Arrival(key: key, former: nil))
            }
        }
        return lost.sorted()
    }

    /// Inserts rows at their positions. A row that returns to its former position has not moved.
    private mutating func insert(_ arrivals: [Arrival]) {
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

    /// The former positions of the rows among `modified` that were in the results before,
    /// ascending.
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
