import Foundation
import Storage

// Paths: names, parts of collections, and their aggregates.
extension QueryParser {
    /// `owner.dogs.@max.age`, `notes["key"]`, `$x.name`.
    mutating func path() throws(RealmError) -> QueryTerm {
        let position = token.position
        var path = QueryPath(steps: [])
        let variable = scopes[scopes.count - 1].variable
        if case .variable(let name) = token.kind, !isGivenPath {
            guard name == variable else {
                throw error(
                    "'$\(name)' belongs to an outer subquery; conditions are on the variable of "
                        + "the innermost one.")
            }
            advance()
        } else {
            if variable != nil, token.keyword != nil || isGivenPath {
                throw error(
                    "Within a subquery, paths begin with its variable: '$\(variable ?? "x").'.")
            }
            try spliceKeyPath()
            if variable == nil, token.isLinks {
                advance()
                if let count = try linkCount(of: path, at: position) { return count }
                path.steps.append(try inverse())
            } else {
                guard case .name(let name, _) = token.kind else { throw unexpected("a property") }
                let isSelf = token.keyword == "SELF"
                advance()
                if !isSelf { path.steps.append(name) }
            }
        }
        return try continuation(of: path, from: position)
    }

    /// `@links.Person.dogs`, after the first word: the people whose dogs an object is one of.
    private mutating func inverse() throws(RealmError) -> String {
        var step = "@links"
        for wanted in ["the class that links here", "the property that links here"] {
            try expect(".")
            guard case .name(let name, _) = token.kind else { throw unexpected(wanted) }
            advance()
            step += ".\(name)"
        }
        return step
    }

    /// The rest of a path after its first name.
    private mutating func continuation(
        of start: QueryPath, from position: Int
    ) throws(RealmError) -> QueryTerm {
        var path = start
        while true {
            if accept("[") {
                if let (date, unit) = dated(path, at: position) {
                    let part = DatePart(unit, in: try timeZone())
                    try expect("]")
                    return QueryTerm(kind: .datePart(date, part), position: position)
                }
                if accept(keyword: "SIZE") {
                    try expect("]")
                    return try counted(path, at: position)
                }
                path = try bracketed(path, at: position)
                try requireShort(path)
                continue
            }
            guard accept(".") else { break }
            try spliceKeyPath()
            switch token.kind {
            case .name(let name, _):
                advance()
                path.steps.append(name)
            case .operation(let name):
                let place = token.position
                advance()
                switch name.lowercased() {
                case "count", "size": return try counted(path, at: position)
                case "allkeys", "keys": path = path.taking(.keys)
                case "allvalues", "values": path = try values(of: path, name, at: position)
                case "links":
                    if let count = try linkCount(of: path, at: position) { return count }
                    path.steps.append(try inverse())
                case "type": return try held(path, at: position)
                default:
                    let symbol = "@\(name.lowercased())"
                    guard
                        let aggregate = CollectionAggregate.allCases.first(
                            where: { $0.symbol.lowercased() == symbol })
                    else {
                        throw error(
                            "Unknown operator '@\(name)'. The operators are @count, "
                                + "@distinctCount, @min, @max, @sum, @avg, @allKeys, @allValues, "
                                + "@links and @type.", at: place)
                    }
                    return try aggregated(path, aggregate, at: position)
                }
            case .integer, .real, .wide, .value, .text, .variable, .placeholder, .symbol, .end:
                throw unexpected("a property")
            }
            try requireShort(path)
        }
        if let (date, unit) = dated(path, at: position) {
            return QueryTerm(kind: .datePart(date, DatePart(unit, in: nil)), position: position)
        }
        _ = try bind(path, at: position)
        return QueryTerm(kind: .path(path), position: position)
    }

    /// The path to the part that is named in brackets. What follows every object of a collection is
    /// what follows the collection.
    private mutating func bracketed(
        _ path: QueryPath, at position: Int
    ) throws(RealmError) -> QueryPath {
        let taken = try part()
        try expect("]")
        if taken == .all, token.isSymbol(".") {
            let bound = try bind(path, at: position)
            if case .rows = bound.end, case .rows(.elements)? = bound.steps.last { return path }
        }
        return path.taking(taken)
    }

    private func requireShort(_ path: QueryPath) throws(RealmError) {
        if max(path.steps.count, path.elements.count) > Self.depthMax {
            throw error("The path is too long.")
        }
    }

