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

    /// The column whose index answers a comparison; nil when it says anything else than that a
    /// property equals a value that it can have.
    static func column(
        of comparison: borrowing ValueComparison, _ model: borrowing ModelBinding
    ) -> IndexedColumn? {
        guard comparison.comparison == .equal, let name = comparison.property,
            let kind = comparison.kind, let column = model.indexedColumn(named: name),
            column.canHold(kind)
        else { return nil }
        return column
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
