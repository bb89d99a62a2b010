package import Storage

extension QuerySchema {
    /// Binds a path that starts at a row of `classID`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have, and for
    ///   a part of what has none.
    package func bind(_ path: QueryPath, in classID: ClassID) throws(RealmError) -> ValuePath {
        guard let first = path.elements.first else { return try bind(path.steps, in: classID) }
        let depth = first.depth
        let head = try bind(Array(path.steps.prefix(depth)), in: classID)
        let parts = path.elements.prefix { $0.depth == depth }.map(\.part)
        var steps = head.steps
        let nested: NestedColumn
        switch head.end {
        case .value(let column, let schema) where schema.kind == .mixed,
            .elements(let column, let schema):
            nested = NestedColumn(column: column, schema: schema, parts: parts)
        case .rows:
            guard case .rows(.elements(let column, let schema, let target))? = steps.popLast()
            else { throw noParts(path, depth, classID) }
            nested = NestedColumn(column: column, schema: schema, parts: parts)
            if depth < path.steps.count, parts.count == 1, nested.isSingle {
                let tail = try bind(path.dropping(depth, elements: parts.count), in: target)
                return ValuePath(
                    steps: steps + [.entry(nested, target: target)] + tail.steps, end: tail.end)
            }
        case .value, .nested: throw noParts(path, depth, classID)
        }
        if schemaHasNo(nested) { throw noParts(path, depth, classID) }
        guard depth == path.steps.count else {
            throw .invalidKeyPath(
                "'\(path.text)' of class '\(store[classID].name)' continues past a part that is "
                    + "not a to-one link.")
        }
        return ValuePath(steps: steps, end: .nested(nested))
    }

    /// Whether the column's collection is known to have no such parts.
    private func schemaHasNo(_ nested: NestedColumn) -> Bool {
        let part = nested.parts[0]
        let isPossible: Bool
        switch nested.schema.container {
        case .none: return false
        case .list: isPossible = part == .all || part.isPosition
        case .set: isPossible = part == .all
        case .map: isPossible = !part.isPosition
        }
        return !isPossible || nested.parts.count > 1 && nested.schema.kind != .mixed
    }

    private func noParts(_ path: QueryPath, _ depth: Int, _ classID: ClassID) -> RealmError {
        let name = path.steps.prefix(depth).joined(separator: ".")
        return .invalidKeyPath(
            "'\(path.text)': '\(name)' of class '\(store[classID].name)' has no such part. Keys "
                + "are of maps, positions of lists, and both of values of any type.")
    }
}

extension QueryPath {
    /// The path without its first steps, and the elements taken of what these lead to.
    fileprivate func dropping(_ count: Int, elements taken: Int) -> QueryPath {
        var path = self
        path.elements.removeFirst(taken)
        return path.dropping(count)
    }
}
