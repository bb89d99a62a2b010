import Foundation
import Storage

/// The translation of a part of a Foundation predicate.
indirect enum PredicateTerm {
    case constant(QueryConstant)
    case range(low: StoredValue, high: StoredValue, includesUpper: Bool)
    case path(QueryPath)
    case count(QueryPath)
    case aggregate(QueryPath, CollectionAggregate)
    case arithmetic(QueryOperand)
    case condition(QueryExpression)
    /// One term if a path leads to a value, another if it leads to nil.
    case unlessNil(QueryPath, PredicateTerm, otherwise: PredicateTerm)
    /// The objects of a collection that meet a condition.
    case filtered(QueryPath, QueryExpression)
    /// Their number.
    case filteredCount(QueryPath, QueryExpression)

    /// The term as a condition: a `Bool` property is one by itself.
    var condition: QueryExpression? {
        switch self {
        case .condition(let condition): condition
        case .path(let path): .comparison(path, .equal, .bool(true))
        case .constant(let constant): constant.truth.map { .constant($0) }
        case .unlessNil(let path, let term, let otherwise):
            Self.condition(unlessNil: path, term.condition, otherwise: otherwise.condition)
        case .range, .count, .aggregate, .arithmetic, .filtered, .filteredCount: nil
        }
    }

    /// One condition if a path leads to a value, another if it leads to nil; nil if a term is not a
    /// condition.
    private static func condition(
        unlessNil path: QueryPath, _ present: QueryExpression?, otherwise absent: QueryExpression?
    ) -> QueryExpression? {
        guard let present, let absent else { return nil }
        let isNil = QueryExpression.comparison(path, .equal, .null)
        if case .constant(let holds) = absent {
            return holds ? .or(isNil, present) : .and(.not(isNil), present)
        }
        return .or(.and(.not(isNil), present), .and(isNil, absent))
    }

    /// The term, or nil if the path leads to nil.
    func unlessNil(_ path: QueryPath) -> PredicateTerm {
        if let source, source.steps.starts(with: path.steps) { return self }
        return .unlessNil(path, self, otherwise: .constant(.null))
    }

    /// The path that makes the term nil when it leads to nil; nil if there is none.
    private var source: QueryPath? {
        switch self {
        case .path(let path), .unlessNil(let path, _, otherwise: .constant(.value(.null))): path
        case .constant, .range, .count, .aggregate, .arithmetic, .condition, .unlessNil,
            .filtered, .filteredCount:
            nil
        }
    }

    /// The term, or another one if it is nil.
    func coalesced(_ other: PredicateTerm) -> PredicateTerm {
        switch self {
        case .path(let path): .unlessNil(path, self, otherwise: other)
        case .constant(.value(.null)): other
        case .unlessNil(let path, let term, let otherwise):
            .unlessNil(path, term.coalesced(other), otherwise: otherwise.coalesced(other))
        case .constant, .range, .count, .aggregate, .arithmetic, .condition, .filtered,
            .filteredCount:
            self
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
        case .range, .condition, .unlessNil, .filtered, .filteredCount: nil
        }
    }

    var isPathOrConstant: Bool { if case .path = self { true } else { isConstant } }

    private var isConstant: Bool { if case .constant = self { true } else { false } }

    private var isUnlessNil: Bool { if case .unlessNil = self { true } else { false } }

    /// The comparison with another term; nil if the terms cannot be compared.
    func compared(_ comparison: QueryComparison, _ other: PredicateTerm) -> QueryExpression? {
        if case .unlessNil(let path, let term, let otherwise) = self {
            return Self.condition(
                unlessNil: path, term.compared(comparison, other),
                otherwise: otherwise.compared(comparison, other))
        }
        if other.isUnlessNil || isConstant && !other.isConstant {
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

    /// The comparison with a constant, if it has a special condition; otherwise nil.
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
        case .condition(let condition):
            guard let value = constant.truth, !comparison.isOfOrder else { return nil }
            return value == (comparison == .equal) ? condition : .not(condition)
        case .range, .arithmetic, .unlessNil, .filtered: return nil
        }
    }
}

extension QueryConstant {
    /// The value of a constant; otherwise nil.
    fileprivate var value: StoredValue? { if case .value(let value) = self { value } else { nil } }

    fileprivate var integer: Int64? {
        if case .int(let value)? = value { value } else { nil }
    }

    fileprivate var truth: Bool? {
        if case .bool(let value)? = value { value } else { nil }
    }
}
