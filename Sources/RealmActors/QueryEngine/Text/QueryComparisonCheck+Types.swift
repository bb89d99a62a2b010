import Storage

// The types of what properties of any type hold: `extra.@type == 'string'`.
extension QueryComparisonCheck {
    /// Nil where neither term is a type.
    func types(
        _ left: QueryTerm, _ operation: QueryTermOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression? {
        let (term, other) = left.isType ? (left, right) : (right, left)
        guard case .type(let path) = term.kind else { return nil }
        var names: [QueryConstant] = []
        switch operation {
        case .comparison(.equal), .comparison(.notEqual):
            if let name = other.constant, options.isEmpty { names = [name] }
        case .isIn:
            if case .list(let list)? = other.constant, left.isType, options.isEmpty { names = list }
        case .comparison, .text, .between, .geoWithin, .fullText: break
        }
        guard !names.isEmpty else {
            throw parser.error(
                "A type is compared by == or != with its name, or IN a list of names.", at: place)
        }
        var types = ValueTypeSet()
        for name in names {
            guard case .value(.string(let text)) = name, let found = ValueTypeSet(named: text)
            else {
                throw parser.error(
                    "Unknown type. The types are 'null', 'bool', 'int', 'float', 'double', "
                        + "'decimal', 'numeric', 'string', 'data', 'date', 'objectid', 'uuid', "
                        + "'objectlink', 'list', 'dictionary' and 'collection'.",
                    at: other.position)
            }
            types.formUnion(found)
        }
        _ = try target(path, term.position)
        if operation == .comparison(.notEqual) { types = types.inverted }
        return .tested(.path(path.with(quantifier ?? .unspecified)), .types(types))
    }
}
