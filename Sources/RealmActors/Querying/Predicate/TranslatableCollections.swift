import Foundation
import Storage

// Ranges, strings, collections.

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        try translation.range(lower, upper, includesUpper: true, self)
    }
}

extension PredicateExpressions.Range: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        try translation.range(lower, upper, includesUpper: false, self)
    }
}

extension PredicateTranslation {
    fileprivate mutating func range(
        _ lower: Any, _ upper: Any, includesUpper: Bool, _ expression: Any
    ) throws(RealmError) -> PredicateTerm {
        guard case .constant(.value(let low)) = try term(lower),
            case .constant(.value(let high)) = try term(upper)
        else { throw refusal(expression) }
        return .range(low: low, high: high, includesUpper: includesUpper)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        guard case .range(let low, let high, let includesUpper) = try translation.term(range),
            case .path(let path) = try translation.term(element)
        else { throw translation.refusal(self) }
        return .condition(.between(path, low, high, includesUpper: includesUpper))
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let (sequence, element) = (
            try translation.term(self.sequence), try translation.term(self.element)
        )
        if case .constant(.list(let constants)) = sequence, case .path(let path) = element {
            let parts = constants.compactMap {
                PredicateTerm.path(path).compared(.equal, .constant($0))
            }
            guard parts.count == constants.count else { throw translation.refusal(self) }
            let values = constants.compactMap { constant -> StoredValue? in
                if case .value(let value) = constant { value } else { nil }
            }
            return .condition(values.count == parts.count ? .member(path, values) : .any(parts))
        }
        guard case .path(let path) = sequence, element.isPathOrConstant,
            let found = PredicateTerm.path(path.with(.any)).compared(.equal, element)
        else { throw translation.refusal(self) }
        return .condition(found)
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        try translation.text(base, .contains, other, self)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        try translation.text(base, .beginsWith, prefix, self)
    }
}

extension PredicateTranslation {
    fileprivate mutating func text(
        _ base: Any, _ kind: TextOperator, _ part: Any, _ expression: Any
    ) throws(RealmError) -> PredicateTerm {
        guard case .path(let path) = try term(base),
            case .constant(.value(let value)) = try term(part)
        else { throw refusal(expression) }
        // In Swift every string contains the empty one; in queries none does.
        let isPresent = QueryExpression.comparison(path, .notEqual, .null)
        if case .string(let text) = value {
            return .condition(text.isEmpty ? isPresent : .text(path, kind, text, []))
        }
        if case .data(let bytes) = value {
            return .condition(bytes.isEmpty ? isPresent : .bytes(path, kind, bytes, []))
        }
        throw refusal(expression)
    }
}

// Conditions on elements: of objects as subqueries, of values as one comparison of any or all.

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let (path, condition, isOfObjects) = try translation.elements(
            sequence, test, variable, .any, self)
        return .condition(isOfObjects ? .subquery(path, condition, .greater, 0) : condition)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let (path, condition, isOfObjects) = try translation.elements(
            sequence, test, variable, .all, self)
        return .condition(
            isOfObjects ? .subquery(path, .not(condition), .equal, 0) : condition)
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let (path, condition, isOfObjects) = try translation.elements(
            sequence, filter, variable, .any, self)
        guard isOfObjects else { throw translation.refusal(self) }
        return .filtered(path, condition)
    }
}

extension PredicateTranslation {
    /// A condition on the elements of a collection.
    fileprivate mutating func elements<Element>(
        _ sequence: Any, _ test: Any, _ variable: PredicateExpressions.Variable<Element>,
        _ quantifier: QueryQuantifier, _ expression: Any
    ) throws(RealmError) -> (QueryPath, QueryExpression, isOfObjects: Bool) {
        guard case .path(let path) = try term(sequence) else { throw refusal(expression) }
        if Element.self is ObjectBase.Type {
            let element = PredicateTerm.path(QueryPath(steps: []))
            let outer = self
            // A subquery cannot refer to the variables around it.
            self = PredicateTranslation()
            depth = outer.depth
            defer { self = outer }
            return (path, try condition(test, where: variable.key, is: element), true)
        }
        let element = PredicateTerm.path(path.with(quantifier))
        let condition = try condition(test, where: variable.key, is: element)
        guard condition.isOneTest else { throw refusal(expression) }
        return (path, condition, false)
    }
}
