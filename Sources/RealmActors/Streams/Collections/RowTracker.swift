import Storage

/// What a consumer was shown of a collection of objects, and how the next state differs.
///
/// It keeps the keys of the rows, no version: the difference is found by comparing keys and by
/// walking from what the commits touched.
struct RowTracker {
    private(set) var shown: [RowKey] = []
    private var finder: ModificationFinder
    /// Whether the rows always ascend, as those of an unsorted query do.
    private let isAscending: Bool

    init(finder: ModificationFinder, isAscending: Bool = false) {
        self.finder = finder
        self.isAscending = isAscending
    }

    var watched: Set<ClassID> { finder.watched }

    /// Starts over from a state.
    mutating func reset(_ rows: [RowKey], in graph: some LinkGraph) {
        shown = rows
        finder.reset(rows, in: graph)
    }

    /// The change from the state before to `rows`, which the marks led to.
    mutating func update(
        _ rows: [RowKey], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let modified = finder.modified(rows, by: marks, in: graph)
        var change = PositionDiff.between(shown, rows) { _ in false }
        change.modifications = positions(of: modified, except: change.deletions)
        shown = rows
        return change
    }

    /// The change when nothing but `created` has come and nothing has gone.
    /// Costs as much as what was touched, whatever the number of rows.
    mutating func append(
        _ created: [RowKey], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let modified = finder.modified(
            [shown, created].lazy.joined(), by: marks, in: graph)
        var change = PositionChange()
        change.modifications = positions(of: modified, except: [])
        change.insertions = Array(shown.count..<shown.count + created.count)
        shown.append(contentsOf: created)
        return change
    }

    /// Where the rows stood in the state before, ascending; nil stands for all rows.
    private func positions(of rows: Set<RowKey>?, except deletions: [Int]) -> [Int] {
        if let rows, rows.isEmpty { return [] }
        let positions: [Int]
        if let rows, isAscending, rows.count < shown.count / 16 {
            positions = rows.compactMap(position).sorted()
        } else {
            positions = shown.indices.filter { rows?.contains(shown[$0]) ?? true }
        }
        if deletions.isEmpty { return positions }
        var deleted = deletions[...]
        return positions.filter { position in
            while let first = deleted.first, first < position { deleted.removeFirst() }
            return deleted.first != position
        }
    }

    private func position(of row: RowKey) -> Int? {
        var low = 0
        var high = shown.count
        while low < high {
            let middle = (low + high) / 2
            if shown[middle] < row { low = middle + 1 } else { high = middle }
        }
        return low < shown.count && shown[low] == row ? low : nil
    }
}
