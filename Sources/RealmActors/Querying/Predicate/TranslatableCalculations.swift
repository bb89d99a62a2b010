import Foundation
import Storage

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let operation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw translation.refusal(self)
            }
        return try translation.calculate(lhs, operation, rhs, self)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.calculate(lhs, .divide, rhs, self) }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.calculate(lhs, .divide, rhs, self) }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { try translation.calculate(lhs, .remainder, rhs, self) }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        guard let operand = try translation.term(wrapped).operand else {
            throw translation.refusal(self)
        }
        return .arithmetic(.arithmetic(.constant(.int(0)), .subtract, operand))
    }
}

extension PredicateTranslation {
    fileprivate mutating func calculate(
        _ left: Any, _ operation: ArithmeticOperator, _ right: Any, _ expression: Any
    ) throws(RealmError) -> PredicateTerm {
        guard let a = try term(left).operand, let b = try term(right).operand else {
            throw refusal(expression)
        }
        return .arithmetic(.arithmetic(a, operation, b))
    }
}
