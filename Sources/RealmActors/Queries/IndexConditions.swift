package import Storage

/// What the indexes of a class know about the rows that match a query.
///
/// Every row that matches meets all of the seeks. They belong to no version: which of them serves
/// best is decided by the counts that each has in the version at hand.
package struct IndexConditions: Sendable {
    /// At most one per property.
    package private(set) var seeks: [IndexSeek]
    /// Whether every row that meets all of the seeks matches.
    package private(set) var isExact: Bool

    /// Nothing is known.
    package static var unknown: IndexConditions { IndexConditions(seeks: [], isExact: false) }

    private init(seeks: [IndexSeek], isExact: Bool) {
        self.seeks = seeks
        self.isExact = isExact
    }

    /// Of a single equality.
    init(_ equality: IndexedEquality) {
        let column = ColumnID(equality.column.number)
        self.init(seeks: [IndexSeek(column, [.value(equality.value)])], isExact: true)
    }

    /// Of a condition.
    package init(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        let binding = IndexBinding(schema: schema, classID: classID)
        switch expression {
        case .constant(true): self.init(seeks: [], isExact: true)
        case .and(let left, let right):
            self = IndexConditions(left, schema: schema, classID: classID)
                .and(IndexConditions(right, schema: schema, classID: classID))
        case .or(let left, let right):
            self = IndexConditions(left, schema: schema, classID: classID)
                .or(IndexConditions(right, schema: schema, classID: classID))
        default:
            if let seek = binding.seek(expression) {
                self.init(seeks: [seek], isExact: true)
            } else {
                self = .unknown
            }
        }
    }

    func and(_ other: IndexConditions) -> IndexConditions {
        var both = self
        both.isExact = isExact && other.isExact
        for seek in other.seeks {
            if let index = both.seeks.firstIndex(where: { $0.column == seek.column }) {
                both.seeks[index].require(seek)
            } else {
                both.seeks.append(seek)
            }
        }
        return both
    }

    /// Rows that match one or the other can be sought where both ask for the same property.
    private func or(_ other: IndexConditions) -> IndexConditions {
        var either: [IndexSeek] = []
        for seek in seeks {
            if let first = seek.union,
                let second = other.seeks.first(where: { $0.column == seek.column })?.union
            {
                either.append(IndexSeek(seek.column, first + second))
            }
        }
        let isExact = isExact && other.isExact && seeks.count == 1 && other.seeks.count == 1
        return IndexConditions(seeks: either, isExact: isExact && either.count == 1)
    }

    /// The only seek, when the rows that it finds are all that match and no others.
    var sole: IndexSeek? { isExact && seeks.count == 1 ? seeks[0] : nil }

    /// What the index finds that leaves the fewest rows; nil without any index.
    package func best(_ view: ClassView) -> IndexRuns? {
        var best: IndexRuns?
        for seek in seeks {
            let runs = seek.runs(view)
            if best.map({ runs.count < $0.count }) ?? true { best = runs }
        }
        best?.isExact = isExact && seeks.count == 1
        return best
    }

    /// What the index of `column` finds; nil when the query says nothing about it.
    func runs(_ column: ColumnID, _ view: ClassView) -> IndexRuns? {
        guard let seek = seeks.first(where: { $0.column == column }) else { return nil }
        var runs = seek.runs(view)
        runs.isExact = isExact && seeks.count == 1
        return runs
    }
}
