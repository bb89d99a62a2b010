import Storage

/// A sort that an index has done already: its entries stand in the order asked for.
///
/// Serves queries of a whole class whose first sort is by an indexed property of the rows. With a
/// limit it reads only as many entries as it takes.
struct IndexWalk {
    let column: ColumnID
    let isAscending: Bool
    let filter: RowFilter?
    private let limit: Int?
    private let view: TreeView
    private let pace: EvaluationPace
    private let classID: ClassID
    /// The stages of the query that the walk stands for.
    let stageCount: Int

    /// Nil when the order of no index is asked for.
    init?(
        _ query: ResultsQuery, _ view: TreeView, _ pace: EvaluationPace = .untilDone
    ) {
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
        isAscending = key.ascending
        self.view = view
        self.pace = pace
        classID = query.classID
        stageCount = query.stages.count - stages.count
    }

    /// The rows in their order; nil where scanning and sorting is quicker.
    func keys() -> [RowKey]? { run().keys }

    /// What a walk came to.
    struct Run {
        /// The rows in their order; nil where scanning and sorting is quicker.
        var keys: [RowKey]?
        /// The entries that were read.
        var visited = 0
        /// Whether rows were looked at.
        var looksAtRows = false
    }

    /// Walks, as far as that pays.
    func run() -> Run {
        let rows = view.classView(classID)
        let all = IndexRuns(
            column: column, runs: [rows.range(column, from: .start, to: .end)])
        guard let filter else { return first(of: all, rows, nil) }
        let runs = filter.conditions.runs(column, rows) ?? all
        let planner = QueryPlanner(total: rows.count)
        let order = planner.order(
            inOrder: runs.candidate,
            others: filter.conditions.candidates(view, classID, planner).map(\.candidate))
        switch order {
        case .walk(let looksAtRows): return first(of: runs, rows, looksAtRows ? filter : nil)
        case .attempt(let entries): return first(of: runs, rows, filter, visits: entries)
        case .sort: return Run()
        }
    }

    /// The first rows of `runs` that match, unless `visits` entries did not give all of them.
    private func first(
        of runs: IndexRuns, _ rows: ClassView, _ filter: RowFilter?, visits: Int = .max
    ) -> Run {
        let limit = limit ?? .max
        if limit == 0 { return Run(keys: []) }
        if limit > visits { return Run() }
        var keys: [RowKey] = []
        keys.reserveCapacity(min(limit, runs.count))
        var cursor = RowCursor(rows)
        var visited = 0
        var isGivenUp = false
        let predicate = filter?.predicate.prepared(for: min(visits, runs.count), in: view, pace)
        runs.forEach(ascending: isAscending) { key in
            if let predicate {
                guard visited < visits else {
                    isGivenUp = true
                    return false
                }
                visited += 1
                if visited % 1024 == 0, pace.isOver { return false }
                guard let row = cursor.locate(key), predicate.matches(row, view) else {
                    return true
                }
            }
            keys.append(key)
            return keys.count < limit
        }
        return Run(
            keys: isGivenUp ? nil : keys, visited: predicate == nil ? keys.count : visited,
            looksAtRows: predicate != nil)
    }
}