    /// `pets.@allValues`: the values of a map, or of a collection that a value of any type holds.
    private func values(
        of path: QueryPath, _ name: String, at position: Int
    ) throws(RealmError) -> QueryPath {
        // A collection with values has keys.
        guard (try? bind(path.taking(.keys), at: position)) != nil else {
            throw error("@\(name) requires a map, and '\(path.text)' is not one.", at: position)
        }
        switch try bind(path, at: position).end {
        case .value, .nested: return path.taking(.all)
        case .elements, .rows: return path
        }
    }

    /// `created.year`: dates have no properties, so that the name can mean nothing else there.
    private func dated(
        _ path: QueryPath, at position: Int
    ) -> (date: QueryPath, unit: DatePart.Unit)? {
        guard path.elements.isEmpty, path.steps.count > 1,
            let unit = path.steps.last.flatMap({ DatePart.Unit(rawValue: $0) })
        else { return nil }
        let date = QueryPath(steps: path.steps.dropLast())
        guard let bound = try? bind(date, at: position), bound.valueKind == .date else {
            return nil
        }
        return (date, unit)
    }

    /// What is in brackets after a part of a date: the name of a time zone, or an argument that is
    /// one or has the name of one.
    private mutating func timeZone() throws(RealmError) -> TimeZone {
        let position = token.position
        let given: Any?
        switch token.kind {
        case .text(let name):
            advance()
            given = name
        case .placeholder, .variable: given = try takeArgument()
        case .name, .integer, .real, .wide, .value, .operation, .symbol, .end:
            throw unexpected("a time zone such as 'Europe/Berlin'")
        }
        if let zone = given as? TimeZone { return zone }
        guard let zone = (given as? String).flatMap({ TimeZone(identifier: $0) }) else {
            throw error(
                "Unknown time zone. Give a name such as 'Europe/Berlin', or a TimeZone as an "
                    + "argument.", at: position)
        }
        return zone
    }

    /// The part in brackets after a collection.
    private mutating func part() throws(RealmError) -> QueryElement.Part {
        let token = token
        switch token.kind {
        case .text(let key):
            advance()
            return .key(key)
        case .integer(let value):
            advance()
            return .index(Int(value))
        case .symbol(let symbol):
            if accept("*") { return .all }
            guard symbol == "-" else { break }
            advance()
            guard case .integer(let value) = self.token.kind else { throw unexpected("a number") }
            advance()
            return .index(-Int(value))
        case .placeholder, .variable:
            guard !isGivenPath else { break }
            let any = try takeArgument()
            if let key = any as? String { return .key(key) }
            if let position = Self.integer(any) { return .index(position) }
            throw error("A key is a string, and a position an integer.", at: token.position)
        case .name, .real, .wide, .value, .operation, .end: break
        }
        if accept(keyword: "FIRST") { return .index(0) }
        if accept(keyword: "LAST") { return .index(-1) }
        if accept(keyword: "ALL") { return .all }
        throw unexpected("a key, a position, FIRST, LAST or '*'")
    }

    /// Whether the next token is a key path that the program passes: `%K`, or `$K` with its number.
    var isGivenPath: Bool {
        switch token.kind {
        case .placeholder(let letters): letters == "K"
        case .variable(let name):
            arguments.isKeyPath(name) && !scopes.contains { $0.variable == name }
        case .name, .integer, .real, .wide, .value, .text, .operation, .symbol, .end: false
        }
    }

    /// Replaces `%K` by the names that it represents.
    private mutating func spliceKeyPath() throws(RealmError) {
        guard isGivenPath else { return }
        let given = token
        guard let text = try takeArgument() as? String, !text.isEmpty else {
            throw error("The argument for \(given.text) must be a key path.", at: given.position)
        }
        let place = given.position
        var names: [QueryToken] = []
        for name in text.split(separator: ".", omittingEmptySubsequences: false) {
            let kind: QueryToken.Kind =
                name.first == "@"
                ? .operation(String(name.dropFirst())) : .name(String(name), quoted: true)
            if !names.isEmpty { names.append(QueryToken(kind: .symbol("."), position: place)) }
            names.append(QueryToken(kind: kind, position: place))
        }
        index -= 1
        tokens.replaceSubrange(index...index, with: names)
    }

    private func counted(_ path: QueryPath, at position: Int) throws(RealmError) -> QueryTerm {
        let bound = try bind(path, at: position)
        if !bound.isSingle { return QueryTerm(kind: .count(path), position: position) }
        // Of the collection that a value of any type may hold.
        guard bound.valueKind == .mixed else { throw noCollection(path, "@count", position) }
        return QueryTerm(kind: .count(path.taking(.all)), position: position)
    }

