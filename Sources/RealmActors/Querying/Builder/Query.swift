import Foundation
import Storage

/// An object, a property or a condition in a query that is being built.
///
///     realm.objects(Dog.self).where { $0.age > 3 && $0.name.starts(with: "R") }
///
/// Properties are reached by their names, across links (`$0.owner.name`) and collections
/// (`$0.dogs.name`, the name of any of the dogs). A `Bool` property is a condition by itself. Null
/// equals null only, and is neither less nor greater than anything; strings compare by their UTF-8
/// bytes unless ``StringOptions`` say otherwise.
///
/// A key path to a property that is not persisted traps. Conditions that nest more than 32 levels
/// of `&&` within `||`, or calculate with more than 100 terms, find nothing, and methods of the
/// results that can throw, throw ``RealmError/invalidQuery(message:position:)``.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    init(_ condition: QueryExpression) { node = .condition(condition) }

    /// The path of an object, a link or a collection. It is always that of a property: computed
    /// values have other types.
    var path: QueryPath {
        guard let path = node.path else {
            preconditionFailure("Only a property can be used this way in a query.")
        }
        return path
    }

    /// A condition on a property; refused for a computed value.
    func condition(_ make: (QueryPath) -> QueryExpression) -> Query<Bool> {
        Query<Bool>(node.path.map(make) ?? .refused(QueryNode.refusalOfComputed))
    }

    func appending<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> Query<Value> {
        Query<Value>(.path(path.appending(Tracer.names(of: keyPath))))
    }

    consuming func compare(
        _ comparison: QueryComparison, _ value: consuming StoredValue
    ) -> Query<Bool> {
        Query<Bool>(node.compared(comparison, value))
    }

    func compare<Other>(_ comparison: QueryComparison, _ other: Query<Other>) -> Query<Bool> {
        if case .path(let left) = node, case .path(let right) = other.node {
            return Query<Bool>(.columns(left, comparison, right))
        }
        return Query<Bool>(.operands(operand, comparison, other.operand))
    }

    /// The value to calculate or compare with.
    var operand: QueryOperand {
        switch node {
        case .path(let path): .path(path)
        case .count(let path): .count(path)
        case .aggregate(let path, let aggregate): .aggregate(path, aggregate)
        case .arithmetic(let operand): operand
        case .subquery, .condition, .joined, .chain, .comparison, .comparisons:
            .refused(QueryNode.refusalOfConditions)
        }
    }

    /// Is one of the values; with the quantifier of a collection, any, all or none of its elements
    /// are.
    func isOne(of values: [StoredValue]) -> Query<Bool> {
        switch node {
        case .path(let path): Query<Bool>(.member(path, values))
        case .aggregate(_, let aggregate):
            Query<Bool>(.tested(operand, .member(values.map(aggregate.comparand))))
        case .count, .arithmetic: Query<Bool>(.tested(operand, .member(values)))
        case .subquery, .condition, .joined, .chain, .comparison, .comparisons:
            values.reduce(Query<Bool>(.constant(false))) { $0 || compare(.equal, $1) }
        }
    }

    /// Lies between two values, the upper one included or not.
    func isBetween(
        _ low: StoredValue, _ high: StoredValue, includesUpper: Bool
    ) -> Query<Bool> {
        switch node {
        case .path(let path):
            Query<Bool>(.between(path, low, high, includesUpper: includesUpper))
        case .aggregate(_, let aggregate):
            Query<Bool>(
                .tested(
                    operand,
                    .between(
                        aggregate.comparand(low), aggregate.comparand(high),
                        includesUpper: includesUpper)))
        case .count, .arithmetic:
            Query<Bool>(.tested(operand, .between(low, high, includesUpper: includesUpper)))
        case .subquery, .condition, .joined, .chain, .comparison, .comparisons:
            compare(.greaterOrEqual, low)
                && compare(includesUpper ? .lessOrEqual : .less, high)
        }
    }
}

