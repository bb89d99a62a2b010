import Foundation
import Storage

// Values: constants, arguments, paths, and calculations with them.
extension QueryParser {
    /// Terms that are added up; a single one may be a condition in parentheses.
    ///
    /// Products are read here as well: the fewer functions call each other for every level of
    /// parentheses, the less stack a deep query takes.
    mutating func sum() throws(RealmError) -> QueryTerm {
        var total = try product(from: try signed())
        while token.isSymbol("+") || token.isSymbol("-") {
            let operation: ArithmeticOperator = token.isSymbol("+") ? .add : .subtract
            advance()
            total = try calculate(total, operation, try product(from: try signed()))
        }
        return total
    }

    /// The product that begins with a factor.
    private mutating func product(from first: QueryTerm) throws(RealmError) -> QueryTerm {
        var product = first
        while let operation = factorOperator {
            advance()
            product = try calculate(product, operation, try signed())
        }
        return product
    }

    private var factorOperator: ArithmeticOperator? {
        if token.isSymbol("*") { return .multiply }
        if token.isSymbol("/") { return .divide }
        return token.isSymbol("%") ? .remainder : nil
    }

    // Mutating, so that both terms are read before the place of a mistake is.
    mutating func calculate(
        _ left: QueryTerm, _ operation: ArithmeticOperator, _ right: QueryTerm
    ) throws(RealmError) -> QueryTerm {
        try requireNumber(left)
        try requireNumber(right)
        if operation == .remainder {
            try requireInteger(left)
            try requireInteger(right)
        }
        if let a = left.constant, let b = right.constant, let result = a.calculated(operation, b) {
            return QueryTerm(kind: .constant(result), position: left.position)
        }
        guard left.termCount + right.termCount <= QueryOperand.termsMax else {
            throw error(QueryOperand.refusalOfTerms, at: right.position)
        }
        try requireFewCollections(left, right, at: right.position)
        return QueryTerm(kind: .arithmetic(left, operation, right), position: left.position)
    }

    /// Refuses what would be computed for every combination of the elements of many collections.
    func requireFewCollections(
        _ left: QueryTerm, _ right: QueryTerm, at position: Int
    ) throws(RealmError) {
        let count = try collectionCount(left) + collectionCount(right)
        if count > ValueOperand.collectionsMax {
            throw error(ValueOperand.refusal(ofCollections: count), at: position)
        }
    }

    /// The number of paths of a term that lead through collections.
    func collectionCount(_ term: QueryTerm) throws(RealmError) -> Int {
        switch term.kind {
        case .path(let path), .datePart(let path, _), .type(let path):
            try bind(path, at: term.position).isSingle ? 0 : 1
        case .arithmetic(let left, _, let right):
            try collectionCount(left) + collectionCount(right)
        case .constant, .paths, .count, .aggregate, .subquery, .condition: 0
        }
    }

    private mutating func signed() throws(RealmError) -> QueryTerm {
        let position = token.position
        // Not left to `primary`, which needs far more stack than this.
        if accept("(") {
            try descend()
            defer { depth -= 1 }
            let inner = try disjunction()
            try expect(")")
            return inner
        }
        guard accept("-") else {
            guard accept("+") else { return try primary() }
            try descend()
            defer { depth -= 1 }
            return try signed()
        }
        // The least integer has no positive counterpart.
        if case .wide(let value) = token.kind, value == Decimal128(Int64.min.magnitude) {
            advance()
            return QueryTerm(kind: .constant(.value(.int(.min))), position: position)
        }
        try descend()
        defer { depth -= 1 }
        let zero = QueryTerm(kind: .constant(.value(.int(0))), position: position)
        return try calculate(zero, .subtract, try signed())
    }

    private mutating func primary() throws(RealmError) -> QueryTerm {
        let position = token.position
        func constant(_ value: StoredValue) -> QueryTerm {
            QueryTerm(kind: .constant(.value(value)), position: position)
        }
        switch token.kind {
        case .integer(let value):
            advance()
            return constant(.int(value))
        case .real(let value, let exact):
            advance()
            guard let exact else { return constant(.double(value)) }
            return QueryTerm(kind: .constant(.fraction(exact, value)), position: position)
        case .wide(let value):
            advance()
            return constant(.decimal(value.bits))
        case .value(let value):
            advance()
            return constant(value)
        case .text(let text):
            advance()
            return constant(.string(text))
        case .symbol("{"): return QueryTerm(kind: try list(), position: position)
        case .placeholder, .variable: return try argument()
        case .name: break
        case .operation where token.isLinks: return try path()
        case .symbol, .operation, .end: throw unexpected("a property or a value")
        }
        switch token.keyword {
        case "TRUEPREDICATE", "FALSEPREDICATE":
            let value = token.keyword == "TRUEPREDICATE"
            advance()
            return QueryTerm(kind: .condition(.constant(value)), position: position)
        case "TRUE", "YES":
            advance()
            return constant(.bool(true))
        case "FALSE", "NO":
            advance()
            return constant(.bool(false))
        case "NULL", "NIL":
            advance()
            return constant(.null)
        case "SUBQUERY": return try subquery()
        default:
            if let number = namedNumber {
                advance()
                return constant(.double(number))
            }
            if let area = try area() { return area }
            if let bytes = try bytes() { return bytes }
            return try path()
        }
    }

