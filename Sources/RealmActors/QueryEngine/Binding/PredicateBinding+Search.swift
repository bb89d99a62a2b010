import Storage

// Full-text searches, in one property or in several of one object.
extension PredicateBinding {
    func bind(
        _ path: QueryPath, alsoIn others: [String], search text: String
    ) throws(RealmError) -> RowPredicate {
        let bound = try searched(path)
        let search = try TextSearch.required(text)
        guard !others.isEmpty else { return bind(bound.path, path.quantifier, .search(search)) }
        var columns = [bound.column]
        for name in others { columns.append(try searched(path.replacingLast(with: name)).column) }
        let texts = SearchedTexts(columns, schema.store[bound.path.owner(classID)])
        let scan = RowPredicate.leaf(.search(SearchScan(search, in: texts)))
        return bind(scan, behind: bound.path, path.quantifier)
    }

    /// A property that can be searched, and the class that has it.
    private func searched(
        _ path: QueryPath
    ) throws(RealmError) -> (path: ValuePath, column: ColumnID) {
        let bound = try schema.bind(path, in: classID)
        guard case .value(let column, let schema) = bound.end, schema.isFullText else {
            throw .invalidKeyPath(
                "A search (TEXT) needs a full-text index, which '\(path.text)' does not have. "
                    + "Declare the property with @Persisted(indexed: .fullText).")
        }
        return (bound, ColumnID(column))
    }
}

extension ValuePath {
    /// The class of the rows at the end of its steps.
    func owner(_ classID: ClassID) -> ClassID {
        switch steps.last {
        case .link(let hop)?: hop.target
        case .rows(let rows)?: rows.target
        case .entry(_, let target)?: target
        case nil: classID
        }
    }
}

extension TextSearch {
    /// The search for a search string.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` without any word.
    static func required(_ text: String) throws(RealmError) -> TextSearch {
        guard let search = TextSearch(text) else {
            throw .invalidQuery(
                message: "A full-text search needs at least one word.", position: nil)
        }
        return search
    }
}