/// The part of a query that is built so far. Not generic and so not nested in ``Query``: generic
/// code would instantiate a type for each property at run time.
enum QueryNode {
    case path(QueryPath)
    case count(QueryPath)
    case aggregate(QueryPath, CollectionAggregate)
    case arithmetic(QueryOperand)
    /// The number of objects of a collection that meet a condition.
    case subquery(QueryExpression)
    case condition(QueryExpression)
    /// Conditions that were joined.
    case joined(QueryExpression, QueryDepth)
    /// Many conditions of one kind that were joined.
    indirect case chain(QueryChain)
    /// The condition of most look-ups, in a form that is cheap to copy.
    case comparison(ValueComparison)
    /// The conjunction of a few comparisons.
    case comparisons(ComparisonList)
}

extension QueryNode {
    static let refusalOfComputed = RealmError.invalidQuery(
        message: "Only a property can be used this way in a query, and this is a condition, an "
            + "aggregate or a calculation.", position: nil)

    static let refusalOfConditions = RealmError.invalidQuery(
        message: "Conditions, and counts of the objects that meet one, are compared with constants "
            + "only, and nothing is calculated with them.", position: nil)

    /// The path of a property; nil where it is none.
    var path: QueryPath? { if case .path(let path) = self { path } else { nil } }

    /// The node compared with a value.
    ///
    /// Consuming: an extra retain costs measurably in look-ups.
    fileprivate consuming func compared(
        _ comparison: QueryComparison, _ value: consuming StoredValue
    ) -> QueryNode {
        switch self {
        case .path(let path): return .comparison(ValueComparison(path, comparison, value))
        case .aggregate(let path, let aggregate):
            return .condition(
                .aggregate(path, aggregate, comparison, aggregate.comparand(value)))
        case .count(let path):
            guard case .int(let count) = value else { return .condition(.constant(false)) }
            return .condition(.count(path, comparison, count))
        case .subquery(let condition):
            guard case .int(let count) = value else { return .condition(.constant(false)) }
            return .joined(
                .subquery(nil, condition, comparison, count),
                within: QueryDepth(nesting: condition.nesting).within())
        case .arithmetic(let operand):
            return .condition(.operands(operand, comparison, .constant(value)))
        case .condition, .joined, .chain, .comparison, .comparisons:
            // A condition compared with a truth value.
            let isWanted = value == .bool(comparison == .equal)
            return isWanted ? self : negated
        }
    }

    /// The depth of its conditions.
    private var depth: QueryDepth {
        switch self {
        case .condition(let condition): QueryDepth(nesting: condition.nesting)
        case .joined(_, let depth): depth
        case .chain(let chain): chain.depth
        case .comparisons(let comparisons): QueryDepth(chain: comparisons.count, nesting: 2)
        case .path, .count, .aggregate, .arithmetic, .subquery, .comparison: QueryDepth()
        }
    }

    /// The negated condition.
    fileprivate var negated: QueryNode {
        switch asCondition() {
        case .not(let inner): .joined(inner, depth.unwrapped)
        case let condition: .joined(.not(condition), within: depth.within())
        }
    }

    /// Both conditions, or one of them; code may join any number of them to a chain.
    fileprivate func joined(_ other: QueryNode, isAnd: Bool) -> QueryNode {
        if isAnd, let both = appending(other) { return .comparisons(both) }
        if case .chain(let chain) = self, chain.isAnd == isAnd {
            if case .chain(let next) = other, next.isAnd == isAnd {
                return .chain(chain.adding(next))
            }
            return Self.joined(chain, with: other, inFront: false)
        }
        if case .chain(let chain) = other, chain.isAnd == isAnd {
            return Self.joined(chain, with: self, inFront: true)
        }
        let (a, b) = (asCondition(), other.asCondition())
        let joined: QueryExpression = isAnd ? .and(a, b) : .or(a, b)
        let first = a.isChain(ofAnd: isAnd) ? depth : depth.within()
        let second = b.isChain(ofAnd: isAnd) ? other.depth : other.depth.within()
        var both = first.union(second)
        both.chain += 1
        if both.chain <= QueryDepth.chainMax { return .joined(joined, within: both) }
        // Each condition would add a level, so the chain becomes a list from here on.
        both.chain = 0
        guard both.isAllowed else { return .condition(.refused(QueryDepth.refusal)) }
        return .chain(QueryChain(joined.balanced, isAnd: isAnd, depth: both))
    }

