package import Storage

/// That an indexed property equals a value, which the index by itself can answer.
package struct IndexedEquality: Sendable {
    package let column: IndexedColumn
    private let comparison: ValueComparison

    /// Nil for every other comparison, and for a value that the property cannot have.
    init?(_ comparison: borrowing ValueComparison, _ model: borrowing ModelBinding) {
        guard comparison.comparison == .equal, let name = comparison.property,
            let kind = comparison.kind, let column = model.indexedColumn(named: name),
            column.canHold(kind)
        else { return nil }
        self.column = column
        self.comparison = copy comparison
    }

    package var value: StoredValue { comparison.value }

    /// The same as it was said.
    var expression: QueryExpression { comparison.expression }

    /// The same for a scan.
    var predicate: RowPredicate {
        LeafBinding.bind(column.number, column.schema, .comparison(.equal, value))
    }
}
