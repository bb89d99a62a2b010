import Foundation
import Storage

/// Translates a predicate of Foundation into a query.
///
/// Expressions with a counterpart conform to ``TranslatableExpression``; any other expression is an
/// error that names it.
struct PredicateTranslation {
    /// The terms of the variables: the paths from the row to their objects.
    private var variables: [PredicateExpressions.VariableID: PredicateTerm] = [:]
    var depth = 0

    /// The maximum nesting of expressions.
    private static let depthMax = 64

    static func condition<Model: ObjectBase>(
        _ predicate: Predicate<Model>
    ) throws(RealmError) -> QueryExpression {
        var translation = PredicateTranslation()
        translation.variables[predicate.variable.key] = .path(QueryPath(steps: []))
        return try translation.condition(predicate.expression)
    }

    /// Translates an expression that is a condition.
    mutating func condition(_ expression: Any) throws(RealmError) -> QueryExpression {
        guard let condition = try term(expression).condition else { throw refusal(expression) }
        return condition
    }

    mutating func term(_ expression: Any) throws(RealmError) -> PredicateTerm {
        guard let expression = expression as? any TranslatableExpression else {
            throw refusal(expression)
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw .invalidQuery(
                message: "The predicate nests deeper than \(Self.depthMax) levels.", position: nil)
        }
        return try expression.translated(&self)
    }

    /// The path of a variable.
    func term(of variable: PredicateExpressions.VariableID) -> PredicateTerm? {
        variables[variable]
    }

    /// Translates a condition on the object of `variable`.
    mutating func condition(
        _ expression: Any, where variable: PredicateExpressions.VariableID, is term: PredicateTerm
    ) throws(RealmError) -> QueryExpression {
        try self.term(expression, where: variable, is: term).condition.required(
            by: self, expression)
    }

    mutating func term(
        _ expression: Any, where variable: PredicateExpressions.VariableID, is term: PredicateTerm
    ) throws(RealmError) -> PredicateTerm {
        variables[variable] = term
        defer { variables[variable] = nil }
        return try self.term(expression)
    }

    /// The error of an expression that has no counterpart.
    func refusal(_ expression: Any) -> RealmError {
        let name = String(describing: type(of: expression)).prefix { $0 != "<" }
        let whole = String(reflecting: type(of: expression)).simplified
        return .invalidQuery(
            message: "The predicate uses an expression of kind '\(name)' in a way that no query "
                + "can express: \(whole). Documentation/Queries.md lists what can be used; filter "
                + "the rest in Swift.", position: nil)
    }
}

extension Optional where Wrapped == QueryExpression {
    fileprivate func required(
        by translation: PredicateTranslation, _ expression: Any
    ) throws(RealmError) -> QueryExpression {
        guard let self else { throw translation.refusal(expression) }
        return self
    }
}

extension String {
    /// The name of an expression's type, without modules, shortened if it is long.
    fileprivate var simplified: String {
        var text = self
        for module in ["Foundation", "FoundationEssentials", "Swift"] {
            text = text.replacingOccurrences(of: module + ".", with: "")
        }
        text = text.replacingOccurrences(of: "PredicateExpressions.", with: "")
        return text.count > 200 ? text.prefix(200) + "..." : text
    }
}

/// An expression of Foundation's predicates that has a counterpart in queries.
protocol TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm
}
