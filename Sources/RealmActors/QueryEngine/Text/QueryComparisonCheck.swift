import Storage

/// Makes a condition from two terms, if the operator can compare them.
struct QueryComparisonCheck {
    let parser: QueryParser
    let quantifier: QueryQuantifier?
    let options: StringOptions
    /// Where the operator is.
    let place: Int

    func condition(
        _ left: QueryTerm, _ operation: QueryTermOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        for term in [left, right] where term.isCondition {
            throw parser.error("A condition cannot be compared.", at: term.position)
        }
        for term in [left, right] where term.isOfPaths && operation != .fullText {
            throw parser.error("Only TEXT accepts several properties.", at: term.position)
        }
        if left.constant != nil, right.constant != nil {
            throw parser.error(
                "Two constants are compared; one side must be a property.", at: left.position)
        }
        if let condition = try types(left, operation, right) { return condition }
        switch operation {
        case .comparison(let comparison):
            if left.constant != nil {
                return try compare(right, comparison.mirrored, left)
            }
            return try compare(left, comparison, right)
        case .between: return try between(left, right)
        case .isIn: return try member(left, right)
        case .text(let kind): return try text(left, kind, right)
        case .geoWithin: return try geoWithin(left, right)
        case .fullText: return try fullText(left, right)
        }
    }

    private func compare(
        _ left: QueryTerm, _ comparison: QueryComparison, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        guard let constant = right.constant else {
            return try compareOperands(left, comparison, right)
        }
        switch left.kind {
        case .path(let path):
            let target = try target(path, left.position)
            try requireOrder(comparison, target, left.position)
            return try compare(
                path.with(quantifier ?? .unspecified), target, comparison, constant, right.position)
        case .count(let path):
            try refuseQuantifier(left.position)
            let number = try self.number(constant, "A count", right.position)
            if case .int(let count) = number { return .count(path, comparison, count) }
            return .operands(.count(path), comparison, .constant(number))
        case .aggregate(let path, .distinctCount):
            try refuseQuantifier(left.position)
            let number = try self.number(constant, "A count", right.position)
            return .aggregate(path, .distinctCount, comparison, number)
        case .aggregate(let path, let aggregate):
            try refuseQuantifier(left.position)
            let target = try target(path, left.position, isReduced: true)
            let value = try target.aggregated(constant, by: aggregate, at: right.position, parser)
            return .aggregate(path, aggregate, comparison, value)
        case .subquery(let collection, let condition):
            try refuseQuantifier(left.position)
            let number = try self.number(constant, "A count", right.position)
            guard let count = number.numeric?.integer else {
                throw parser.error("A count is compared with an integer.", at: right.position)
            }
            return .subquery(collection, condition, comparison, count)
        case .arithmetic, .datePart:
            let operand = try computed(left)
            let numbers = try numbers([constant], of: left, right.position)
            return .operands(operand, comparison, .constant(numbers[0]))
        case .constant, .paths, .type, .condition: return .constant(false)
        }
    }

    /// A calculation, or a part of a date, that is compared with constants.
    private func computed(_ term: QueryTerm) throws(RealmError) -> QueryOperand {
        if case .datePart(let path, _) = term.kind,
            try parser.bind(path, at: term.position).isSingle
        {
            try refuseQuantifier(term.position)
        }
        return try operand(term, amongDecimals: try isDecimal(term))
    }

    /// The constants that such a term is compared with.
    private func numbers(
        _ constants: [QueryConstant], of term: QueryTerm, _ position: Int
    ) throws(RealmError) -> [StoredValue] {
        var what = "A calculation"
        if case .datePart = term.kind { what = "A part of a date" }
        let isDecimal = try isDecimal(term)
        var numbers: [StoredValue] = []
        for constant in constants {
            numbers.append(
                try number(constant, what, position, allowsNull: true, amongDecimals: isDecimal))
        }
        return numbers
    }

    /// Whether a calculation has decimal numbers, and so gives one.
    private func isDecimal(_ term: QueryTerm) throws(RealmError) -> Bool {
        switch term.kind {
        case .path(let path):
            return try parser.bind(path, at: term.position).valueKind == .decimal
        case .aggregate(let path, let aggregate):
            if aggregate == .average || aggregate == .distinctCount { return false }
            return try parser.bind(path, at: term.position).valueKind == .decimal
        case .arithmetic(let left, _, let right):
            if try isDecimal(left) { return true }
            return try isDecimal(right)
        case .constant(.value(.decimal)): return true
        case .constant, .paths, .count, .subquery, .datePart, .type, .condition: return false
        }
    }

    private func number(
        _ constant: QueryConstant, _ what: String, _ position: Int, allowsNull: Bool = false,
        amongDecimals: Bool = false
    ) throws(RealmError) -> StoredValue {
        if let value = constant.single(amongDecimals: amongDecimals) {
            if value.family == .number { return value }
            if value.isNull, allowsNull { return value }
        }
        throw parser.error("\(what) is compared with a number.", at: position)
    }
}

