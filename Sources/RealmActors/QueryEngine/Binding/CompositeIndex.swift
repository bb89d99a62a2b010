import Storage

/// An index of several properties of a model. A class, so that look-ups do not copy it.
final class CompositeIndex: Sendable {
    let column: IndexedColumn
    /// The names of its properties; nil where the class no longer declares one.
    private let names: [String?]

    /// Nil for an index of places, which is searched otherwise.
    init?(_ column: ColumnID, _ schema: ClassSchema, name: (ColumnID) -> String?) {
        self.column = IndexedColumn(column.rawValue, schema.columns[column.rawValue])
        if self.column.parts.isOfPlaces { return nil }
        names = self.column.parts.all.map { name($0.column) }
    }

    /// The comparisons in the order of the index, if they are equalities of its first properties
    /// with values that these can have; otherwise nil.
    func equalities(_ comparisons: ComparisonList) -> ComparisonList? {
        let count = comparisons.count
        if count > names.count { return nil }
        // Usually they are in the order of the index.
        if (0..<count).allSatisfy({ isEquality(comparisons[$0], ofPart: $0) }) {
            return comparisons
        }
        var ordered: ComparisonList?
        for part in 0..<count {
            guard let next = comparisons.first(where: { isEquality($0, ofPart: part) })
            else { return nil }
            ordered = ordered?.appending(next) ?? ComparisonList(next)
        }
        return ordered
    }

    private func isEquality(_ comparison: ValueComparison, ofPart index: Int) -> Bool {
        let part = column.parts[index]
        guard comparison.comparison == .equal, comparison.kind == part.kind, !part.isCollated,
            let property = comparison.property
        else { return false }
        return property == names[index]
    }
}
