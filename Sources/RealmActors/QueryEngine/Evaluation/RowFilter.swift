import Storage

/// A predicate, with the index conditions that its rows meet.
package struct RowFilter: Sendable {
    private enum Form {
        case bound(RowPredicate, IndexConditions, QueryExpression?)
        /// The form of most look-ups. The predicate for a scan is created on demand, because it
        /// costs more than finding the row.
        case equality(IndexedEquality)
        /// All of several. Where an index does all of the work, as for a page of results, the
        /// combined predicate is never needed.
        case joined([RowFilter], IndexConditions)
    }

    private let form: Form

    /// - Parameter expression: the condition of the predicate, for descriptions.
    package init(
        predicate: RowPredicate, conditions: IndexConditions = .unknown,
        expression: QueryExpression? = nil
    ) {
        form = .bound(predicate, conditions, expression)
    }

    package init(_ equality: consuming IndexedEquality) { form = .equality(equality) }

    private init(all parts: [RowFilter], _ conditions: IndexConditions) {
        form = .joined(parts, conditions)
    }

    /// The look-up, where it is that and nothing else.
    var equality: IndexedEquality? {
        if case .equality(let equality) = form { equality } else { nil }
    }

    package var predicate: RowPredicate {
        switch form {
        case .bound(let predicate, _, _): predicate
        case .equality(let equality): equality.predicate
        case .joined(let parts, _): .all(parts.map(\.predicate))
        }
    }

    package var conditions: IndexConditions {
        switch form {
        case .bound(_, let conditions, _): conditions
        case .equality(let equality): IndexConditions(equality)
        case .joined(_, let conditions): conditions
        }
    }

    /// The condition in terms of properties, where it is known.
    var expression: QueryExpression? {
        switch form {
        case .bound(_, _, let expression): expression
        case .equality(let equality): equality.expression
        case .joined(let parts, _): .all(parts.flatMap { $0.expression?.conjuncts ?? [] })
        }
    }

    func and(_ other: RowFilter) -> RowFilter {
        RowFilter(all: parts + other.parts, conditions.and(other.conditions))
    }

    /// The filters that it was joined of.
    private var parts: [RowFilter] {
        switch form {
        case .bound, .equality: [self]
        case .joined(let parts, _): parts
        }
    }

    /// The rows that an index finds, where that is faster than a scan for the first `limit`; all of
    /// them match or, if not exact, those that match are among them.
    func indexed(_ view: TreeView, _ classID: ClassID, limit: Int = .max) -> IndexRuns? {
        let planner = QueryPlanner(total: view.classView(classID).count, limit: limit)
        let found = conditions.candidates(view, classID, planner)
        return planner.choice(found.map(\.candidate)).map { found[$0] }
    }

    /// The condition for a scan of one version.
    func scanned(
        _ view: TreeView, _ classID: ClassID, _ cancellation: EvaluationCancellation = .ignored
    ) -> RowPredicate {
        predicate.prepared(for: view.classView(classID).count, in: view, cancellation)
    }
}
