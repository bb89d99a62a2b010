import Storage

/// A predicate, and what indexes know about the rows that it holds for.
package struct RowFilter: Sendable {
    private enum Form {
        case bound(RowPredicate, IndexConditions)
        /// What most look-ups are. What a scan would need is made when there is one: it costs more
        /// than finding the row.
        case equality(IndexedEquality)
    }

    private let form: Form

    package init(predicate: RowPredicate, conditions: IndexConditions = .unknown) {
        form = .bound(predicate, conditions)
    }

    package init(_ equality: IndexedEquality) { form = .equality(equality) }

    package var predicate: RowPredicate {
        switch form {
        case .bound(let predicate, _): predicate
        case .equality(let equality): equality.predicate
        }
    }

    package var conditions: IndexConditions {
        switch form {
        case .bound(_, let conditions): conditions
        case .equality(let equality): IndexConditions(equality)
        }
    }

    /// The value that an indexed property must have, where that is all that is asked.
    var equality: IndexedEquality? {
        if case .equality(let equality) = form { equality } else { nil }
    }

    func and(_ other: RowFilter) -> RowFilter {
        RowFilter(
            predicate: .and([predicate, other.predicate]),
            conditions: conditions.and(other.conditions))
    }

    /// The rows that an index finds, where that is quicker than a scan for the first `limit`; all
    /// of them match or, if not exact, those that match are among them.
    func indexed(_ view: ClassView, limit: Int = .max) -> IndexRuns? {
        guard let best = conditions.best(view), best.isWorthwhile(of: view.count, limit: limit)
        else { return nil }
        return best
    }
}
