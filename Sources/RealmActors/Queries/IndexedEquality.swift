package import Storage

/// That an indexed property equals a value, which the index by itself can answer.
package struct IndexedEquality: Sendable {
    package let column: IndexedColumn
    package let value: StoredValue
    private let name: String

    /// Nil for every other condition, and for a value that the column cannot have.
    init?(_ condition: QueryExpression, _ model: ModelBinding) {
        guard case .comparison(let path, .equal, let value) = condition, path.steps.count == 1,
            path.elements.isEmpty,
            let column = model.indexedColumn(named: path.steps[0]),
            !value.isNull, !value.isNotANumber, column.canHold(value)
        else { return nil }
        self.column = column
        self.value = value
        name = path.steps[0]
    }

    /// The same as it was said.
    var expression: QueryExpression { .comparison(QueryPath(steps: [name]), .equal, value) }

    /// The same for a scan.
    var predicate: RowPredicate {
        LeafBinding.bind(column.number, column.schema, .comparison(.equal, value))
    }
}
