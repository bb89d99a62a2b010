import Foundation
package import Storage

/// A condition on one value, wherever it comes from: the general form of every comparison.
package enum ValueTest: Sendable {
    case comparison(QueryComparison, StoredValue)
    case member(Set<ExactValue>)
    case between(StoredValue, StoredValue, includesUpper: Bool)
    case text(TextMatcher, isNegated: Bool)
    case search(TextSearch)
    case types(ValueTypeSet)
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
        case .search(let search):
            guard case .string(var text) = value else { return false }
            return text.withUTF8 { search.matches(UnsafeRawBufferPointer($0)) }
        case .types(let types):
            return types.contains(ValueTypeSet(of: value))
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
        case .less: return !equal && a.family == b.family && a < b
        case .lessOrEqual: return equal || a.family == b.family && a < b
        case .greater: return !equal && a.family == b.family && b < a
        case .greaterOrEqual: return equal || a.family == b.family && b < a
        }
    }

    private static func isEqual(_ a: StoredValue, _ b: StoredValue) -> Bool {
        // By bytes: the library's == would equate different encodings of one character.
        if case (.string(let a), .string(let b)) = (a, b) { return a.utf8.elementsEqual(b.utf8) }
        if case (.int(let a), .int(let b)) = (a, b) { return a == b }
        if case (.decimal(let a), .decimal(let b)) = (a, b) { return a == b }
        return a.isSame(inOrder: b)
    }

    static func matchesText(_ value: StoredValue, _ matcher: TextMatcher) -> Bool {
        if case .string(var text) = value, !matcher.isOfBytes {
            return text.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0)) }
        }
        if case .data(let data) = value, matcher.isOfBytes {
            // Unsafe: borrowed for the call, which reads within the buffer.
            return data.withUnsafeBytes { matcher.matches($0) }
        }
        return false
    }
}

/// A condition on one text, by its bytes where they lie.
enum TextTest {
    case comparison(QueryComparison, [UInt8])
    case matcher(TextMatcher, isNegated: Bool)

    @inline(__always)
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .comparison(let comparison, let constant):
            // Unsafe: borrowed for the comparison, which keeps within both buffers.
            constant.withUnsafeBytes { comparison.holds(ByteOrder.compare(text, $0), 0) }
        case .matcher(let matcher, let isNegated): matcher.matches(text) != isNegated
        }
    }
}

extension ValueTest {
    /// The same condition on the bytes of texts that are not null; nil if it needs the value.
    var ofTexts: TextTest? {
        switch self {
        case .comparison(let comparison, .string(let constant)):
            .comparison(comparison, Array(constant.utf8))
        case .text(let matcher, let isNegated): .matcher(matcher, isNegated: isNegated)
        case .comparison, .member, .between, .search, .types, .never, .not: nil
        }
    }
}
