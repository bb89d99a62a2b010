import Storage

extension IndexedEquality {
    /// The column whose index answers a comparison; nil unless it is an equality with a value that
    /// the property can have.
    static func column(
        of comparison: borrowing ValueComparison, _ model: borrowing ModelBinding
    ) -> IndexedColumn? {
        guard comparison.comparison == .equal, let name = comparison.property,
            let kind = comparison.kind, let column = model.indexedColumn(named: name),
            column.canHold(kind)
        else { return nil }
        return column
    }

    /// A conjunction of equalities; nil unless the first properties of an index are those of the
    /// comparisons.
    init?(_ comparisons: ComparisonList, _ model: borrowing ModelBinding) {
        // By position: iterating would copy and retain each index.
        for number in model.compositeIndexes.indices {
            if let ordered = model.compositeIndexes[number].equalities(comparisons) {
                self.init(model.compositeIndexes[number].column, ordered)
                return
            }
        }
        return nil
    }
}
