import Foundation
import Storage

/// What a part of a predicate of Foundation comes to.
enum PredicateTerm {
    case constant(QueryConstant)
    case range(low: StoredValue, high: StoredValue, includesUpper: Bool)
    case path(QueryPath)
    case count(QueryPath)
    case aggregate(QueryPath, CollectionAggregate)
    case arithmetic(QueryOperand)
    case condition(QueryExpression)
    /// A condition on what a path leads to, which may be nil.
    case optionalCondition(QueryPath, QueryExpression)
    /// A path, and a value that stands for nil.
    case coalesced(QueryPath, StoredValue)
    /// The objects of a collection that meet a condition.
    case filtered(QueryPath, QueryExpression)
    /// Their number.
    case filteredCount(QueryPath, QueryExpression)

    /// The term as a condition: a property may be one by itself.
    var condition: QueryExpression? {
        switch self {
        case .condition(let condition): condition
        case .path(let path): .comparison(path, .equal, .bool(true))
        case .constant(let constant): constant.truth.map { .constant($0) }
        case .range, .count, .aggregate, .arithmetic, .optionalCondition, .coalesced, .filtered,
            .filteredCount:
            nil
        }
    }

    /// The term as a value to calculate with.
    var operand: QueryOperand? {
        switch self {
        case .constant(let constant): constant.value.map { .constant($0) }
        case .path(let path): .path(path)
        case .count(let path): .count(path)
        case .aggregate(let path, let aggregate): .aggregate(path, aggregate)
        case .arithmetic(let operand): operand
        case .range, .condition, .optionalCondition, .coalesced, .filtered, .filteredCount: nil
        }
    }

    var isPathOrConstant: Bool { if case .path = self { true } else { isConstant } }

    private var isConstant: Bool { if case .constant = self { true } else { false } }

    /// The comparison with another term; nil where there is none.
    func compared(_ comparison: QueryComparison, _ other: PredicateTerm) -> QueryExpression? {
        if isConstant, !other.isConstant {
            return other.compared(comparison.mirrored, self)
        }
        if case .constant(let constant) = other,
            let found = compared(comparison, with: constant)
        {
            return found
        }
        if case .path(let a) = self, case .path(let b) = other { return .columns(a, comparison, b) }
        guard let a = operand, let b = other.operand else { return nil }
        return .operands(a, comparison, b)
    }

    /// The comparison with a constant by a condition of its own; nil where there is none.
    private func compared(
        _ comparison: QueryComparison, with constant: QueryConstant
    ) -> QueryExpression? {
        switch self {
        case .constant(let own):
            guard let a = own.value, let b = constant.value else { return nil }
            return .constant(ValueTest.compare(a, comparison, b))
        case .path(let path):
            if case .object(let object) = constant, !comparison.isOfOrder {
                return .row(path, object.row, isEqual: comparison == .equal)
            }
            return constant.value.map { .comparison(path, comparison, $0) }
        case .count(let path): return constant.integer.map { .count(path, comparison, $0) }
        case .aggregate(let path, let aggregate):
            return constant.value.map { .aggregate(path, aggregate, comparison, $0) }
        case .filteredCount(let path, let condition):
            return constant.integer.map { .subquery(path, condition, comparison, $0) }
        case .coalesced(let path, let fallback):
            guard let value = constant.value else { return nil }
            // Nil is what the fallback says it is.
            let isNil = QueryExpression.comparison(path, .equal, .null)
            let present = QueryExpression.and(.not(isNil), .comparison(path, comparison, value))
            return ValueTest.compare(fallback, comparison, value) ? .or(isNil, present) : present
        case .condition(let condition):
            guard let value = constant.truth, !comparison.isOfOrder else { return nil }
            return value == (comparison == .equal) ? condition : .not(condition)
        case .range, .arithmetic, .optionalCondition, .filtered: return nil
        }
    }
}

extension QueryConstant {
    /// The value, where it is one by itself.
    fileprivate var value: StoredValue? { if case .value(let value) = self { value } else { nil } }

    fileprivate var integer: Int64? {
        if case .int(let value)? = value { value } else { nil }
    }

    fileprivate var truth: Bool? {
        if case .bool(let value)? = value { value } else { nil }
    }
}