    /// `@links.@count`, after the first word: the links of all classes to the object that `path`
    /// leads to. Nil where a class follows.
    private mutating func linkCount(
        of path: QueryPath, at position: Int
    ) throws(RealmError) -> QueryTerm? {
        guard token.isSymbol("."), case .operation(let name) = tokens[index + 1].kind,
            ["count", "size"].contains(name.lowercased())
        else { return nil }
        guard let target = QueryTarget(path, try bind(path, at: position), self).target else {
            throw error("@links requires objects; '\(path.text)' leads to none.", at: position)
        }
        advance()
        advance()
        var total: QueryTerm?
        for (origin, model) in schema.store.classes.enumerated() where !model.isRemoved {
            for (column, link) in model.columns.enumerated() {
                guard link.kind == .link, link.target == target, !link.isRemoved else { continue }
                // The models may lack the property.
                let name = schema.name(of: ColumnID(column), in: ClassID(origin)) ?? link.name
                let step = "@links.\(model.name).\(name)"
                let count = try counted(path.appending([step]), at: position)
                if let sum = total {
                    total = try calculate(sum, .add, count)
                } else {
                    total = count
                }
            }
        }
        if let total { return total }
        // Nothing can link there.
        let none = QueryTerm(kind: .constant(.value(.int(0))), position: position)
        return QueryTerm(kind: .arithmetic(none, .add, none), position: position)
    }

    /// `dogs.@max.age`, which is `dogs.age.@max`.
    private mutating func aggregated(
        _ start: QueryPath, _ aggregate: CollectionAggregate, at position: Int
    ) throws(RealmError) -> QueryTerm {
        var path = start
        while accept(".") {
            guard case .name(let name, _) = token.kind else { throw unexpected("a property") }
            advance()
            path.steps.append(name)
            try requireShort(path)
        }
        let bound = try bind(path, at: position)
        if bound.isSingle { throw noCollection(path, "An aggregate", position) }
        let kind = bound.valueKind
        let isNumber = kind?.isNumber ?? false
        let isDate = kind == .date && (aggregate == .minimum || aggregate == .maximum)
        guard isNumber || isDate || kind == .mixed || aggregate == .distinctCount else {
            throw error("'\(path.text)' has no numbers to aggregate.", at: position)
        }
        return QueryTerm(kind: .aggregate(path, aggregate), position: position)
    }

    private func held(_ path: QueryPath, at position: Int) throws(RealmError) -> QueryTerm {
        guard try bind(path, at: position).valueKind == .mixed else {
            throw error(
                "@type requires values of any type; '\(path.text)' has none.", at: position)
        }
        return QueryTerm(kind: .type(path), position: position)
    }

    private func noCollection(
        _ path: QueryPath, _ what: String, _ position: Int
    ) -> RealmError {
        error("\(what) requires a collection; '\(path.text)' leads through none.", at: position)
    }

    /// The path in the present class.
    func bind(_ path: QueryPath, at position: Int) throws(RealmError) -> ValuePath {
        let bound = try placing(at: position) { () throws(RealmError) in
            try schema.bind(path, in: classID)
        }
        guard bound.collections + scopes[scopes.count - 1].collections <= Self.collectionsMax else {
            throw error(
                "The path leads through more than \(Self.collectionsMax) collections, one in the "
                    + "other.", at: position)
        }
        return bound
    }

    /// The scope of the objects of a collection.
    func elements(
        of path: QueryPath, as variable: String, at position: Int
    ) throws(RealmError) -> Scope {
        let bound = try bind(path, at: position)
        guard case .rows = bound.end, case .rows(let rows)? = bound.steps.last else {
            throw error(
                "A subquery takes a collection of objects, and '\(path.text)' of class "
                    + "'\(className)' is not one.", at: position)
        }
        let outer = scopes[scopes.count - 1].collections
        return Scope(
            classID: rows.target, variable: variable, collections: outer + bound.collections)
    }
}

extension ValuePath {
    /// The number of collections that it leads through.
    var collections: Int {
        steps.count { if case .rows = $0 { true } else { false } }
    }

    /// The kind of the values that it leads to; links where they are objects.
    var valueKind: ValueKind? {
        switch end {
        case .value(_, let schema), .elements(_, let schema): schema.kind
        case .nested(let nested): nested.kind
        case .rows: .link
        }
    }
}
