import Storage

/// A part of a query in text: a condition, or something to compare.
struct QueryTerm {
    indirect enum Kind {
        case constant(QueryConstant)
        case path(QueryPath)
        case count(QueryPath)
        case aggregate(QueryPath, CollectionAggregate)
        /// The number of objects of a collection that meet a condition.
        case subquery(QueryPath, QueryExpression)
        case arithmetic(QueryTerm, ArithmeticOperator, QueryTerm)
        case condition(QueryExpression)
    }

    let kind: Kind
    /// Where it begins, in Unicode scalars.
    let position: Int

    var constant: QueryConstant? { if case .constant(let value) = kind { value } else { nil } }

    /// How many terms a calculation has.
    var termCount: Int {
        if case .arithmetic(let left, _, let right) = kind {
            left.termCount + right.termCount
        } else {
            1
        }
    }

    var isCondition: Bool { if case .condition = kind { true } else { false } }
}

/// What joins two terms.
enum QueryTermOperator: Equatable {
    case comparison(QueryComparison)
    case text(TextOperator)
    case between
    case isIn
    case geoWithin

    /// How it is written.
    var text: String {
        switch self {
        case .comparison(.equal): "=="
        case .comparison(.notEqual): "!="
        case .comparison(.less): "<"
        case .comparison(.lessOrEqual): "<="
        case .comparison(.greater): ">"
        case .comparison(.greaterOrEqual): ">="
        case .text(.contains): "CONTAINS"
        case .text(.beginsWith): "BEGINSWITH"
        case .text(.endsWith): "ENDSWITH"
        case .text(.like): "LIKE"
        case .text(.equals): "=="
        case .text(.notEquals): "!="
        case .between: "BETWEEN"
        case .isIn: "IN"
        case .geoWithin: "GEOWITHIN"
        }
    }
}
