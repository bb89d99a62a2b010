import Storage

/// What a consumer was shown of a collection of objects, and how the next state differs.
///
/// It keeps the keys of the rows, no version: the difference is found by comparing keys and by
/// walking from what the commits touched.
struct RowTracker {
    private var shown: [RowKey] = []
    private var finder: ModificationFinder

    init(finder: ModificationFinder) {
        self.finder = finder
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
        let change = PositionDiff.between(shown, rows) { modified?.contains($0) ?? true }
        shown = rows
        return change
    }
}
