import Storage

/// Parses a query string for a class.
///
/// A recursive-descent parser without backtracking: it decides after the closing parenthesis
/// whether the parentheses hold a condition or a value. Its depth is limited.
struct QueryParser {
    let schema: any QuerySchema
    let diagnostics: QueryDiagnostics
    var tokens: [QueryToken]
    var index = 0
    var arguments: QueryArguments
    /// The class whose properties the names refer to, and the variable before them in a subquery;
    /// inner subqueries last.
    var scopes: [Scope]
    /// The present level of nesting.
    var depth = 0

    struct Scope {
        let classID: ClassID
        let variable: String?
        /// The number of collections on the path to its objects.
        var collections = 0
    }

    /// The maximum depth of parentheses, negations and subqueries.
    static let depthMax = 50

    /// The maximum number of properties of one SORT or DISTINCT.
    static let tailMax = 500

    /// The maximum number of collections on the path to a value: each multiplies the number of
    /// values to examine.
    static let collectionsMax = 8

    /// Reads a text.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` with the place of the mistake.
    static func parse(
        _ text: String, _ arguments: QueryArguments, _ schema: any QuerySchema, _ classID: ClassID
    ) throws(RealmError) -> ParsedQuery {
        var parser = QueryParser(
            schema: schema, diagnostics: QueryDiagnostics(text),
            tokens: try QueryLexer.tokens(of: text), arguments: arguments,
            scopes: [Scope(classID: classID, variable: nil)])
        let condition = try parser.condition(try parser.disjunction())
        let stages = try parser.tail()
        guard parser.token.kind == .end else { throw parser.unexpected("the end or AND or OR") }
        if let leftover = parser.arguments.leftover { throw parser.error(leftover) }
        return ParsedQuery(condition: condition, stages: stages)
    }

    private init(
        schema: any QuerySchema, diagnostics: QueryDiagnostics, tokens: [QueryToken],
        arguments: QueryArguments, scopes: [Scope]
    ) {
        self.schema = schema
        self.diagnostics = diagnostics
        self.tokens = tokens
        self.arguments = arguments
        self.scopes = scopes
    }
}

/// A parsed query string.
struct ParsedQuery {
    let condition: QueryExpression
    let stages: [Stage]

    /// The stages after the condition.
    enum Stage {
        case sort([SortDescriptor])
        case rank(search: String, in: [[String]])
        case distinct([[String]])
        case limit(Int)
    }
}

// Words.
extension QueryParser {
    var token: QueryToken { tokens[index] }

    var classID: ClassID { scopes[scopes.count - 1].classID }

    var className: String { schema.store[classID].name }

    mutating func advance() { if index < tokens.count - 1 { index += 1 } }

    mutating func accept(_ symbol: String) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func accept(keyword: String) -> Bool {
        guard token.keyword == keyword else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(RealmError) {
        if !accept(symbol) { throw unexpected("'\(symbol)'") }
    }

    /// The pattern of the text at a position, if it differs from the text.
    func pattern(at position: Int) -> String? {
        // What has been read ends before the present word.
        tokens[..<index].last { $0.position == position }?.pattern
    }

    func error(_ message: String, at position: Int? = nil) -> RealmError {
        diagnostics.error(message, at: position ?? token.position)
    }

    /// Runs `body`, whose key path errors become diagnostics at a position.
    func placing<R>(
        at position: Int, _ body: () throws(RealmError) -> R
    ) throws(RealmError) -> R {
        do throws(RealmError) {
            return try body()
        } catch .invalidKeyPath(let message) {
            throw self.error(message, at: position)
        } catch {
            throw error
        }
    }

    func unexpected(_ wanted: String) -> RealmError {
        error("Expected \(wanted), and found \(token.text).")
    }

    /// Enters a level of nesting, which the caller leaves.
    mutating func descend() throws(RealmError) {
        guard depth < Self.depthMax else {
            throw error("The query nests deeper than \(Self.depthMax) levels.")
        }
        depth += 1
    }
}

// Conditions.
extension QueryParser {
    // Mutating, so that the term is read before the place of a mistake is.
    mutating func condition(_ term: QueryTerm) throws(RealmError) -> QueryExpression {
        if case .condition(let condition) = term.kind { return condition }
        throw error(
            "Expected a comparison such as '==' here: a value alone is not a condition.")
    }

