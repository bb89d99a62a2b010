import Storage

/// A property compared with a value: most conditions, and the whole condition of most look-ups.
///
/// A class, so that it is passed from the query to the index as one reference. In a struct, its
/// strings and names would be retained at each step, which takes as long as finding the row.
final class ValueComparison: Sendable {
    private let path: QueryPath
    let comparison: QueryComparison
    let value: StoredValue
    /// The kind of the value; nil for null, and for a number that is none.
    let kind: ValueKind?

    init(
        _ path: consuming QueryPath, _ comparison: QueryComparison, _ value: consuming StoredValue
    ) {
        kind = value.isNotANumber ? nil : value.kind
        self.path = path
        self.comparison = comparison
        self.value = value
    }

    /// The property, where the path leads no further.
    var property: String? {
        path.steps.count == 1 && path.elements.isEmpty ? path.steps[0] : nil
    }

    var expression: QueryExpression { .comparison(path, comparison, value) }
}

extension QueryExpression {
    /// The comparisons of which it is the conjunction, not more than an index can answer at once;
    /// nil for any other condition.
    var comparisons: ComparisonList? {
        guard case .and = self else { return nil }
        let conjuncts = conjuncts
        guard conjuncts.count <= IndexParts.countMax else { return nil }
        var comparisons: ComparisonList?
        for conjunct in conjuncts {
            guard case .comparison(let path, let comparison, let value) = conjunct else {
                return nil
            }
            let next = ValueComparison(path, comparison, value)
            comparisons = comparisons?.appending(next) ?? ComparisonList(next)
        }
        return comparisons
    }
}
