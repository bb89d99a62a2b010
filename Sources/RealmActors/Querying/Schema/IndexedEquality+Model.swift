import Storage

extension IndexedEquality {
    /// The column whose index answers a comparison; nil for any other condition than that a
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

    /// The conjunction of comparisons, where they are equalities and an index has their properties
    /// as its first ones; nil when there is none.
    init?(_ comparisons: ComparisonList, _ model: borrowing ModelBinding) {
        // By number: each would be copied, with a count.
        for number in model.compositeIndexes.indices {
            if let ordered = model.compositeIndexes[number].equalities(comparisons) {
                self.init(model.compositeIndexes[number].column, ordered)
                return
            }
        }
        return nil
    }
}
