import Foundation
import Storage

extension PredicateBinding {
    /// Two operands, in the faster form if both are columns of the same row.
    func bind(
        _ left: QueryOperand, _ comparison: QueryComparison, _ right: QueryOperand
    ) throws(RealmError) -> RowPredicate {
        let (x, y) = (try bind(left), try bind(right))
        let (a, b) = (x.compared(with: y), y.compared(with: x))
        let collections = a.collectionCount + b.collectionCount
        guard collections <= ValueOperand.collectionsMax else {
            throw .invalidQuery(
                message: ValueOperand.refusal(ofCollections: collections), position: nil)
        }
        let quantifiers = left.quantifiers + right.quantifiers
        if quantifiers.contains(.none) {
            return .not(.operands(OperandComparison(a, comparison, b, isUniversal: false)))
        }
        if case .path(let a) = a, case .path(let b) = b, !quantifiers.contains(.all) {
            return .values(a, comparison, b)
        }
        return .operands(
            OperandComparison(a, comparison, b, isUniversal: quantifiers.contains(.all)))
    }

    /// A text operator with another property as argument.
    func bind(
        _ left: QueryPath, _ kind: TextOperator, _ right: QueryPath, _ options: StringOptions
    ) throws(RealmError) -> RowPredicate {
        let quantifiers = [left.quantifier, right.quantifier]
        let pair = TextPair(
            left: try schema.bind(left, in: classID), kind: kind,
            right: try schema.bind(right, in: classID), options: options,
            isUniversal: quantifiers.contains(.all))
        return quantifiers.contains(.none) ? .not(.texts(pair)) : .texts(pair)
    }

    private func bind(_ operand: QueryOperand) throws(RealmError) -> ValueOperand {
        switch operand {
        case .constant(let value): return .constant(value)
        case .path(let path): return .path(try schema.bind(path, in: classID))
        case .count(let path): return .count(try schema.bind(path, in: classID))
        case .aggregate(let path, let aggregate):
            return .aggregate(try bind(path, aggregate), aggregate)
        case .arithmetic(let left, let operation, let right):
            return .arithmetic(try bind(left), operation, try bind(right))
        case .datePart(let date, let part): return .datePart(try bind(date), part)
        case .tested(let value, let test):
            return .tested(try bind(value), test.ofValues(in: schema))
        case .refused(let error): throw error
        }
    }

    /// The path to the values of an aggregate.
    func bind(
        _ path: QueryPath, _ aggregate: CollectionAggregate
    ) throws(RealmError) -> ValuePath {
        let bound = try schema.bind(path, in: classID)
        return aggregate == .distinctCount ? bound.distinguishing(in: schema.store) : bound
    }

    /// The rows of one collection that meet a condition, counted.
    func bind(
        _ collection: QueryPath?, _ condition: QueryExpression, _ comparison: QueryComparison,
        _ count: Int64
    ) throws(RealmError) -> RowPredicate {
        guard let collection else {
            let (found, inner) = try separate(condition)
            return try bind(found, inner, comparison, count)
        }
        guard let (path, target) = objects(behind: try schema.bind(collection, in: classID)) else {
            throw .invalidQuery(
                message: "A subquery counts the objects of a collection, and '\(collection.text)' "
                    + "of class '\(schema.store[classID].name)' is not one.",
                position: nil)
        }
        let inner = try PredicateBinding(schema: schema, classID: target).bind(condition)
        // A condition on a to-one link, which is evaluated per cluster and may use indexes.
        if path.isSingle, comparison == .greater, count == 0 {
            return bind(inner, behind: path, .any)
        }
        return .subquery(path, target, inner, comparison, count)
    }

    /// The way to the objects that a path leads to, and their class: those of a collection, or the
    /// one of a link.
    private func objects(behind path: ValuePath) -> (ValuePath, ClassID)? {
        switch path.end {
        case .rows:
            guard case .rows(let rows)? = path.steps.last else { return nil }
            return (path, rows.target)
        case .value(let column, let schema):
            guard schema.kind == .link, let target = schema.target else { return nil }
            let hop = LinkHop(column: column, target: target)
            return (ValuePath(steps: path.steps + [.link(hop)], end: .rows), target)
        case .nested(let part):
            guard part.isSingle, part.kind == .link, let target = part.schema.target else {
                return nil
            }
            let steps = path.steps + [.entry(part, target: target)]
            return (ValuePath(steps: steps, end: .rows), target)
        case .elements: return nil
        }
    }

    /// The collection that all paths of a condition begin with, and the condition on one of its
    /// rows.
    private func separate(
        _ condition: QueryExpression
    ) throws(RealmError) -> (QueryPath, QueryExpression) {
        var collection: QueryPath?
        let inner = try condition.mapPaths { (path) throws(RealmError) in
            guard let length = collectionLength(path) else {
                throw .invalidQuery(
                    message: "A subquery has conditions on the objects of one collection, and "
                        + "'\(path.text)' goes through none.", position: nil)
            }
            let found = QueryPath(steps: Array(path.steps.prefix(length)))
            guard collection == nil || collection == found else {
                throw .invalidQuery(
                    message: "A subquery has conditions on the objects of one collection; this one "
                        + "has them on '\(collection?.text ?? "")' and on '\(found.text)'.",
                    position: nil)
            }
            collection = found
            return path.dropping(length)
        }
        guard let collection else {
            throw .invalidQuery(
                message: "A subquery has a condition on the objects of a collection.",
                position: nil)
        }
        return (collection, inner)
    }

    /// The number of names up to the first collection of objects on a path.
    private func collectionLength(_ path: QueryPath) -> Int? {
        var current = classID
        let first = path.elements.first?.depth ?? .max
        for (index, name) in path.steps.enumerated() where index < first {
            switch schema.property(name, of: current) {
            case .inverse?: return index + 1
            case .column(let id)?:
                let column = schema.store[current].columns[id.rawValue]
                guard column.kind == .link, let target = column.target else { return nil }
                if column.container != .none { return index + 1 == first ? nil : index + 1 }
                current = target
            case nil: return nil
            }
        }
        return nil
    }
}

extension QueryOperand {
    /// The quantifiers of its paths.
    fileprivate var quantifiers: [QueryQuantifier] {
        switch self {
        case .path(let path): [path.quantifier]
        case .constant, .count, .aggregate, .refused: []
        case .arithmetic(let left, _, let right): left.quantifiers + right.quantifiers
        case .datePart(let date, _): date.quantifiers
        case .tested(let value, _): value.quantifiers
        }
    }
}

extension QueryTest {
    /// The same for a scan.
    fileprivate func ofValues(in schema: any QuerySchema) -> ValueTest {
        switch self {
        case .member(let values): .member(Set(values.map { ExactValue($0) }))
        case .between(let low, let high, let includesUpper):
            .between(low, high, includesUpper: includesUpper)
        case .rows(let rows, let others):
            .member(Set((Self.stored(rows, in: schema) + others).map { ExactValue($0) }))
        case .types(let types): .types(types)
        }
    }

    /// The rows of the schema's store, as a link and as a value of any type has them.
    private static func stored(
        _ rows: [QueryRow], in schema: any QuerySchema
    ) -> [StoredValue] {
        rows.filter { schema.mayHave($0) }.flatMap { (row) -> [StoredValue] in
            let link = StoredValue.link(row.key)
            guard let id = row.classID else { return [link] }
            return [link, .object(id, row.key)]
        }
    }
}
