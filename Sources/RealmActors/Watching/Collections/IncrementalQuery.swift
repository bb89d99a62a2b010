import Storage

/// A query whose results can be maintained incrementally: membership and order of a row depend on
/// that row alone, so that a commit changes the results only in the rows that it touched.
///
/// A filter, a sort, or both of a whole class is of this kind. Distinct values and limits are not;
/// ``LimitedRows`` handles limits.
struct IncrementalQuery: Sendable {
    private let filter: RowPredicate?
    private let keys: [SortKey]
    /// The classes that the filter and the sort reach across links. A change in one of them may
    /// affect any row.
    let reached: Set<ClassID>
    let classID: ClassID

    /// Nil when the query is of another kind.
    init?(_ query: ResultsQuery) {
        guard case .all = query.source else { return nil }
        var filter: RowPredicate?
        var keys: [SortKey] = []
        for (index, stage) in query.stages.enumerated() {
            switch stage {
            case .filter(let found) where index == 0: filter = found.predicate
            case .sort(let found) where keys.isEmpty: keys = found
            default: return nil
            }
        }
        self.filter = filter
        self.keys = keys
        reached = query.reached
        classID = query.classID
    }

    /// Whether rows come in the order of their creation.
    var isAscending: Bool { keys.isEmpty }

    /// Whether writing these columns of a row may move it.
    func isRearranged(by columns: ColumnSet) -> Bool {
        keys.contains { $0.path.firstColumn.map(columns.contains) ?? true }
    }

    /// Whether writing a row may change its membership.
    var isSelective: Bool { filter != nil }

    /// Whether evaluating only the rows that were touched is possible, and faster than evaluating
    /// the query, which iterates over `count` rows.
    func isQuicker(for marks: MergedMarks, among count: Int) -> Bool {
        if marks.isEverything || reached.contains(where: marks.touches) { return false }
        return (marks.classes[classID]?.weight ?? 0) <= max(64, count / Self.shareMax)
    }

    /// Finding the positions of more than one row in this many takes longer than evaluating the
    /// query.
    private static let shareMax = 16

    /// Whether a row exists and matches the query.
    func includes(_ key: RowKey, in view: TreeView) -> Bool {
        guard let row = view.classView(classID).locate(key) else { return false }
        return filter?.matches(row.location, view) ?? true
    }

    /// The order of rows in one version.
    func order(in view: TreeView) -> RowOrder {
        RowOrder(keys: keys, view: view, classID: classID)
    }
}

extension ValuePath {
    /// The property of the row itself that the path begins with.
    var firstColumn: ColumnID? {
        switch (steps.first, end) {
        case (.link(let hop)?, _): ColumnID(hop.column)
        case (nil, .value(let column, _)): ColumnID(column)
        default: nil
        }
    }
}
