import Storage

extension QuerySchema {
    /// The order by a search in properties of the rows of a class, or of the one object that to-one
    /// links lead to from each.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for properties of different objects and such
    ///   without a full-text index, ``RealmError/invalidQuery(message:position:)`` for a search
    ///   without a word.
    func relevance(
        to text: String, in paths: [[String]], of classID: ClassID
    ) throws(RealmError) -> Relevance {
        var (found, columns) = ([ValuePath](), [ColumnID]())
        for path in paths {
            let bound = try bindSingle(path, in: classID)
            let name = path.joined(separator: ".")
            guard case .value(let column, let schema) = bound.end, schema.isFullText else {
                throw .invalidKeyPath(
                    "A sort by relevance needs a full-text index, which '\(name)' of class "
                        + "'\(store[classID].name)' does not have. Declare the property with "
                        + "@Persisted(indexed: .fullText).")
            }
            if let first = found.first, first.steps != bound.steps {
                throw .invalidKeyPath(
                    "A sort by relevance takes properties of one object, and '\(name)' is of "
                        + "another object than '\(paths[0].joined(separator: "."))'. Sort by the "
                        + "relevance of each: first by the one that decides between ties.")
            }
            if found.contains(bound) { continue }
            found.append(bound)
            columns.append(ColumnID(column))
        }
        guard let owner = found.first?.owner(classID) else {
            throw .invalidQuery(message: "A search needs at least one property.", position: nil)
        }
        return Relevance(
            search: try .required(text), texts: SearchedTexts(columns, store[owner]), text: text,
            paths: found, classID: owner)
    }
}
