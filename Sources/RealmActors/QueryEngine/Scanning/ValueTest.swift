import Foundation
package import Storage

/// A condition on one value, wherever it comes from: the general form of every comparison.
package enum ValueTest: Sendable {
    case comparison(QueryComparison, StoredValue)
    case member(Set<ExactValue>)
    case between(StoredValue, StoredValue, includesUpper: Bool)
    case text(TextMatcher, isNegated: Bool)
    case never
    /// The condition does not hold.
    indirect case not(ValueTest)

    func matches(_ value: StoredValue) -> Bool {
        switch self {
        case .comparison(let comparison, let constant):
            return ValueTest.compare(value, comparison, constant)
        case .member(let values):
            return values.contains(ExactValue(value)) && !value.isNotANumber
        case .between(let low, let high, let includesUpper):
            return ValueTest.compare(value, .greaterOrEqual, low)
                && ValueTest.compare(value, includesUpper ? .lessOrEqual : .less, high)
        case .text(let matcher, let isNegated):
            return ValueTest.matchesText(value, matcher) != isNegated
        case .never:
            return false
        case .not(let test):
            return !test.matches(value)
        }
    }

    /// Compares by the rules of queries: null equals null only, NaN nothing; texts and data order
    /// by their bytes, numbers of different kinds by value.
    static func compare(
        _ a: StoredValue, _ comparison: QueryComparison, _ b: StoredValue
    ) -> Bool {
        if a.isNull { return comparison.holdsForNull(against: b) }
        if b.isNull { return comparison == .notEqual }
        if a.isNotANumber || b.isNotANumber { return comparison == .notEqual }
        let equal = isEqual(a, b)
        switch comparison {
        case .equal: return equal
        case .notEqual: return !equal
        default: break
        }
        guard a.family == b.family else { return false }
        switch comparison {
        case .less: return !equal && a < b
        case .lessOrEqual: return equal || a < b
        case .greater: return !equal && b < a
        default: return equal || b < a
        }
    }

    private static func isEqual(_ a: StoredValue, _ b: StoredValue) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)):
            // By bytes: the library's == would equate different encodings of one character.
            return a.utf8.elementsEqual(b.utf8)
        case (.int(let a), .int(let b)): return a == b
        case (.decimal(let a), .decimal(let b)): return a == b
        default:
            return a.isSame(inOrder: b)
        }
    }

    static func matchesText(_ value: StoredValue, _ matcher: TextMatcher) -> Bool {
        switch value {
        case .string(var text): return text.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0)) }
        // Unsafe: lent for the call, which reads within the buffer.
        case .data(let data): return data.withUnsafeBytes { matcher.matches($0) }
        default: return false
        }
    }
}

extension StoredValue {
    /// Kinds that order among each other.
    enum Family {
        case null, bool, number, string, data, date, uuid, link, object, objectID, collection
    }

    var family: Family {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int, .float, .double, .decimal: .number
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .link: .link
        case .object: .object
        case .objectID: .objectID
        case .list, .dictionary: .collection
        }
    }

    var isNotANumber: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value), .date(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    /// The value of a number, rounded to a double where it is not one.
    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.double
        default: nil
        }
    }
}
