import Storage

/// A part of a query string: a condition, or something to compare.
struct QueryTerm {
    indirect enum Kind {
        case constant(QueryConstant)
        case path(QueryPath)
        /// Properties of one object that are searched together.
        case paths([QueryPath])
        case count(QueryPath)
        case aggregate(QueryPath, CollectionAggregate)
        /// The number of objects of a collection that meet a condition.
        case subquery(QueryPath, QueryExpression)
        case arithmetic(QueryTerm, ArithmeticOperator, QueryTerm)
        case datePart(QueryPath, DatePart)
        /// The type of what a property of any type holds.
        case type(QueryPath)
        case condition(QueryExpression)
    }

    let kind: Kind
    /// Where it begins, in Unicode scalars.
    let position: Int

    var constant: QueryConstant? { if case .constant(let value) = kind { value } else { nil } }

    /// The path to its value, or to the date that it is a part of.
    var path: QueryPath? {
        switch kind {
        case .path(let path), .datePart(let path, _): path
        case .constant, .paths, .count, .aggregate, .subquery, .arithmetic, .type, .condition: nil
        }
    }

    /// The number of terms of a calculation.
    var termCount: Int {
        if case .arithmetic(let left, _, let right) = kind {
            left.termCount + right.termCount
        } else {
            1
        }
    }

    var isOfPaths: Bool { if case .paths = kind { true } else { false } }

    var isList: Bool { if case .constant(.list) = kind { true } else { false } }

    var isType: Bool { if case .type = kind { true } else { false } }

    var isCondition: Bool { if case .condition = kind { true } else { false } }
}

/// The operator between two terms.
enum QueryTermOperator: Equatable {
    case comparison(QueryComparison)
    case text(TextOperator)
    case between
    case isIn
    case geoWithin
    case fullText

    /// The symbol or keyword.
    var text: String {
        switch self {
        case .comparison(let comparison): comparison.symbol
        case .text(let kind): kind.symbol
        case .between: "BETWEEN"
        case .isIn: "IN"
        case .geoWithin: "GEOWITHIN"
        case .fullText: "TEXT"
        }
    }

    /// The operators by what they are written as, which is a symbol or a keyword. Where two are
    /// written alike, as == of texts is, it is the comparison.
    static let all: [String: QueryTermOperator] = {
        let texts = TextOperator.allCases.map { QueryTermOperator.text($0) }
        let comparisons = QueryComparison.allCases.map { QueryTermOperator.comparison($0) }
        var all: [String: QueryTermOperator] = [
            "=": .comparison(.equal), "<>": .comparison(.notEqual),
            "=<": .comparison(.lessOrEqual), "=>": .comparison(.greaterOrEqual),
        ]
        for operation in texts + comparisons + [.between, .isIn, .geoWithin, .fullText] {
            all[operation.text] = operation
        }
        return all
    }()

    /// Whether options may apply to the equality of texts.
    var takesOptions: Bool {
        switch self {
        case .comparison, .text, .isIn: true
        case .between, .geoWithin, .fullText: false
        }
    }
}
