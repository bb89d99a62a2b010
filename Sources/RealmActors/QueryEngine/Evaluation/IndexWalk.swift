import Storage

/// A sort that an index has done already: its entries stand in the order asked for.
///
/// Serves queries of a whole class whose first sort is by an indexed property of the rows, or by
/// properties that an index of several has in that order. With a limit it reads only as many
/// entries as it takes.
struct IndexWalk {
    let column: ColumnID
    let isAscending: Bool
    /// What an index of several does for the query; nil of an index of one property.
    let composite: CompositeOrder?
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
        guard case .sort(let keys)? = stages.popFirst() else { return nil }
        let rows = view.classView(query.classID)
        let single = Self.single(keys, rows)
        let composite = CompositeOrder.best(keys, rows, filter?.conditions.seeks ?? [])
        if let composite, single == nil || composite.seek != nil {
            column = composite.index
            isAscending = composite.isForward
            self.composite = composite
        } else if let single {
            (column, isAscending) = single
            self.composite = nil
        } else {
            return nil
        }
        if case .limit(let count)? = stages.first {
            limit = count
            stages.removeFirst()
        } else {
            limit = nil
        }
        self.view = view
        self.pace = pace
        classID = query.classID
        stageCount = query.stages.count - stages.count
    }

    /// The index of one property that has the order of the keys.
    private static func single(
        _ keys: [SortKey], _ rows: ClassView
    ) -> (column: ColumnID, isAscending: Bool)? {
        guard let key = keys.first, key.path.steps.isEmpty,
            case .value(let column, let schema) = key.path.end, schema.hasValueIndex
        else { return nil }
        // Further keys decide between rows that are equal in the first: of a primary key, none.
        guard keys.count == 1 || rows.classSchema.primaryKey == ColumnID(column) else {
            return nil
        }
        return (ColumnID(column), key.ascending)
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
        var runs = runs(rows)
        if let composite { runs.parts = composite.partCount }
        guard let filter else { return first(of: runs, rows, nil) }
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

    /// The entries that may match, in their order.
    private func runs(_ rows: ClassView) -> IndexRuns {
        let conditions = filter?.conditions ?? .unknown
        if let composite {
            return conditions.runs(composite, rows)
                ?? IndexRuns(column: column, runs: [rows.range(column, equalTo: [])])
        }
        return conditions.runs(column, rows)
            ?? IndexRuns(column: column, runs: [rows.range(column, from: .start, to: .end)])
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
