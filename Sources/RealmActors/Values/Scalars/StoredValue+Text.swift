import Foundation
import Storage

extension StoredValue {
    private static let lengthMax = 40
    /// The distance from the reference date up to which dates are formatted: some 30,000 years.
    private static let calendarSeconds = 1e12

    /// As in a query; long strings are cut.
    var described: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text):
            text.count > Self.lengthMax
                ? "'\(text.prefix(Self.lengthMax))...'" : "'\(text)'"
        case .data(let data): "\(data.count) bytes"
        case .date(let seconds):
            // Foundation traps when it formats an infinite date.
            abs(seconds) < Self.calendarSeconds
                ? Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
                : "\(seconds)"
        case .uuid(let uuid): uuid.uuidString
        case .objectID(let bits): "\(ObjectId(bits: bits))"
        case .decimal(let bits): "\(Decimal128(bits: bits))"
        case .link, .object: "an object"
        case .list: "a list"
        case .dictionary: "a dictionary"
        }
    }

    /// The constant in a message about a query.
    var called: String {
        if case .bool(let value) = self { return "\(value)" }
        if case .string(let text) = self { return "the text '\(text.prefix(Self.lengthMax))'" }
        if let numeric, kind != .decimal { return "\(numeric.text)" }
        if isNull { return "nil" }
        return collection == nil && !isObject ? kind?.traits.phrase ?? "nil" : described
    }

    private var isObject: Bool { if case .object = self { true } else { false } }
}

extension NumericValue {
    fileprivate var text: String {
        switch self {
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let bits): "\(Decimal128(bits: bits))"
        }
    }
}
