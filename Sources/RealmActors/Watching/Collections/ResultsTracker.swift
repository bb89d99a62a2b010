import Storage

/// The last delivered results of a query, and their difference from the next.
struct ResultsTracker {
    private let query: ResultsQuery
    /// The classes whose commits matter.
    let watched: Set<ClassID>
    /// The query as an incremental one; nil when it is of another kind.
    private let incremental: IncrementalQuery?
    /// The rows of a query that ends with a limit; nil for others.
    private var limited: LimitedRows?
    private var tracker: RowTracker

    init(_ query: ResultsQuery, _ finder: ModificationFinder) {
        self.query = query
        watched = query.dependencies.union(finder.watched)
        incremental = IncrementalQuery(query)
        limited = LimitedRows(query)
        tracker = RowTracker(finder: finder, isAscending: query.isAscending)
    }

    /// The last delivered rows.
    var rows: KeyRope { tracker.shown }

    /// Evaluates the query, and starts over from its results.
    mutating func reset(in view: TreeView) {
        tracker.reset(evaluate(in: view), in: TreeGraph(view: view))
    }

    /// The positions of all rows that were delivered, when the owner of a collection was deleted.
    mutating func clear() -> [Int] { tracker.clear() }

    private mutating func evaluate(in view: TreeView) -> KeyRope {
        guard limited != nil else { return KeyRope(query.evaluate(in: view)) }
        limited?.reset(in: view)
        return limited?.shown ?? KeyRope()
    }

    /// The change from the state before to that of `view`, which the marks led to.
    mutating func change(_ marks: MergedMarks, in view: TreeView) -> PositionChange {
        let graph = TreeGraph(view: view)
        if query.isWholeClass, let created = created(marks) {
            return tracker.append(created, marks: marks, in: graph)
        }
        if let incremental,
            let change = tracker.updateIncrementally(incremental, marks: marks, in: graph)
        {
            return change
        }
        if !query.isAffected(by: marks, in: view) {
            return tracker.append([], marks: marks, in: graph)
        }
        if let change = limited?.update(marks, in: view), let rows = limited?.shown {
            return tracker.update(rows, change, marks: marks, in: graph)
        }
        return tracker.update(evaluate(in: view).keys, marks: marks, in: graph)
    }

    /// The inserted rows, if no row was removed and all of them come after the present ones.
    private func created(_ marks: MergedMarks) -> [RowKey]? {
        if marks.isEverything { return nil }
        guard let own = marks.classes[query.classID] else { return [] }
        if !own.deleted.isEmpty { return nil }
        guard let first = own.created.first else { return [] }
        // Keys need not ascend: after a loss of commits, rows that the lost ones deleted exist
        // again.
        let isLast = rows.firstPosition { $0.rawValue < first.lowerBound } == rows.count
        guard isLast,
            zip(own.created, own.created.dropFirst()).allSatisfy({
                $0.upperBound <= $1.lowerBound
            })
        else { return nil }
        return own.created.flatMap { $0.map { RowKey($0) } }
    }

    /// The positions of rows that are shown now, ascending.
    func positions(of keys: Set<RowKey>, in view: TreeView) -> [Int] {
        guard let incremental, keys.count < rows.count / 16 else { return rows.positions(of: keys) }
        let order = incremental.order(in: view)
        return keys.compactMap { rows.position(of: $0, inOrder: order.precedes) }.sorted()
    }
}