    /// A disjunction, or a single value.
    mutating func disjunction() throws(RealmError) -> QueryTerm {
        let first = try conjunction()
        guard token.keyword == "OR" || token.isSymbol("||") else { return first }
        var parts = [try condition(first)]
        while accept(keyword: "OR") || accept("||") {
            parts.append(try condition(try conjunction()))
        }
        return QueryTerm(kind: .condition(.any(parts)), position: first.position)
    }

    private mutating func conjunction() throws(RealmError) -> QueryTerm {
        let first = try negation()
        guard token.keyword == "AND" || token.isSymbol("&&") else { return first }
        var parts = [try condition(first)]
        while accept(keyword: "AND") || accept("&&") {
            parts.append(try condition(try negation()))
        }
        return QueryTerm(kind: .condition(.all(parts)), position: first.position)
    }

    private mutating func negation() throws(RealmError) -> QueryTerm {
        let position = token.position
        guard accept(keyword: "NOT") || accept("!") else { return try comparison() }
        try descend()
        defer { depth -= 1 }
        let inner = try condition(try negation())
        return QueryTerm(kind: .condition(.not(inner)), position: position)
    }

    private mutating func comparison() throws(RealmError) -> QueryTerm {
        let position = token.position
        let quantifier = try takeQuantifier()
        let left = try sum()
        let place = token.position
        guard let operation = try takeOperator() else {
            if quantifier != nil { throw unexpected("a comparison such as '=='") }
            return left
        }
        let options = try takeOptions(operation)
        let other = try takeRightQuantifier()
        let right = try sum()
        let check = QueryComparisonCheck(
            parser: self, quantifier: quantifier, options: options, place: place)
        let condition = try check.condition(left, operation, right, quantifiedBy: other)
        return QueryTerm(kind: .condition(condition), position: position)
    }

    /// A quantifier after an operator, where no property has its name.
    private mutating func takeRightQuantifier() throws(RealmError) -> QueryQuantifier? {
        guard case .name(let name, quoted: false) = token.kind,
            schema.property(name, of: classID) == nil
        else { return nil }
        return try takeQuantifier()
    }

    private mutating func takeQuantifier() throws(RealmError) -> QueryQuantifier? {
        switch token.keyword {
        case "ANY", "SOME":
            advance()
            return .any
        case "NONE":
            advance()
            return QueryQuantifier.none
        case "ALL":
            throw error(
                "ALL is not supported. Use NONE with the opposite condition, or compare "
                    + "SUBQUERY(...).@count with 0.")
        default: return nil
        }
    }

    private mutating func takeOperator() throws(RealmError) -> QueryTermOperator? {
        var written = token.keyword
        if case .symbol(let symbol) = token.kind { written = symbol }
        if written == "MATCHES" {
            throw error("MATCHES is not supported. Use LIKE, with '?' and '*'.")
        }
        guard let written, let found = QueryTermOperator.all[written] else { return nil }
        advance()
        return found
    }

    /// `[c]`, `[d]` or `[cd]` after an operator.
    private mutating func takeOptions(
        _ operation: QueryTermOperator
    ) throws(RealmError) -> StringOptions {
        let position = token.position
        guard accept("[") else { return [] }
        guard case .name(let letters, _) = token.kind else { throw unexpected("'c' or 'd'") }
        var options: StringOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default: throw error("The options of text comparisons are 'c' and 'd'.")
            }
        }
        advance()
        try expect("]")
        guard operation.takesOptions else {
            throw error("\(operation.text) takes no options.", at: position)
        }
        if operation == .text(.like), options.contains(.diacriticInsensitive) {
            throw error("LIKE takes the option 'c' only.", at: position)
        }
        return options
    }
}
