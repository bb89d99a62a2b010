package import Storage

/// An equality of indexed properties that an index alone can answer: of one property, or of the
/// first ones of an index of several.
package struct IndexedEquality: Sendable {
    package let column: IndexedColumn
    private let comparisons: Comparisons

    private enum Comparisons: Sendable {
        case one(ValueComparison)
        /// In the order of the index.
        case several(ComparisonList)
    }

    /// The property of a comparison that the index of `column` answers.
    init(_ column: IndexedColumn, _ comparison: consuming ValueComparison) {
        self.column = column
        comparisons = .one(comparison)
    }

    /// The first properties of an index of several, in its order.
    init(_ index: IndexedColumn, _ comparisons: consuming ComparisonList) {
        column = index
        self.comparisons = .several(comparisons)
    }

    /// The values of the first properties of an index of several; none for an index of one.
    var values: [StoredValue] {
        switch comparisons {
        case .one: []
        case .several(let comparisons): comparisons.map(\.value)
        }
    }

    /// The first row that the index finds.
    func first(in root: ClassRoot) -> RowHold? {
        switch comparisons {
        case .one(let comparison): return root.first(column, equalTo: comparison.value)
        case .several:
            guard let key = rows(in: root).first else { return nil }
            return root.locate(key)
        }
    }

    /// The rows that the index finds, in the order of their creation. O(log n + rows); more if the
    /// index has further properties, because the rows must be sorted.
    func rows(in root: ClassRoot) -> MatchedRows {
        switch comparisons {
        case .one(let comparison): root.rows(column, equalTo: comparison.value)
        case .several(let comparisons):
            root.rows(column, first: comparisons.count, equalTo: { comparisons[$0].value })
        }
    }

    /// The number of rows that the index finds. O(log n).
    func count(in root: ClassRoot) -> Int {
        switch comparisons {
        case .one(let comparison): root.rowCount(column, equalTo: comparison.value)
        case .several(let comparisons):
            root.rowCount(
                column, first: comparisons.count, equalTo: { comparisons[$0].value })
        }
    }

    /// The original condition.
    var expression: QueryExpression {
        switch comparisons {
        case .one(let comparison): comparison.expression
        case .several(let comparisons): comparisons.expression
        }
    }

    /// The same for a scan.
    var predicate: RowPredicate {
        switch comparisons {
        case .one(let comparison):
            LeafBinding.bind(column.number, column.schema, .comparison(.equal, comparison.value))
        case .several(let comparisons):
            .and(
                comparisons.enumerated().map { index, comparison in
                    let part = column.parts[index]
                    return LeafBinding.bind(
                        part.column.rawValue, part.schema, .comparison(.equal, comparison.value))
                })
        }
    }

    /// Its conditions on indexes.
    var seeks: [IndexSeek] {
        switch comparisons {
        case .one(let comparison): [IndexSeek(ColumnID(column.number), [.value(comparison.value)])]
        case .several(let comparisons):
            comparisons.enumerated().map { index, comparison in
                IndexSeek(
                    column.parts[index].column, [.value(comparison.value)], hasIndex: false)
            }
        }
    }
}
