package import Storage

/// That an indexed property equals a value, which the index by itself can answer.
package struct IndexedEquality: Sendable {
    package let column: IndexedColumn
    private let comparison: ValueComparison

    /// The property of a comparison that the index of `column` answers.
    init(_ column: IndexedColumn, _ comparison: consuming ValueComparison) {
        self.column = column
        self.comparison = comparison
    }

    package var value: StoredValue { comparison.value }

    /// The first row that the index finds.
    func first(in root: ClassRoot) -> RowHold? { root.first(column, equalTo: value) }

    /// The same as it was said.
    var expression: QueryExpression { comparison.expression }

    /// The same for a scan.
    var predicate: RowPredicate {
        LeafBinding.bind(column.number, column.schema, .comparison(.equal, value))
    }
}
