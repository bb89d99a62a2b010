// The stages after the condition: `SORT(name ASC, age DESC) DISTINCT(name) LIMIT(3)`.
extension QueryParser {
    private static let tailWords = ["SORT", "RANK", "DISTINCT", "LIMIT"]

    mutating func tail() throws(RealmError) -> [ParsedQuery.Stage] {
        var stages: [ParsedQuery.Stage] = []
        while let keyword = token.keyword, Self.tailWords.contains(keyword) {
            guard stages.count < Self.depthMax else { throw error("The query has too many parts.") }
            advance()
            try expect("(")
            switch keyword {
            case "SORT": stages.append(.sort(try sortCriteria()))
            case "RANK": stages.append(try ranking())
            case "DISTINCT": stages.append(.distinct(try distinctPaths()))
            default: stages.append(.limit(try limit()))
            }
            try expect(")")
        }
        return stages
    }

    private mutating func sortCriteria() throws(RealmError) -> [SortDescriptor] {
        var criteria: [SortDescriptor] = []
        repeat {
            let position = token.position
            var criterion = try sortCriterion()
            if accept(keyword: "COLLATED") {
                criterion = SortDescriptor(keyPath: criterion.keyPath, collation: .people)
            }
            _ = try placing(at: position) { () throws(RealmError) in
                try schema.sortKey(criterion, in: classID)
            }
            switch token.keyword {
            case "ASC", "ASCENDING": advance()
            case "DESC", "DESCENDING":
                criterion = criterion.reversed()
                advance()
            default:
                if !token.isSymbol(","), !token.isSymbol(")") {
                    throw unexpected("COLLATED, ASC or DESC")
                }
            }
            criteria.append(criterion)
            try limitTail(criteria.count)
        } while accept(",")
        return criteria
    }

    /// A property, or `DISTANCE(property, point)`; ascending.
    private mutating func sortCriterion() throws(RealmError) -> SortDescriptor {
        guard token.keyword == "DISTANCE", tokens[index + 1].isSymbol("(") else {
            return SortDescriptor(keyPath: try singlePath().joined(separator: "."))
        }
        advance()
        try expect("(")
        let path = try singlePath().joined(separator: ".")
        try expect(",")
        let position = token.position
        guard let point = try takeArgument() as? GeoPoint else {
            throw error("DISTANCE takes a property and a GeoPoint.", at: position)
        }
        try expect(")")
        return SortDescriptor(distanceFrom: point, on: path)
    }

    /// Properties with full-text indexes, and what they are searched for.
    private mutating func ranking() throws(RealmError) -> ParsedQuery.Stage {
        var paths: [[String]] = []
        let start = token.position
        while !isText {
            paths.append(try singlePath())
            try limitTail(paths.count)
            try expect(",")
        }
        let position = token.position
        guard let search = try rankedText() else {
            throw error(
                "RANK takes properties, followed by the text to search for.",
                at: position)
        }
        do throws(RealmError) {
            _ = try placing(at: start) { () throws(RealmError) in
                try schema.relevance(to: search, in: paths, of: classID)
            }
        } catch .invalidQuery(let message, nil) {
            throw self.error(message, at: position)
        } catch {
            throw error
        }
        return .rank(search: search, in: paths)
    }

    /// Whether the next token is a string, or an argument that is not a key path.
    private var isText: Bool {
        switch token.kind {
        case .text: true
        case .variable, .placeholder: !isGivenPath
        case .name, .integer, .real, .wide, .value, .operation, .symbol, .end: false
        }
    }

    private mutating func rankedText() throws(RealmError) -> String? {
        guard case .text(let text) = token.kind else { return try takeArgument() as? String }
        advance()
        return text
    }

    private mutating func distinctPaths() throws(RealmError) -> [[String]] {
        var paths: [[String]] = []
        repeat {
            paths.append(try singlePath())
            try limitTail(paths.count)
        } while accept(",")
        return paths
    }

    private func limitTail(_ count: Int) throws(RealmError) {
        guard count <= Self.tailMax else {
            throw error("SORT, RANK and DISTINCT take \(Self.tailMax) properties at most.")
        }
    }

    /// A path that leads to one value.
    private mutating func singlePath() throws(RealmError) -> [String] {
        let position = token.position
        guard case .path(let path) = try path().kind, path.elements.isEmpty else {
            throw error("Expected a key path to one value.", at: position)
        }
        _ = try placing(at: position) { () throws(RealmError) in
            try schema.bindSingle(path.steps, in: classID)
        }
        return path.steps
    }

    private mutating func limit() throws(RealmError) -> Int {
        let position = token.position
        switch token.kind {
        case .placeholder, .variable:
            guard let count = Self.integer(try takeArgument()), count >= 0 else {
                throw error("LIMIT takes an integer that is not negative.", at: position)
            }
            return count
        case .integer(let count):
            advance()
            return Int(count)
        case .name, .real, .wide, .value, .text, .operation, .symbol, .end:
            throw unexpected("a count")
        }
    }
}
