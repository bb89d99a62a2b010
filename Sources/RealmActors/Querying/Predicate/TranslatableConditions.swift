import Foundation
import Storage

// Comparisons and logical operators.

extension PredicateExpressions.Equal: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.compare(lhs, .equal, rhs, self) }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.compare(lhs, .notEqual, rhs, self) }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let comparison: QueryComparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw translation.refusal(self)
            }
        return try translation.compare(lhs, comparison, rhs, self)
    }
}

extension PredicateTranslation {
    fileprivate mutating func compare(
        _ left: Any, _ comparison: QueryComparison, _ right: Any, _ expression: Any
    ) throws(RealmError) -> PredicateTerm {
        let (a, b) = (try term(left), try term(right))
        guard let condition = a.compared(comparison, b) else { throw refusal(expression) }
        return .condition(condition)
    }
}

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        .condition(.and(try translation.condition(lhs), try translation.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        .condition(.or(try translation.condition(lhs), try translation.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { .condition(.not(try translation.condition(wrapped))) }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let test = try translation.condition(test)
        return .condition(
            .or(
                .and(test, try translation.condition(trueBranch)),
                .and(.not(test), try translation.condition(falseBranch))))
    }
}

// Optionals.

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.term(inner) }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let wrapped = try translation.term(self.wrapped)
        guard case .path(let path) = wrapped else { throw translation.refusal(self) }
        let result = try translation.term(transform, where: variable.key, is: wrapped)
        // A collection is nil only if its object is nil.
        let isCollection = Wrapped.self is any CountedCollection.Type
        let link = isCollection ? QueryPath(steps: path.steps.dropLast()) : path
        return result.unlessNil(link)
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let (left, right) = (try translation.term(lhs), try translation.term(rhs))
        return left.coalesced(right)
    }
}