// Two properties, or calculations.
extension QueryComparisonCheck {
    private func compareOperands(
        _ left: QueryTerm, _ comparison: QueryComparison, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        for term in [left, right] {
            if case .subquery = term.kind {
                throw parser.error(
                    "The count of a subquery is compared with a constant.", at: term.position)
            }
        }
        let (a, b) = (try family(left), try family(right))
        if !options.isEmpty, mayBeTexts(a, b) {
            try refuseOrder(comparison)
            return try texts(left, comparison == .equal ? .equals : .notEquals, right)
        }
        guard a == nil || b == nil || a == b else {
            throw parser.error(
                "The two sides cannot be compared: their types differ.", at: place)
        }
        if a == .link || a == .bool || b == .link || b == .bool, comparison != .equal,
            comparison != .notEqual
        {
            throw parser.error("The two sides are compared by == and != only.", at: place)
        }
        if a == .link || b == .link { try parser.requireOneClass(left, right, at: place) }
        let isPlain = [left, right].allSatisfy { if case .path = $0.kind { true } else { false } }
        if quantifier == nil || isPlain {
            try requireOneCollection(left, right)
        }
        try parser.requireFewCollections(left, right, at: place)
        let x = try operand(left, amongDecimals: try isDecimal(left))
        let y = try operand(right, amongDecimals: try isDecimal(right))
        if case .path(let x) = x, case .path(let y) = y { return .columns(x, comparison, y) }
        return .operands(x, comparison, y)
    }

    /// A quantifier is needed where a path leads through collections, and only there.
    func requireOneCollection(
        _ left: QueryTerm, _ right: QueryTerm
    ) throws(RealmError) {
        var many: Int?
        for term in [left, right] {
            if let path = term.path, try !parser.bind(path, at: term.position).isSingle {
                many = term.position
            }
        }
        if quantifier == nil, let many { throw needsQuantifier(many) }
        if quantifier != nil, many == nil { try refuseQuantifier(left.position) }
    }

    /// The kinds that a term's values order among; nil where they are of any.
    private func family(_ term: QueryTerm) throws(RealmError) -> ValueFamily? {
        switch term.kind {
        case .path(let path):
            return try parser.bind(path, at: term.position).valueKind?.traits.family
        case .aggregate(let path, let aggregate):
            guard aggregate.isOneOfTheValues else { return .number }
            return try parser.bind(path, at: term.position).valueKind?.traits.family
        case .constant, .paths, .count, .subquery, .arithmetic, .datePart, .type, .condition:
            return .number
        }
    }

    /// `amongDecimals`: it is, or is a part of, a calculation with decimal numbers.
    private func operand(
        _ term: QueryTerm, amongDecimals: Bool
    ) throws(RealmError) -> QueryOperand {
        switch term.kind {
        case .constant(.value(let value)): return .constant(value)
        case .constant(.fraction(let exact, let nearest)):
            return .constant(amongDecimals ? .decimal(exact.bits) : .double(nearest))
        case .path(let path): return .path(path.with(quantifier ?? .unspecified))
        case .count(let path): return .count(path)
        case .aggregate(let path, let aggregate): return .aggregate(path, aggregate)
        case .arithmetic(let left, let operation, let right):
            for side in [left, right] {
                if let path = side.path, quantifier == nil,
                    try !parser.bind(path, at: side.position).isSingle
                {
                    throw needsQuantifier(side.position)
                }
            }
            return .arithmetic(
                try operand(left, amongDecimals: amongDecimals), operation,
                try operand(right, amongDecimals: amongDecimals))
        case .datePart(let path, let part):
            if quantifier == nil, try !parser.bind(path, at: term.position).isSingle {
                throw needsQuantifier(term.position)
            }
            return .datePart(.path(path.with(quantifier ?? .unspecified)), part)
        case .constant, .paths, .subquery, .type, .condition:
            throw parser.error("Expected a number.", at: term.position)
        }
    }
}

// The right-hand sides of BETWEEN and IN.
extension QueryComparisonCheck {
    private func between(
        _ left: QueryTerm, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        guard case .list(let bounds)? = right.constant, bounds.count == 2 else {
            throw parser.error("BETWEEN takes two constants: {1, 5}.", at: right.position)
        }
        switch left.kind {
        case .path(let path):
            let target = try target(path, left.position)
            try requireOrder(.less, target, left.position)
            return .between(
                path.with(quantifier ?? .unspecified),
                try target.value(bounds[0], at: right.position, parser),
                try target.value(bounds[1], at: right.position, parser), includesUpper: true)
        case .arithmetic, .datePart:
            let operand = try computed(left)
            let numbers = try numbers(bounds, of: left, right.position)
            return .tested(operand, .between(numbers[0], numbers[1], includesUpper: true))
        case .constant, .paths, .count, .aggregate, .subquery, .type, .condition:
            let terms = bounds.map { QueryTerm(kind: .constant($0), position: right.position) }
            return .and(
                try compare(left, .greaterOrEqual, terms[0]),
                try compare(left, .lessOrEqual, terms[1]))
        }
    }

