import Storage

/// A sort that an index has done already: its entries stand in the order asked for.
///
/// Serves queries of a whole class whose first sort is by an indexed property of the rows. With a
/// limit it reads only as many entries as it takes.
struct IndexWalk {
    private let column: ColumnID
    private let ascending: Bool
    private let filter: RowFilter?
    private let limit: Int?
    private let view: TreeView
    private let classID: ClassID
    /// The stages of the query that the walk stands for.
    let stageCount: Int

    /// A walk that has to look at rows here and there is given up after this share of the class:
    /// scanning and sorting takes about as long.
    private static let shareMax = 64

    /// Nil when the order of no index is asked for.
    init?(_ query: ResultsQuery, _ view: TreeView) {
        guard case .all = query.source else { return nil }
        var stages = query.stages[...]
        if case .filter(let filter)? = stages.first {
            self.filter = filter
            stages.removeFirst()
        } else {
            filter = nil
        }
        guard case .sort(let keys)? = stages.popFirst(), let key = keys.first,
            key.path.steps.isEmpty, case .value(let column, let schema) = key.path.end,
            schema.hasValueIndex
        else { return nil }
        // Further keys decide between rows that are equal in the first: of a primary key, none.
        let classSchema = view.schema[query.classID]
        guard keys.count == 1 || classSchema.primaryKey == ColumnID(column) else { return nil }
        if case .limit(let count)? = stages.first {
            limit = count
            stages.removeFirst()
        } else {
            limit = nil
        }
        self.column = ColumnID(column)
        ascending = key.ascending
        self.view = view
        classID = query.classID
        stageCount = query.stages.count - stages.count
    }

    /// The rows in their order; nil where scanning and sorting is quicker.
    func keys() -> [RowKey]? {
        let rows = view.classView(classID)
        let all = IndexRuns(
            column: column, runs: [rows.range(column, from: .start, to: .end)])
        guard let filter else { return first(of: all, rows, nil) }
        let narrowed = filter.conditions.runs(column, rows)
        if let narrowed, narrowed.isExact { return first(of: narrowed, rows, nil) }
        let runs = narrowed ?? all
        if runs.isWorthwhile(of: rows.count) { return first(of: runs, rows, filter) }
        // Another index may leave far fewer rows to sort than there are to walk.
        if filter.indexed(rows) != nil { return nil }
        return first(of: runs, rows, filter, visits: rows.count / Self.shareMax)
    }

    /// The first rows of `runs` that match; nil when `visits` entries did not give all of them.
    private func first(
        of runs: IndexRuns, _ rows: ClassView, _ filter: RowFilter?, visits: Int = .max
    ) -> [RowKey]? {
        let limit = limit ?? .max
        if limit == 0 { return [] }
        if limit > visits { return nil }
        var keys: [RowKey] = []
        keys.reserveCapacity(min(limit, runs.count))
        var cursor = RowCursor(rows)
        var rest = visits
        let predicate = filter?.predicate
        runs.forEach(ascending: ascending) { key in
            if let predicate {
                guard rest > 0 else {
                    rest = -1
                    return false
                }
                rest -= 1
                guard let row = cursor.locate(key), predicate.matches(row, view) else {
                    return true
                }
            }
            keys.append(key)
            return keys.count < limit
        }
        return rest < 0 ? nil : keys
    }
}
