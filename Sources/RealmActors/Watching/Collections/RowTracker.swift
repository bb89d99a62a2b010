import Storage

/// The last delivered state of a collection of objects, and its difference from the next.
///
/// It keeps the keys of the rows, no version: the difference is computed from the rows that the
/// commits touched or, if a query is not incremental, by comparing keys.
struct RowTracker {
    private(set) var shown = KeyRope()
    private var finder: ModificationFinder
    /// Whether the rows always ascend, as those of an unsorted query do.
    private let isAscending: Bool

    init(finder: ModificationFinder, isAscending: Bool = false) {
        self.finder = finder
        self.isAscending = isAscending
    }

    var watched: Set<ClassID> { finder.watched }

    /// Starts over from a state.
    mutating func reset(_ rows: KeyRope, in graph: some LinkGraph) {
        shown = rows
        finder.reset(rows, in: graph)
    }

    /// The positions of all rows, none of which is shown any more.
    mutating func clear() -> [Int] {
        defer { shown = KeyRope() }
        return Array(0..<shown.count)
    }

    /// The change from the state before to `rows`, which the marks led to.
    mutating func update(
        _ rows: [RowKey], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let change = PositionDiff.between(
            shown.keys, rows, isModified: { _ in false },
            written: { finder.written(by: marks, in: graph) })
        return update(KeyRope(rows), change, marks: marks, in: graph)
    }

    /// Completes a known change to `rows` with its modifications.
    mutating func update(
        _ rows: KeyRope, _ change: PositionChange, marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let modified = finder.modified(rows, by: marks, in: graph)
        var change = change
        change.modifications = positions(of: modified, except: change.deletions)
        shown = rows
        return change
    }

    /// The change when `created` were appended and nothing was removed. Linear in the marks, not in
    /// the number of rows.
    mutating func append(
        _ created: [RowKey], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let count = shown.count
        shown.append(contentsOf: created)
        let modified = finder.modified(shown, by: marks, in: graph)
        var change = PositionChange()
        change.modifications = positions(of: modified, except: []).filter { $0 < count }
        change.insertions = Array(count..<shown.count)
        return change
    }

    /// The change of a collection that an incremental query defines; nil when it is faster, or
    /// necessary, to evaluate the query again.
    mutating func updateIncrementally(
        _ incremental: IncrementalQuery, marks: MergedMarks, in graph: TreeGraph
    ) -> PositionChange? {
        guard incremental.isQuicker(for: marks, among: shown.count) else { return nil }
        let own = marks.classes[incremental.classID]
        let rows = shown
        shown = KeyRope()
        let update = IncrementalUpdate(rows, incremental, own, in: graph.view)
        shown = update.rows
        var change = update.change
        if let modified = finder.modified(shown, by: marks, in: graph) {
            change.modifications = update.formerPositions(of: modified)
        }
        return change
    }

    /// The positions of the rows in the previous state, ascending; nil represents all rows.
    private func positions(of rows: Set<RowKey>?, except deletions: [Int]) -> [Int] {
        guard let rows else { return except(deletions, Array(0..<shown.count)) }
        if rows.isEmpty { return [] }
        if isAscending, rows.count < shown.count / 16 {
            return except(deletions, rows.compactMap(position).sorted())
        }
        return except(deletions, shown.positions(of: rows))
    }

    private func except(_ deletions: [Int], _ positions: [Int]) -> [Int] {
        if deletions.isEmpty { return positions }
        var deleted = deletions[...]
        return positions.filter { position in
            while let first = deleted.first, first < position { deleted.removeFirst() }
            return deleted.first != position
        }
    }

    private func position(of row: RowKey) -> Int? { shown.position(of: row, inOrder: <) }
}
