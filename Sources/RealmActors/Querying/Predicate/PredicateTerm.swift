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
        case .constant(.value(.bool(let value))): .constant(value)
        default: nil
        }
    }

    /// The term as a value to calculate with.
    var operand: QueryOperand? {
        switch self {
        case .constant(.value(let value)): .constant(value)
        case .path(let path): .path(path)
        case .count(let path): .count(path)
        case .aggregate(let path, let aggregate): .aggregate(path, aggregate)
        case .arithmetic(let operand): operand
        default: nil
        }
    }

    private var isConstant: Bool { if case .constant = self { true } else { false } }

    /// The comparison with another term; nil where there is none.
    func compared(_ comparison: QueryComparison, _ other: PredicateTerm) -> QueryExpression? {
        if isConstant, !other.isConstant {
            return other.compared(comparison.mirrored, self)
        }
        switch (self, other) {
        case (.constant(.value(let a)), .constant(.value(let b))):
            return .constant(ValueTest.compare(a, comparison, b))
        case (.path(let path), .constant(.value(let value))):
            return .comparison(path, comparison, value)
        case (.path(let path), .constant(.object(let object))):
            guard comparison == .equal || comparison == .notEqual else { return nil }
            return .row(path, object.row, isEqual: comparison == .equal)
        case (.path(let a), .path(let b)): return .columns(a, comparison, b)
        case (.count(let path), .constant(.value(.int(let count)))):
            return .count(path, comparison, count)
        case (.aggregate(let path, let aggregate), .constant(.value(let value))):
            return .aggregate(path, aggregate, comparison, value)
        case (.filteredCount(let path, let condition), .constant(.value(.int(let count)))):
            return .subquery(path, condition, comparison, count)
        case (.coalesced(let path, let fallback), .constant(.value(let value))):
            // Nil is what the fallback says it is.
            let isNil = QueryExpression.comparison(path, .equal, .null)
            let present = QueryExpression.and(
                .not(isNil), .comparison(path, comparison, value))
            return ValueTest.compare(fallback, comparison, value) ? .or(isNil, present) : present
        case (.condition(let condition), .constant(.value(.bool(let value)))):
            switch comparison {
            case .equal: return value ? condition : .not(condition)
            case .notEqual: return value ? .not(condition) : condition
            default: return nil
            }
        default:
            guard let a = operand, let b = other.operand else { return nil }
            return .operands(a, comparison, b)
        }
    }
}
