import Foundation

/// Dates as ISO 8601 has them, in UTC, with as many digits as it takes to read the same date again.
enum DateText {
    private static let style = Date.ISO8601FormatStyle()

    /// The text for people, with milliseconds.
    static func text(_ date: Date) -> String {
        guard isInCalendar(date) else { return "\(date.timeIntervalSinceReferenceDate)" }
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The text that is read as exactly the date; nil where not even billionths say it.
    static func exact(_ date: Date) -> String? {
        guard isInCalendar(date) else { return nil }
        let seconds = date.timeIntervalSinceReferenceDate
        let whole = seconds.rounded(.down)
        let scales: [(digits: Int, scale: Double)] = [(0, 1), (3, 1e3), (6, 1e6), (9, 1e9)]
        for (digits, scale) in scales {
            let fraction = ((seconds - whole) * scale).rounded()
            guard fraction < scale || digits == 0 else { continue }
            var text = Date(timeIntervalSinceReferenceDate: whole).formatted(style)
            if digits > 0 {
                let number = String(Int(fraction))
                let zeros = String(repeating: "0", count: digits - number.count)
                text = "\(text.dropLast()).\(zeros)\(number)Z"
            }
            if self.date(text) == date { return text }
        }
        return nil
    }

    /// Whether its year is one of this era and has at most four digits: ISO 8601 as it is written
    /// here does not say the era. Infinity has no year, and formatting it would stop the program.
    private static func isInCalendar(_ date: Date) -> Bool {
        date >= .distantPast && date.timeIntervalSinceReferenceDate < 1e11
    }

    static func date(_ text: String) -> Date? {
        guard let point = text.lastIndex(of: ".") else { return try? style.parse(text) }
        let digits = text[text.index(after: point)...].prefix(while: { $0.isASCII && $0.isNumber })
        let rest = String(text[digits.endIndex...])
        guard let whole = try? style.parse(String(text[..<point]) + rest),
            let fraction = Double("0.\(digits)")
        else { return nil }
        // Milliseconds are most often those of a clock that counts from 1970; more digits are made
        // of what `Date` holds, which counts from 2001.
        return digits.count <= 3
            ? Date(timeIntervalSince1970: whole.timeIntervalSince1970 + fraction)
            : Date(timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + fraction)
    }
}
