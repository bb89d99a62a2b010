/// An operator that matches a string with another.
package enum TextOperator: Sendable, Hashable, CaseIterable {
    case contains
    case beginsWith
    case endsWith
    case equals
    case notEquals
    /// `?` matches one character, `*` any number of them.
    case like

    /// Its symbol or keyword in a query.
    var symbol: String {
        switch self {
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .equals: "=="
        case .notEquals: "!="
        case .like: "LIKE"
        }
    }

    /// The operator that it negates; itself if it is not a negation.
    var positive: TextOperator { self == .notEquals ? .equals : self }

    var isNegated: Bool { positive != self }

    /// The comparison if the argument or the value is null; nil if it does not hold then.
    var comparisonOfNull: QueryComparison? {
        switch self {
        case .equals, .like: .equal
        case .notEquals: .notEqual
        case .contains, .beginsWith, .endsWith: nil
        }
    }

    /// Whether an argument without any bytes is found nowhere.
    var needsBytes: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith: true
        case .equals, .notEquals, .like: false
        }
    }

    /// Whether the argument is a pattern, which bytes do not have.
    var takesPattern: Bool { self == .like }

    /// The share of texts for which it is taken to hold.
    var share: Double {
        switch self {
        case .equals, .notEquals: 0.03
        case .beginsWith, .endsWith: 0.05
        case .contains, .like: 0.15
        }
    }

    /// About how many nanoseconds it takes for each text; a pattern reads every byte of it.
    var time: Double {
        switch self {
        case .equals, .notEquals, .beginsWith: 4
        case .endsWith: 8
        case .contains: 15
        case .like: 40
        }
    }
}
