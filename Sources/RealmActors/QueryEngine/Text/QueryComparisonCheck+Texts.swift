import Storage

// The text operators: CONTAINS, BEGINSWITH, ENDSWITH, LIKE, and == with options.
extension QueryComparisonCheck {
    func text(
        _ left: QueryTerm, _ kind: TextOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        let name = kind.symbol
        guard case .path(let path) = left.kind, let constant = right.constant else {
            return try texts(left, kind, right)
        }
        let bound = try parser.bind(path, at: left.position)
        if kind == .contains, quantifier == nil, !bound.isSingle {
            return try element(of: path, left.position, is: constant, right.position)
        }
        let target = try target(path, left.position)
        let quantified = path.with(quantifier ?? .unspecified)
        if case .value(let given) = constant, target.kind.traits.hasTexts {
            let value = target.spelled(given)
            if value.isNull { return .text(quantified, kind, nil, options) }
            if case .string(let text) = value, target.kind != .data {
                let pattern = kind.takesPattern ? parser.pattern(at: right.position) : nil
                return .text(quantified, kind, pattern ?? text, options)
            }
            if case .data(let bytes) = value, target.kind != .string {
                try refusePattern(kind)
                return .bytes(quantified, kind, bytes, options)
            }
        }
        throw parser.error(
            "\(name) compares texts; \(target.name) is \(target.kindName), and "
                + "\(constant.text) was given.", at: right.position)
    }

    /// A property and a constant. Options make texts equal that differ only in what they name, and
    /// do not apply to other values.
    func compare(
        _ path: QueryPath, _ target: QueryTarget, _ comparison: QueryComparison,
        _ constant: QueryConstant, _ position: Int
    ) throws(RealmError) -> QueryExpression {
        if !options.isEmpty, target.kind.traits.hasTexts, case .value(let given) = constant {
            let value = target.spelled(given)
            let kind: TextOperator = comparison == .notEqual ? .notEquals : .equals
            if case .string(let text) = value, target.kind != .data {
                try refuseOrder(comparison)
                return .text(path, kind, text, options)
            }
            if case .data(let bytes) = value, target.kind != .string {
                try refuseOrder(comparison)
                return .bytes(path, kind, bytes, options)
            }
        }
        return try target.compare(path, comparison, constant, at: position, parser)
    }

    /// One of the elements of a collection is a constant.
    func element(
        of path: QueryPath, _ place: Int, is constant: QueryConstant, _ position: Int
    ) throws(RealmError) -> QueryExpression {
        let target = try target(path, place, isReduced: true)
        return try compare(path.with(.any), target, .equal, constant, position)
    }

    /// Whether options may apply to the equality of values of these families.
    func mayBeTexts(_ a: ValueFamily?, _ b: ValueFamily?) -> Bool {
        a == nil && b == nil || [a, b].contains { $0 == .string || $0 == .data }
    }

    /// Options apply to the equality of texts, and not to their order.
    func refuseOrder(_ comparison: QueryComparison) throws(RealmError) {
        if comparison.isOfOrder {
            throw parser.error(
                "The comparisons <, <=, > and >= of texts take no options.", at: place)
        }
    }

    /// A search in the words of a text, or of several.
    func fullText(
        _ left: QueryTerm, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        var paths: [QueryPath] = []
        if case .path(let path) = left.kind { paths = [path] }
        if case .paths(let several) = left.kind { paths = several }
        guard !paths.isEmpty, case .value(.string(let text))? = right.constant else {
            throw parser.error(
                "TEXT takes a property to the left, or several as in {title, text}, and a text to "
                    + "the right.", at: place)
        }
        for path in paths { _ = try target(path, left.position) }
        let quantified = paths.map { $0.with(quantifier ?? .unspecified) }
        return try bound(.search(text, in: quantified), left.position)
    }

    /// Two properties.
    func texts(
        _ left: QueryTerm, _ kind: TextOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        let name = kind.symbol
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
            guard target.kind.traits.hasTexts else {
                throw parser.error(
                    "\(name) compares texts, and \(target.name) is \(target.kindName).",
                    at: term.position)
            }
            if target.kind == .data { try refusePattern(kind) }
        }
        let families = kinds.compactMap(\.kind.traits.family)
        guard families.count < 2 || families[0] == families[1] else {
            throw parser.error(
                "The two sides cannot be compared: their types differ.", at: place)
        }
        return .texts(a.with(quantifier ?? .unspecified), kind, b, options)
    }

    private func refusePattern(_ kind: TextOperator) throws(RealmError) {
        if kind.takesPattern {
            throw parser.error("LIKE applies to texts only, not to data.", at: place)
        }
    }
}
