import Storage

/// The operator between two conditions.
enum QueryJunction {
    case and
    case or
}

extension QueryExpression {
    /// The same with every path that begins at the row in question replaced.
    func mapPaths(
        _ transform: (QueryPath) throws(RealmError) -> QueryPath
    ) throws(RealmError) -> QueryExpression {
        switch self {
        case .constant: return self
        case .and(let a, let b):
            return .and(try a.mapPaths(transform), try b.mapPaths(transform))
        case .or(let a, let b): return .or(try a.mapPaths(transform), try b.mapPaths(transform))
        case .not(let a): return .not(try a.mapPaths(transform))
        case .comparison(let path, let op, let value):
            return .comparison(try transform(path), op, value)
        case .columns(let a, let op, let b): return .columns(try transform(a), op, try transform(b))
        case .row(let path, let row, let isEqual):
            return .row(try transform(path), row, isEqual: isEqual)
        case .member(let path, let values): return .member(try transform(path), values)
        case .between(let path, let low, let high, let includesUpper):
            return .between(try transform(path), low, high, includesUpper: includesUpper)
        case .text(let path, let op, let text, let options):
            return .text(try transform(path), op, text, options)
        case .bytes(let path, let op, let bytes, let options):
            return .bytes(try transform(path), op, bytes, options)
        case .texts(let a, let op, let b, let options):
            return .texts(try transform(a), op, try transform(b), options)
        case .count(let path, let op, let count): return .count(try transform(path), op, count)
        case .aggregate(let path, let aggregate, let op, let value):
            return .aggregate(try transform(path), aggregate, op, value)
        case .operands(let a, let op, let b):
            return .operands(try a.mapPaths(transform), op, try b.mapPaths(transform))
        case .subquery(let collection?, let condition, let op, let count):
            // The condition's paths begin at the rows of the collection.
            return .subquery(try transform(collection), condition, op, count)
        case .subquery(nil, let condition, let op, let count):
            return .subquery(nil, try condition.mapPaths(transform), op, count)
        case .geoWithin(let path, let area): return .geoWithin(try transform(path), area)
        case .fullText(let path, let others, let text):
            return .fullText(try transform(path), alsoIn: others, text)
        case .refused(let error): throw error
        }
    }

    /// A test of what a row computes: of any of the values, or of as many as the quantifiers of its
    /// paths require.
    static func tested(_ operand: QueryOperand, _ test: QueryTest) -> QueryExpression {
        .operands(.tested(operand, test), .equal, .constant(.bool(true)))
    }

    /// A full-text search in properties of one object, which are at least one.
    static func search(_ text: String, in paths: [QueryPath]) -> QueryExpression {
        if let other = paths.first(where: { !$0.isSibling(of: paths[0]) }) {
            return .refused(
                .invalidQuery(
                    message: "'\(paths[0].text)' and '\(other.text)' are searched together, "
                        + "which only properties of one object are. Join two searches instead.",
                    position: nil))
        }
        return .fullText(paths[0], alsoIn: paths.dropFirst().compactMap(\.steps.last), text)
    }

    /// The path whose values it tests one by one, each by itself; nil where it does anything else.
    var testedPath: QueryPath? {
        switch self {
        case .comparison(let path, _, _), .row(let path, _, _), .member(let path, _),
            .between(let path, _, _, _), .text(let path, _, _, _), .bytes(let path, _, _, _),
            .geoWithin(let path, _), .fullText(let path, _, _):
            path
        case .constant, .and, .or, .not, .columns, .texts, .count, .aggregate, .operands,
            .subquery, .refused:
            nil
        }
    }

    /// Whether it is a condition on single values, which any or all of those on its path must then
    /// meet.
    var isOneTest: Bool {
        switch self {
        case .comparison, .member, .between, .text, .bytes, .fullText: true
        case .constant, .and, .or, .not, .columns, .row, .texts, .count, .aggregate, .operands,
            .subquery, .geoWithin, .refused:
            false
        }
    }

    /// The operator that joins its two conditions; nil if it does not consist of two.
    var junction: QueryJunction? {
        switch self {
        case .and: .and
        case .or: .or
        case .constant, .not, .comparison, .columns, .row, .member, .between, .text, .bytes,
            .texts, .count, .aggregate, .operands, .subquery, .geoWithin, .fullText,
            .refused:
            nil
        }
    }

    /// The condition within a negation or a subquery; nil in everything else.
    var inner: QueryExpression? {
        switch self {
        case .not(let inner), .subquery(_, let inner, _, _): inner
        case .constant, .and, .or, .comparison, .columns, .row, .member, .between, .text, .bytes,
            .texts, .count, .aggregate, .operands, .geoWithin, .fullText,
            .refused:
            nil
        }
    }

    /// The parts of a conjunction, in the order they were written. Not recursive, because long
    /// chains nest deeply.
    var conjuncts: [QueryExpression] {
        parts { if case .and(let left, let right) = $0 { (left, right) } else { nil } }
    }

    /// The parts of a disjunction, in the order they were written.
    var disjuncts: [QueryExpression] {
        parts { if case .or(let left, let right) = $0 { (left, right) } else { nil } }
    }

    private func parts(
        _ split: (QueryExpression) -> (QueryExpression, QueryExpression)?
    ) -> [QueryExpression] {
        var parts: [QueryExpression] = []
        var rest = [self]
        while let next = rest.popLast() {
            if let (left, right) = split(next) {
                rest.append(right)
                rest.append(left)
            } else {
                parts.append(next)
            }
        }
        return parts
    }

    /// A conjunction, as a balanced tree.
    static func all(_ parts: [QueryExpression]) -> QueryExpression {
        joined(parts[...], empty: .constant(true)) { .and($0, $1) }
    }

    /// A disjunction, as a balanced tree.
    static func any(_ parts: [QueryExpression]) -> QueryExpression {
        joined(parts[...], empty: .constant(false)) { .or($0, $1) }
    }

    private static func joined(
        _ parts: ArraySlice<QueryExpression>, empty: QueryExpression,
        _ join: (QueryExpression, QueryExpression) -> QueryExpression
    ) -> QueryExpression {
        guard parts.count > 1 else { return parts.first ?? empty }
        let middle = parts.startIndex + parts.count / 2
        return join(
            joined(parts[..<middle], empty: empty, join),
            joined(parts[middle...], empty: empty, join))
    }
}

extension QueryOperand {
    func mapPaths(
        _ transform: (QueryPath) throws(RealmError) -> QueryPath
    ) throws(RealmError) -> QueryOperand {
        switch self {
        case .constant, .refused: return self
        case .path(let path): return .path(try transform(path))
        case .count(let path): return .count(try transform(path))
        case .aggregate(let path, let aggregate):
            return .aggregate(try transform(path), aggregate)
        case .arithmetic(let a, let op, let b):
            return .arithmetic(try a.mapPaths(transform), op, try b.mapPaths(transform))
        case .datePart(let date, let part): return .datePart(try date.mapPaths(transform), part)
        case .tested(let value, let test): return .tested(try value.mapPaths(transform), test)
        }
    }
}