    /// A long chain and one more condition, after it or before it.
    private static func joined(
        _ chain: QueryChain, with other: QueryNode, inFront: Bool
    ) -> QueryNode {
        let condition = other.asCondition()
        let added =
            condition.isChain(ofAnd: chain.isAnd) ? other.depth : other.depth.within()
        let depth = chain.depth.union(added)
        guard depth.isAllowed else { return .condition(.refused(QueryDepth.refusal)) }
        return .chain(chain.adding(condition, inFront: inFront, depth: depth))
    }

    /// Both conditions as a list, if they are comparisons and no more than an index can have
    /// properties.
    private func appending(_ other: QueryNode) -> ComparisonList? {
        guard case .comparison(let next) = other else { return nil }
        switch self {
        case .comparison(let first): return ComparisonList(first).appending(next)
        case .comparisons(let list):
            return list.count < IndexParts.countMax ? list.appending(next) : nil
        case .path, .count, .aggregate, .arithmetic, .subquery, .condition, .joined, .chain:
            return nil
        }
    }

    /// Joined conditions; refused if they nest too deeply.
    private static func joined(
        _ condition: QueryExpression, within depth: QueryDepth
    ) -> QueryNode {
        depth.isAllowed
            ? .joined(condition, depth) : .condition(.refused(QueryDepth.refusal))
    }

    /// The node as a condition; a `Bool` property is one by itself.
    consuming func asCondition() -> QueryExpression {
        switch self {
        case .condition(let condition), .joined(let condition, _): condition
        case .chain(let chain): chain.condition
        case .comparison(let comparison): comparison.expression
        case .comparisons(let comparisons): comparisons.expression
        case .path(let path): .comparison(path, .equal, .bool(true))
        case .count, .aggregate, .arithmetic, .subquery: .constant(false)
        }
    }
}

extension Query where T == Bool {
    /// The condition.
    var expression: QueryExpression { node.asCondition() }

    /// Both conditions hold.
    public static func && (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(a.node.joined(b.node, isAnd: true))
    }

    /// One of the conditions holds, or both.
    public static func || (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(a.node.joined(b.node, isAnd: false))
    }

    /// The condition does not hold.
    public static prefix func ! (a: Query<Bool>) -> Query<Bool> { Query(a.node.negated) }
}

extension Query where T: ObjectBase {
    /// The root of a query.
    @usableFromInline static var root: Query<T> { Query(.path(QueryPath(steps: []))) }

    /// A property.
    public subscript<Value: PersistedValue>(
        dynamicMember keyPath: KeyPath<T, Value>
    ) -> Query<Value> { appending(keyPath) }
}

extension Query {
    /// A property of the object that a link leads to.
    public subscript<Target: ObjectBase, Value: PersistedValue>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == Target? { appending(keyPath) }

    /// A property of any of the list's objects.
    public subscript<Target: ObjectBase, Value: PersistedValue>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == List<Target> { appending(keyPath) }

    /// A property of any of the set's objects.
    public subscript<Target: Object, Value: PersistedValue>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == MutableSet<Target> { appending(keyPath) }

    /// A property of any of the objects that link here.
    public subscript<Target: ObjectBase, Value: PersistedValue>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == LinkingObjects<Target> { appending(keyPath) }
}

extension Tracer {
    /// The names of the properties on a key path to a stored property.
    static func names<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let known = TracedNames.of(keyPath) { return known }
        let steps = path(of: keyPath)
        precondition(!steps.isEmpty && isStored(keyPath), refusal(of: keyPath, steps))
        let names = steps.map(\.name)
        TracedNames.remember(names, of: keyPath)
        return names
    }
}