    /// `binary('Rex')` or `bin('Rex')`, the bytes of a text, or of bytes in Base64; nil where
    /// neither begins. Not inlined, so that the recursion of other terms takes no stack for it.
    @inline(never)
    private mutating func bytes() throws(RealmError) -> QueryTerm? {
        guard token.keyword == "BINARY" || token.keyword == "BIN", tokens[index + 1].isSymbol("(")
        else { return nil }
        let position = token.position
        advance()
        advance()
        let bytes: Data
        if case .text(let text) = token.kind {
            bytes = Data(text.utf8)
        } else if case .value(.data(let given)) = token.kind {
            bytes = given
        } else {
            throw unexpected("a text, or bytes in Base64")
        }
        advance()
        try expect(")")
        return QueryTerm(kind: .constant(.value(.data(bytes))), position: position)
    }

    /// `INFINITY` and `NAN`, where no property of the class has that name.
    private var namedNumber: Double? {
        guard case .name(let name, quoted: false) = token.kind,
            schema.property(name, of: classID) == nil
        else { return nil }
        return switch token.keyword {
        case "INFINITY", "INF": .infinity
        case "NAN": .nan
        default: nil
        }
    }

    /// `{1, 2, 3}`, or the properties that a search is in: `{title, text}`.
    private mutating func list() throws(RealmError) -> QueryTerm.Kind {
        try descend()
        defer { depth -= 1 }
        try expect("{")
        var elements: [QueryConstant] = []
        var paths: [QueryPath] = []
        if accept("}") { return .constant(.list([])) }
        repeat {
            let term = try sum()
            if case .path(let path) = term.kind, elements.isEmpty {
                paths.append(path)
            } else if let element = term.constant, paths.isEmpty {
                elements.append(element)
            } else {
                throw error(
                    "A list contains constants only, or the properties of a TEXT search.",
                    at: term.position)
            }
        } while accept(",")
        try expect("}")
        return paths.isEmpty ? .constant(.list(elements)) : .paths(paths)
    }

    /// A value that the program passes, or a path that begins with a placeholder or with the
    /// variable of a subquery.
    private mutating func argument() throws(RealmError) -> QueryTerm {
        let position = token.position
        if case .variable(let name) = token.kind,
            scopes.contains(where: { $0.variable == name })
        {
            return try path()
        }
        if isGivenPath { return try path() }
        let any = try takeArgument()
        do {
            return QueryTerm(kind: .constant(try arguments.constant(any)), position: position)
        } catch {
            throw self.error("The argument is \(error.text).", at: position)
        }
    }

    /// The argument that the present word represents.
    mutating func takeArgument() throws(RealmError) -> Any? {
        let token = token
        do {
            defer { advance() }
            switch token.kind {
            case .variable(let name): return try arguments.argument(named: name)
            case .placeholder(let letters):
                let argument = try arguments.next()
                try Self.check(argument, letters)
                return argument
            case .name, .integer, .real, .wide, .value, .text, .operation, .symbol, .end:
                return nil
            }
        } catch {
            throw self.error("The argument for \(token.text) is \(error.text).", at: token.position)
        }
    }

    /// An argument that is an integer, of whichever type.
    static func integer(_ argument: Any?) -> Int? {
        guard let given = argument.flatMap({ unwrapped($0) }),
            case .integer(let value)? = GivenNumber(given)
        else { return nil }
        return Int(exactly: value)
    }

    /// `%d` and `%f` take numbers, `%s` a text.
    private static func check(
        _ argument: Any?, _ letters: String
    ) throws(QueryArgumentProblem) {
        guard let last = letters.last, last != "@", last != "K" else { return }
        let given = argument.flatMap { unwrapped($0) }
        if last == "s" {
            guard given is String || given is Substring || given is NSString else {
                throw QueryArgumentProblem("no text")
            }
        } else if given.flatMap({ GivenNumber($0) }) == nil {
            throw QueryArgumentProblem("no number; %@ takes values of every type")
        }
    }

    /// `SUBQUERY(dogs, $dog, $dog.age > 3).@count`.
    private mutating func subquery() throws(RealmError) -> QueryTerm {
        let position = token.position
        advance()
        try descend()
        defer { depth -= 1 }
        try expect("(")
        let place = token.position
        guard case .path(let collection) = try path().kind else {
            throw error("A subquery takes a collection of objects.", at: place)
        }
        try expect(",")
        guard case .variable(let variable) = token.kind else {
            throw unexpected("a variable such as '$x'")
        }
        advance()
        try expect(",")
        let scope = try elements(of: collection, as: variable, at: place)
        scopes.append(scope)
        let inner = try condition(try disjunction())
        scopes.removeLast()
        try expect(")")
        try expect(".")
        guard
            token.kind == .operation("count") || token.kind == .operation("size")
        else { throw unexpected("'@count', all that a subquery has") }
        advance()
        return QueryTerm(kind: .subquery(collection, inner), position: position)
    }
}
