import Foundation

extension Date {
    /// The date in an ISO 8601 string, the form of dates in JSON.
    ///
    /// Foundation's parsers ignore text after a date, and accept a day that its month does not have
    /// as one of the next month.
    init?(iso8601 text: String) {
        guard ISOText.isDate(text) else { return nil }
        let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: exact))
        else { return nil }
        self = date
    }
}

/// The form of dates in ISO 8601: `2026-02-28T08:30:00Z`, possibly with a fraction of the second,
/// and with an offset from UTC in place of the `Z`.
private struct ISOText {
    private var rest: ArraySlice<UInt8>

    /// Whether a string is a date, and nothing else.
    static func isDate(_ text: String) -> Bool {
        var scan = ISOText(rest: Array(text.utf8)[...])
        return scan.takeDay() && scan.take("T") && scan.takeTime() && scan.takeOffset()
            && scan.rest.isEmpty
    }

    private mutating func takeDay() -> Bool {
        guard let year = number(4), take("-"), let month = number(2), take("-"),
            let day = number(2), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day >= 1 && day <= days[month - 1]
    }

    private mutating func takeTime() -> Bool {
        guard let hour = number(2), hour <= 24, take(":"), let minute = number(2), minute < 60,
            take(":"), let second = number(2), second <= 60
        else { return false }
        guard take(".") else { return true }
        let digits = rest.prefix { Self.digits.contains($0) }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    private mutating func takeOffset() -> Bool {
        if take("Z") || take("z") { return true }
        guard take("+") || take("-"), let hours = number(2), hours <= 24 else { return false }
        // Minutes and seconds, either of which may be missing.
        for _ in 0..<2 where !rest.isEmpty {
            _ = take(":")
            guard let part = number(2), part < 60 else { return false }
        }
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func number(_ count: Int) -> Int? {
        let taken = rest.prefix(count)
        guard taken.count == count, taken.allSatisfy({ Self.digits.contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return taken.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
