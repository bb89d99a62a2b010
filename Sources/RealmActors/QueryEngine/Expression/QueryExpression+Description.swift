import Foundation
import Storage

/// Conditions as text, in the language of query strings.
extension QueryExpression: CustomStringConvertible {
    package var description: String {
        switch self {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and: return conjuncts.map { $0.within(and: true) }.joined(separator: " AND ")
        case .or: return disjuncts.map { $0.within(and: false) }.joined(separator: " OR ")
        case .not(let inner): return "NOT (\(inner))"
        case .comparison(let path, let comparison, let value):
            return "\(path.described) \(comparison.symbol) \(value.described)"
        case .columns(let left, let comparison, let right):
            return "\(left.described) \(comparison.symbol) \(right.text)"
        case .row(let path, _, let isEqual):
            return "\(path.described) \(isEqual ? "==" : "!=") an object"
        case .member(let path, let values):
            return "\(path.described) \(QueryTest.member(values).described)"
        case .between(let path, let low, let high, let includesUpper):
            let test = QueryTest.between(low, high, includesUpper: includesUpper)
            return "\(path.described) \(test.described)"
        case .text(let path, let kind, let text, let options):
            let value = text.map { StoredValue.string($0).described } ?? "NULL"
            return "\(path.described) \(kind.symbol)\(options.symbol) \(value)"
        case .bytes(let path, let kind, let bytes, let options):
            let value = StoredValue.data(bytes).described
            return "\(path.described) \(kind.symbol)\(options.symbol) \(value)"
        case .texts(let left, let kind, let right, let options):
            return "\(left.described) \(kind.symbol)\(options.symbol) \(right.text)"
        case .count(let path, let comparison, let count):
            return "\(path.text).@count \(comparison.symbol) \(count)"
        case .aggregate(let path, let aggregate, let comparison, let value):
            return "\(path.text).\(aggregate.symbol) \(comparison.symbol) \(value.described)"
        case .operands(.tested(let value, .types(let types)), _, _):
            return "\(value.described).@type \(types.text)"
        case .operands(.tested(let value, let test), _, _):
            return "\(value.described) \(test.described)"
        case .operands(let left, let comparison, let right):
            return "\(left.described) \(comparison.symbol) \(right.described)"
        case .subquery(let path, let condition, let comparison, let count):
            let collection = path.map { "\($0.text), " } ?? ""
            return "SUBQUERY(\(collection)\(condition)).@count \(comparison.symbol) \(count)"
        case .fullText(let path, let others, let text):
            return "\(path.described(with: others)) TEXT \(StoredValue.string(text).described)"
        case .geoWithin(let path, _): return "\(path.described) GEOWITHIN an area"
        case .refused: return "an invalid condition"
        }
    }

    private func within(and isAnd: Bool) -> String {
        switch junction {
        case .and?: isAnd ? description : "(\(self))"
        case .or?: isAnd ? "(\(self))" : description
        case nil: description
        }
    }
}

extension QueryTest {
    /// The text of the test, after the operand.
    fileprivate var described: String {
        switch self {
        case .member(let values): "IN \(Self.list(values))"
        case .between(let low, let high, includesUpper: true):
            "BETWEEN {\(low.described), \(high.described)}"
        case .between(let low, let high, includesUpper: false):
            ">= \(low.described) AND < \(high.described)"
        case .rows(let rows, let others):
            "IN {\(rows.count == 1 ? "an object" : "\(rows.count) objects")"
                + (others.isEmpty ? "}" : ", or one of \(others.count) values}")
        case .types(let types): types.text
        }
    }

    private static let shownMax = 5

    private static func list(_ values: [StoredValue]) -> String {
        var shown = values.prefix(shownMax).map(\.described)
        if values.count > shownMax { shown.append("and \(values.count - shownMax) more") }
        return "{\(shown.joined(separator: ", "))}"
    }
}

extension QueryPath {
    fileprivate var described: String {
        switch quantifier {
        case .unspecified: text
        case .any: "ANY \(text)"
        case .all: "ALL \(text)"
        case .none: "NONE \(text)"
        }
    }

    /// With other properties of the object that it leads to the property of.
    fileprivate func described(with others: [String]) -> String {
        if others.isEmpty { return described }
        let names = [text] + others.map { replacingLast(with: $0).text }
        let list = QueryPath(steps: ["{\(names.joined(separator: ", "))}"])
        return list.with(quantifier).described
    }
}

extension QueryOperand {
    fileprivate var described: String {
        switch self {
        case .constant(let value): value.described
        case .path(let path): path.described
        case .count(let path): "\(path.text).@count"
        case .aggregate(let path, let aggregate): "\(path.text).\(aggregate.symbol)"
        case .arithmetic(let left, let operation, let right):
            "(\(left.described) \(operation.symbol) \(right.described))"
        case .datePart(let date, let part): "\(date.described).\(part.text)"
        case .tested(let value, let test): "\(value.described) \(test.described)"
        case .refused: "an invalid calculation"
        }
    }
}

extension StringOptions {
    fileprivate var symbol: String {
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

extension ArithmeticOperator {
    fileprivate var symbol: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .remainder: "%"
        }
    }
}
