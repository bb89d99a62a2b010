import Storage

// The text operators: CONTAINS, BEGINSWITH, ENDSWITH, LIKE, and == with options.
extension QueryComparisonCheck {
    func text(
        _ left: QueryTerm, _ kind: TextOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        let name = QueryTermOperator.text(kind).text
        guard case .path(let path) = left.kind, let constant = right.constant else {
            return try texts(left, kind, right)
        }
        let bound = try parser.bind(path, at: left.position)
        if kind == .contains, quantifier == nil, !bound.isSingle {
            guard options.isEmpty else {
                throw parser.error("Options are for comparisons of texts.", at: place)
            }
            let target = try target(path, left.position, isReduced: true)
            return try target.compare(
                path.with(.any), .equal, constant, at: right.position, parser)
        }
        let target = try target(path, left.position)
        let quantified = path.with(quantifier ?? .unspecified)
        switch (target.kind, constant) {
        case (.string, .value(.string(let text))), (.mixed, .value(.string(let text))):
            let pattern = kind == .like ? parser.pattern(at: right.position) : nil
            return .text(quantified, kind, pattern ?? text, options)
        case (.string, .value(.null)), (.mixed, .value(.null)), (.data, .value(.null)):
            return .text(quantified, kind, nil, options)
        case (.data, .value(.data(let bytes))), (.mixed, .value(.data(let bytes))):
            try refusePattern(kind)
            return .bytes(quantified, kind, bytes, options)
        default:
            throw parser.error(
                "\(name) compares texts; \(target.name) is \(target.kindName), and "
                    + "\(constant.text) was given.", at: right.position)
        }
    }

    /// Two properties.
    func texts(
        _ left: QueryTerm, _ kind: TextOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        let name = QueryTermOperator.text(kind).text
        guard case .path(let a) = left.kind, case .path(let b) = right.kind else {
            throw parser.error(
                "\(name) takes a property to the left, and a property or a constant to the right.",
                at: place)
        }
        try requireOneCollection(left, right)
        let kinds = [
            try target(a, left.position, isReduced: true),
            try target(b, right.position, isReduced: true),
        ]
        for (target, term) in zip(kinds, [left, right]) {
            switch target.kind {
            case .string, .mixed: break
            case .data: try refusePattern(kind)
            default:
                throw parser.error(
                    "\(name) compares texts, and \(target.name) is \(target.kindName).",
                    at: term.position)
            }
        }
        let families = kinds.compactMap(\.kind.family)
        guard families.count < 2 || families[0] == families[1] else {
            throw parser.error(
                "These two cannot be compared: they are of different types.", at: place)
        }
        return .texts(a.with(quantifier ?? .unspecified), kind, b, options)
    }

    private func refusePattern(_ kind: TextOperator) throws(RealmError) {
        if kind == .like { throw parser.error("Bytes have no patterns.", at: place) }
    }
}
