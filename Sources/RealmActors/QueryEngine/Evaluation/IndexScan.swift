import Storage

/// A walk over an index in the order of a sort, which then needs no sorting.
///
/// Serves queries of a whole class whose first sort is by an indexed property of the rows, or by
/// properties that an index of several has in that order. With a limit it reads only as many
/// entries as it takes. So does an order by distance that an index of places has, with a limit.
struct IndexScan {
    let column: ColumnID
    let isAscending: Bool
    /// The use of a composite index for the query; nil if the index has one property.
    let composite: CompositeOrder?
    /// The order of an index of places.
    private let nearest: NearestNeighbors?
    let filter: RowFilter?
    private let limit: Int?
    private let view: TreeView
    private let cancellation: EvaluationCancellation
    private let classID: ClassID
    /// The stages of the query that the walk represents.
    let stageCount: Int

    /// Nil when no order of an index is requested.
    init?(
        _ query: ResultsQuery, _ view: TreeView, _ cancellation: EvaluationCancellation = .ignored
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
        let nearest = NearestNeighbors(keys, view, query.classID)
        let composite = CompositeOrder.best(keys, rows, filter?.conditions.seeks ?? [])
        // After a range of its first property, it does no more than the index of that alone, which
        // knows where a page begins.
        if let composite, single == nil || composite.isBehindValues {
            column = composite.index
            isAscending = composite.isForward
            self.composite = composite
        } else if let single {
            (column, isAscending) = single
            self.composite = nil
        } else if let nearest, case .limit? = stages.first {
            (column, isAscending) = (nearest.link, true)
            self.composite = nil
        } else {
            return nil
        }
        self.nearest = nearest
        if case .limit(let count)? = stages.first {
            limit = count
            stages.removeFirst()
        } else {
            limit = nil
        }
        self.view = view
        self.cancellation = cancellation
        classID = query.classID
        stageCount = query.stages.count - stages.count
    }

    /// The index of one property that has the order of the keys.
    private static func single(
        _ keys: [SortKey], _ rows: ClassView
    ) -> (column: ColumnID, isAscending: Bool)? {
        guard let key = keys.first, key.path.steps.isEmpty, key.measure == .value,
            case .value(let column, let schema) = key.path.end, schema.hasValueIndex
        else { return nil }
        // Further keys break ties of the first; a primary key has no ties.
        guard keys.count == 1 || rows.classSchema.primaryKey == ColumnID(column) else {
            return nil
        }
        return (ColumnID(column), key.ascending)
    }

    /// The rows in their order; nil where scanning and sorting is faster.
    func keys() -> [RowKey]? { run().keys }

    /// Whether the order is that of an index of places.
    var isByPlaces: Bool { nearest != nil }

    /// The result of a walk.
    struct Run {
        /// The rows in their order; nil where scanning and sorting is faster.
        var keys: [RowKey]?
        /// The entries that were read.
        var visited = 0
        /// Whether rows were examined.
        var evaluatesFilter = false
    }

    /// Walks, as long as it costs less than a scan.
    func run() -> Run {
        let rows = view.classView(classID)
        let entries = entries(rows)
        guard let filter else { return first(of: entries, rows, nil) }
        let planner = QueryPlanner(total: rows.count)
        let order = planner.order(
            inOrder: entries.candidate,
            others: filter.conditions.candidates(view, classID, planner).map(\.candidate))
        switch order {
        case .walk(let evaluatesFilter):
            return first(of: entries, rows, evaluatesFilter ? filter : nil)
        case .attempt(let visits): return first(of: entries, rows, filter, visits: visits)
        case .sort: return Run()
        }
    }

    /// Entries in the order requested.
    private struct Entries {
        let candidate: QueryPlanner.Candidate
        /// Whether every row has one.
        let isWhole: Bool
        /// Calls the closure with their rows until it returns false.
        let forEach: ((RowKey) -> Bool) -> Void
    }

    private func entries(_ rows: ClassView) -> Entries {
        if let nearest {
            // Rows without a place come after all of them.
            return Entries(
                candidate: QueryPlanner.Candidate(rows: rows.count, isExact: false),
                isWhole: false, forEach: nearest.forEach)
        }
        var runs = runs(rows)
        if let composite { runs.parts = composite.partCount }
        let found = runs
        return Entries(candidate: runs.candidate, isWhole: true) {
            found.forEach(ascending: isAscending, $0)
        }
    }

    /// The entries that may match, in their order.
    private func runs(_ rows: ClassView) -> IndexRuns {
        let conditions = filter?.conditions ?? .unknown
        if let composite {
            return conditions.runs(composite, rows)
                ?? IndexRuns(column: column, runs: [rows.range(column, equalTo: [])])
        }
        return conditions.runs(column, rows, ascending: isAscending)
            ?? IndexRuns(column: column, runs: [rows.range(column, from: .start, to: .end)])
    }

    /// The first rows of `entries` that match; abandoned after `visits` entries.
    private func first(
        of entries: Entries, _ rows: ClassView, _ filter: RowFilter?, visits: Int = .max
    ) -> Run {
        let count = entries.candidate.rows
        let limit = limit ?? .max
        if limit == 0 { return Run(keys: []) }
        if limit > visits { return Run() }
        var keys: [RowKey] = []
        keys.reserveCapacity(min(limit, count))
        var cursor = RowCursor(rows)
        var visited = 0
        var isAbandoned = false
        let predicate = filter?.predicate.prepared(for: min(visits, count), in: view, cancellation)
        entries.forEach { key in
            guard visited < visits else {
                isAbandoned = true
                return false
            }
            visited += 1
            if let predicate {
                if visited % 1024 == 0, cancellation.isCancelled { return false }
                guard let row = cursor.locate(key), predicate.matches(row, view) else {
                    return true
                }
            }
            keys.append(key)
            return keys.count < limit
        }
        // Rows without an entry come after the visited ones.
        if keys.count < limit, !entries.isWhole, visited < rows.count { isAbandoned = true }
        return Run(
            keys: isAbandoned ? nil : keys, visited: visited, evaluatesFilter: predicate != nil)
    }
}