    private func member(
        _ left: QueryTerm, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        if let constant = left.constant {
            guard let path = try collection(right), quantifier == nil else {
                throw parser.error("IN takes a list or a collection.", at: right.position)
            }
            return try element(of: path, right.position, is: constant, left.position)
        }
        if case .path(let path) = left.kind, quantifier == nil, try collection(right) != nil,
            try parser.bind(path, at: left.position).isSingle
        {
            let elements = QueryComparisonCheck(
                parser: parser, quantifier: .any, options: options, place: place)
            return try elements.compareOperands(right, .equal, left)
        }
        switch right.constant {
        case .list(let values)?: return try member(left, values, right.position)
        case .area?: return try geoWithin(left, right)
        case .value?, .fraction?, .object?, nil:
            throw parser.error("IN takes a list of constants.", at: right.position)
        }
    }

    /// The path of a term that leads through a collection.
    private func collection(_ term: QueryTerm) throws(RealmError) -> QueryPath? {
        guard case .path(let path) = term.kind,
            try !parser.bind(path, at: term.position).isSingle
        else { return nil }
        return path
    }

    private func member(
        _ left: QueryTerm, _ constants: [QueryConstant], _ position: Int
    ) throws(RealmError) -> QueryExpression {
        switch left.kind {
        case .path(let path):
            let target = try target(path, left.position)
            let path = path.with(quantifier ?? .unspecified)
            let isLoose = !options.isEmpty && target.kind.traits.hasTexts
            guard isLoose || target.kind == .link else {
                return try target.member(path, constants, at: position, parser)
            }
            // NONE applies to the disjunction as a whole.
            let positive = path.quantifier == .none ? path.with(.any) : path
            var parts: [QueryExpression] = []
            for constant in constants {
                parts.append(try compare(positive, target, .equal, constant, position))
            }
            let found = QueryExpression.any(parts)
            return path.quantifier == .none ? .not(found) : found
        case .arithmetic, .datePart:
            let operand = try computed(left)
            return .tested(operand, .member(try numbers(constants, of: left, position)))
        case .constant, .paths, .count, .aggregate, .subquery, .type, .condition:
            try refuseQuantifier(left.position)
            var parts: [QueryExpression] = []
            for constant in constants {
                let term = QueryTerm(kind: .constant(constant), position: position)
                parts.append(try compare(left, .equal, term))
            }
            return .any(parts)
        }
    }

    private func geoWithin(
        _ left: QueryTerm, _ right: QueryTerm
    ) throws(RealmError) -> QueryExpression {
        guard case .path(let path) = left.kind, case .area(let area)? = right.constant else {
            throw parser.error("GEOWITHIN takes a property and an area.", at: place)
        }
        let quantified = path.with(quantifier ?? .unspecified)
        let condition = try bound(.geoWithin(quantified, area), left.position)
        _ = try target(path, left.position)
        return condition
    }

    /// The condition, if it can be bound; a mistake in its path is reported at the position of the
    /// path.
    func bound(
        _ expression: QueryExpression, _ position: Int
    ) throws(RealmError) -> QueryExpression {
        let binding = PredicateBinding(schema: parser.schema, classID: parser.classID)
        _ = try parser.placing(at: position) { () throws(RealmError) in
            try binding.bind(expression)
        }
        return expression
    }
}

// The comparisons that a path allows.
extension QueryComparisonCheck {
    /// The target of a path; `isReduced` if collections on it need no quantifier.
    func target(
        _ path: QueryPath, _ position: Int, isReduced: Bool = false
    ) throws(RealmError) -> QueryTarget {
        let bound = try parser.bind(path, at: position)
        if !isReduced {
            if quantifier == nil, !bound.isSingle { throw needsQuantifier(position) }
            if quantifier != nil, bound.isSingle { try refuseQuantifier(position) }
        }
        return QueryTarget(path, bound, parser)
    }

    private func needsQuantifier(_ position: Int) -> RealmError {
        parser.error(
            "This path leads through a collection, so that it has many values. Begin with ANY or "
                + "NONE, or use SUBQUERY.", at: position)
    }

    func refuseQuantifier(_ position: Int) throws(RealmError) {
        if quantifier != nil {
            throw parser.error(
                "ANY and NONE require a path through a collection; this path leads through none.",
                at: position)
        }
    }

    /// Booleans, objects and identifiers have no order.
    private func requireOrder(
        _ comparison: QueryComparison, _ target: QueryTarget, _ position: Int
    ) throws(RealmError) {
        if comparison.isOfOrder, !target.kind.traits.hasOrder {
            throw parser.error(
                "\(target.name) is \(target.kindName), which only == and != compare.",
                at: position)
        }
    }
}
