import Foundation
package import Storage

/// Turns a query in property names into a predicate over columns.
package struct PredicateBinding {
    package let schema: any QuerySchema
    package let classID: ClassID

    package init(schema: any QuerySchema, classID: ClassID) {
        self.schema = schema
        self.classID = classID
    }

    package func bind(_ expression: QueryExpression) throws(RealmError) -> RowPredicate {
        switch expression {
        case .constant(let value): return .constant(value)
        case .and: return .all(try bind(all: expression.conjuncts))
        case .or: return .any(try bind(any: expression.disjuncts))
        case .not(let inner): return .not(try bind(inner))
        case .comparison, .columns, .row, .member, .between, .text, .bytes, .texts, .count,
            .aggregate, .operands, .subquery, .geoWithin, .fullText, .refused:
            return try bind(leaf: expression)
        }
    }

    /// A separate function, so that the recursion over levels of conditions takes little stack.
    private func bind(leaf expression: QueryExpression) throws(RealmError) -> RowPredicate {
        switch expression {
        case .comparison(let path, let comparison, let constant):
            return try bind(path, .comparison(comparison, constant))
        case .columns(let left, let comparison, let right):
            return try bind(.path(left), comparison, .path(right))
        case .row(let path, let row, let isEqual):
            let bound = try schema.bind(path, in: classID)
            guard let value = value(of: row, behind: bound) else {
                return bind(bound, path.quantifier, isEqual ? .never : .not(.never))
            }
            return bind(bound, path.quantifier, .comparison(isEqual ? .equal : .notEqual, value))
        case .member(let path, let values):
            return try bind(path, .member(Set(values.map { ExactValue($0) })))
        case .between(let path, let low, let high, let includesUpper):
            return try bindRange(path, low, high, includesUpper)
        case .text(let path, let kind, let argument, let options):
            guard let argument else {
                let test = kind.comparisonOfNull.map { ValueTest.comparison($0, .null) }
                return try bind(path, test ?? .never)
            }
            guard let matcher = TextMatcher(kind, argument, options) else {
                return try bind(path, .never)
            }
            return try bind(path, .text(matcher, isNegated: kind.isNegated))
        case .bytes(let path, let kind, let bytes, let options):
            guard let matcher = TextMatcher.of(kind, bytes, options) else {
                return try bind(path, .never)
            }
            return try bind(path, .text(matcher, isNegated: kind.isNegated))
        case .texts(let left, let kind, let right, let options):
            return try bind(left, kind, right, options)
        case .count(let path, let comparison, let count):
            return .count(try schema.bind(path, in: classID), comparison, count)
        case .aggregate(let path, let aggregate, let comparison, let constant):
            return .aggregate(try bind(path, aggregate), aggregate, comparison, constant)
        case .operands(let left, let comparison, let right):
            return try bind(left, comparison, right)
        case .subquery(let collection, let condition, let comparison, let count):
            return try bind(collection, condition, comparison, count)
        case .geoWithin(let path, let area): return try bind(path, area)
        case .fullText(let path, let others, let text):
            return try bind(path, alsoIn: others, search: text)
        case .refused(let error): throw error
        case .constant, .and, .or, .not: return try bind(expression)
        }
    }

    /// An object as the property has it, which may be of any type; nil where it is of another
    /// store, or its key belongs to another row.
    private func value(of row: QueryRow, behind path: ValuePath) -> StoredValue? {
        guard schema.mayHave(row) else { return nil }
        guard path.valueKind == .mixed, let id = row.classID else { return .link(row.key) }
        return .object(id, row.key)
    }

    private func bind(_ path: QueryPath, _ area: GeoArea) throws(RealmError) -> RowPredicate {
        let bound = try schema.bind(path, in: classID)
        guard case .value(let column, let link) = bound.end, let target = link.target else {
            throw .invalidKeyPath(
                "geoWithin needs a property that has one embedded object, and "
                    + "'\(path.steps.joined(separator: "."))' is not one.")
        }
        let place = RowPredicate.place(try GeoColumns(schema.store[target]), area)
        let hop = LinkHop(column: column, target: target)
        return bind(.link(hop, place, matchesNil: false), behind: bound, path.quantifier)
    }

    /// A condition on the rows that the steps of a path lead to: any, none or all of them meet it.
    func bind(
        _ condition: RowPredicate, behind path: ValuePath, _ quantifier: QueryQuantifier
    ) -> RowPredicate {
        switch quantifier {
        case .unspecified, .any: wrap(condition, path, .never)
        case .none: .not(wrap(condition, path, .never))
        case .all: .not(wrap(.not(condition), path, .not(.never)))
        }
    }

    private func bind(all parts: [QueryExpression]) throws(RealmError) -> [RowPredicate] {
        var bound: [RowPredicate] = []
        for part in parts { bound.append(try bind(part)) }
        return bound
    }

    /// Up to so many values of one property are each compared by a loop over its column.
    private static let comparisonsMax = 256

    /// Alternatives. Equalities of one path with many values become one condition, which looks each
    /// value up in a set.
    private func bind(any parts: [QueryExpression]) throws(RealmError) -> [RowPredicate] {
        let counts = parts.reduce(into: [QueryPath: Int]()) { counts, part in
            if let path = part.equatedPath { counts[path, default: 0] += 1 }
        }
        var sought: [QueryPath: (bound: ValuePath, values: Set<ExactValue>)] = [:]
        var others: [QueryExpression] = []
        var paths: [QueryPath] = []
        for part in parts {
            guard let path = part.equatedPath, isOneOfMany(part, path, counts[path] ?? 0) else {
                others.append(part)
                continue
            }
            if sought[path] == nil {
                paths.append(path)
                sought[path] = (try schema.bind(path, in: classID), [])
            }
            if let value = sought[path].flatMap({ self.value(in: part, behind: $0.bound) }) {
                sought[path]?.values.insert(ExactValue(value))
            }
        }
        var bound = try bind(all: others)
        for path in paths {
            if let found = sought[path] {
                bound.append(bind(found.bound, path.quantifier, .member(found.values)))
            }
        }
        return bound
    }

    /// Whether an equality is added to the set of its path, which has `count` equalities.
    /// Across links, each separate condition would follow the path to its values again.
    private func isOneOfMany(_ equality: QueryExpression, _ path: QueryPath, _ count: Int) -> Bool {
        if case .row = equality { return true }
        return count > (path.steps.count > 1 ? 1 : Self.comparisonsMax)
    }

    /// The value that an equality requires; nil for an object that no property has.
    private func value(in equality: QueryExpression, behind path: ValuePath) -> StoredValue? {
        if case .row(_, let row, _) = equality { return value(of: row, behind: path) }
        if case .comparison(_, _, let constant) = equality { return constant }
        return nil
    }

    /// A range over a collection of values means that all of them lie within, as in Realm; through
    /// a collection of objects it means that any of them does, like every comparison.
    private func bindRange(
        _ path: QueryPath, _ low: StoredValue, _ high: StoredValue, _ includesUpper: Bool
    ) throws(RealmError) -> RowPredicate {
        let bound = try schema.bind(path, in: classID)
        var isOfValues = false
        if case .elements = bound.end { isOfValues = true }
        if !isOfValues || path.quantifier != .unspecified {
            let test = ValueTest.between(low, high, includesUpper: includesUpper)
            return bind(bound, path.quantifier, test)
        }
        return .and([
            .aggregate(bound, .minimum, .greaterOrEqual, low),
            .aggregate(bound, .maximum, includesUpper ? .lessOrEqual : .less, high),
        ])
    }

    private func bind(_ path: QueryPath, _ test: ValueTest) throws(RealmError) -> RowPredicate {
        bind(try schema.bind(path, in: classID), path.quantifier, test)
    }

    func bind(
        _ path: ValuePath, _ quantifier: QueryQuantifier, _ test: ValueTest
    ) -> RowPredicate {
        switch quantifier {
        case .unspecified, .any: bind(path, test)
        case .none: .not(bind(path, test))
        case .all: .not(bind(path, .not(test)))
        }
    }

    private func bind(_ path: ValuePath, _ test: ValueTest) -> RowPredicate {
        let predicate: RowPredicate
        switch path.end {
        case .value(let column, let schema): predicate = LeafBinding.bind(column, schema, test)
        case .elements(let column, let schema):
            predicate = .anyElement(column: column, schema, test)
        case .nested, .rows: return .anyValue(path, test)
        }
        let hasEntry = path.steps.contains { if case .entry = $0 { true } else { false } }
        if hasEntry { return .anyValue(path, test) }
        return wrap(predicate, path, test)
    }

    private func wrap(
        _ predicate: RowPredicate, _ path: ValuePath, _ test: ValueTest
    ) -> RowPredicate {
        var predicate = predicate
        for (index, step) in path.steps.enumerated().reversed() {
            switch step {
            case .link(let hop):
                let matchesNil = path.isSingle && test.matches(.null)
                predicate = .link(hop, predicate, matchesNil: matchesNil)
            case .rows(let rows):
                predicate = .anyRow(rows, predicate)
            case .entry(_, let target):
                // A path to one link of a collection is walked row by row.
                let way = ValuePath(steps: Array(path.steps[...index]), end: .rows)
                return .subquery(way, target, predicate, .greater, 0)
            }
        }
        return predicate
    }
}

extension QueryExpression {
    /// The path of an equality that holds if any value equals the constant; nil for any other.
    fileprivate var equatedPath: QueryPath? {
        var path: QueryPath?
        if case .row(let equated, _, isEqual: true) = self { path = equated }
        if case .comparison(let equated, .equal, _) = self { path = equated }
        return path.flatMap {
            $0.quantifier == .unspecified || $0.quantifier == .any ? $0 : nil
        }
    }
}
