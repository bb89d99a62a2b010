package import Foundation
package import Storage

/// The condition of a `where` closure in terms of property names: not yet bound to a schema.
package indirect enum QueryExpression: Sendable {
    case constant(Bool)
    case and(QueryExpression, QueryExpression)
    case or(QueryExpression, QueryExpression)
    case not(QueryExpression)
    /// A property against a value.
    case comparison(QueryPath, QueryComparison, StoredValue)
    /// A property against another one of the same row.
    case columns(QueryPath, QueryComparison, QueryPath)
    /// A link, or one of a collection, leads to a row, or elsewhere.
    case row(QueryPath, QueryRow, isEqual: Bool)
    /// A property is one of some values.
    case member(QueryPath, [StoredValue])
    /// A property lies between two values; the upper one belongs to the range or not.
    case between(QueryPath, StoredValue, StoredValue, includesUpper: Bool)
    /// Text operators; a missing argument never matches.
    case text(QueryPath, TextOperator, String?, StringOptions)
    /// The same for bytes, which options treat as texts.
    case bytes(QueryPath, TextOperator, Data, StringOptions)
    /// The same with another property of the row as argument.
    case texts(QueryPath, TextOperator, QueryPath, StringOptions)
    /// A text matches a full-text search, alone or together with the properties of the same object
    /// that have these names.
    case fullText(QueryPath, alsoIn: [String], String)
    /// The number of elements of a collection, or of values at the end of its path.
    case count(QueryPath, QueryComparison, Int64)
    /// An aggregate over a collection, or over values at the end of its path.
    case aggregate(QueryPath, CollectionAggregate, QueryComparison, StoredValue)
    /// A comparison of two operands that are computed for each row.
    case operands(QueryOperand, QueryComparison, QueryOperand)
    /// The number of rows of one collection that meet a condition. The paths of the condition begin
    /// at those rows, or, where no collection is named, at the row that has the collection.
    case subquery(QueryPath?, QueryExpression, QueryComparison, Int64)
    /// The place of an embedded object is within an area.
    case geoWithin(QueryPath, GeoArea)
    /// The error of an invalid condition, thrown when it is bound.
    case refused(RealmError)
}

/// The six ways to compare two values.
package enum QueryComparison: Sendable, Hashable, CaseIterable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual

    /// The symbol in a query.
    var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }

    /// Whether it depends on the order of two values, and not only on their equality.
    var isOfOrder: Bool {
        switch self {
        case .equal, .notEqual: false
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        }
    }

    /// Whether null compared with `constant` by this operator holds.
    ///
    /// Null equals null only and orders with nothing else.
    package func holdsForNull(against constant: StoredValue) -> Bool {
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual: constant.isNull
        case .notEqual: !constant.isNull
        case .less, .greater: false
        }
    }
}

/// The aggregate of a collection in a query.
package enum CollectionAggregate: Sendable, Hashable, CaseIterable {
    case minimum
    case maximum
    case sum
    case average
    /// The number of different values.
    case distinctCount

    /// The operator after a path.
    var symbol: String {
        switch self {
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        case .distinctCount: "@distinctCount"
        }
    }

    /// Whether it is one of the values, and not computed from them.
    var isOneOfTheValues: Bool {
        switch self {
        case .minimum, .maximum: true
        case .sum, .average, .distinctCount: false
        }
    }

    /// The constant in the type of the aggregate: averages are doubles, also those of decimals.
    func comparand(_ constant: StoredValue) -> StoredValue {
        guard self == .average, case .decimal(let bits) = constant else { return constant }
        return .double(Decimal128(bits: bits).doubleValue)
    }
}
