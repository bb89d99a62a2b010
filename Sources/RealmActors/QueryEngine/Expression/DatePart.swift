import Foundation
package import Storage

/// A part of a date in a query, by the calendar of ISO 8601: the proleptic Gregorian calendar.
package struct DatePart: Sendable, Hashable {
    enum Unit: String, Sendable {
        case year
        case month
        case day
        /// From Monday, which is 1, to Sunday, which is 7.
        case weekday
        case hour
        case minute
        case second
    }

    let unit: Unit
    /// The zone in which the date is expressed; UTC for nil.
    let zone: TimeZone?

    init(_ unit: Unit, in zone: TimeZone?) {
        (self.unit, self.zone) = (unit, zone)
    }

    /// The operator after a date.
    var text: String { unit.rawValue + (zone.map { "['\(Self.name(of: $0))']" } ?? "") }

    /// The name of a zone; its offset from UTC if the name represents another one, because names
    /// have no seconds.
    private static func name(of zone: TimeZone) -> String {
        let (name, offset) = (zone.identifier, zone.secondsFromGMT())
        if TimeZone(identifier: name)?.secondsFromGMT() == offset { return name }
        let seconds = abs(offset)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        let digits = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "GMT\(offset < 0 ? "-" : "+")\(digits)"
    }

    /// The part of a value: null for null, NaN for a value that is not a date or is beyond the
    /// calendar.
    package func value(of value: StoredValue) -> StoredValue {
        if value.isNull { return .null }
        guard case .date(let seconds) = value, abs(seconds) < Self.secondsMax else {
            return .double(.nan)
        }
        // Whole seconds first: the moment before midnight would be rounded to hour 24.
        var whole = seconds.rounded(.down)
        if let zone {
            whole += Double(
                zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: whole)))
        }
        let day = (whole / 86_400).rounded(.down)
        return .int(number(day: Int64(day), second: Int64(whole - day * 86_400)))
    }

    /// About 30 million years: beyond that, doubles soon cannot distinguish seconds.
    private static let secondsMax = 1e15

    /// `day` counts from 2001-01-01, a Monday, and `second` from the beginning of the day.
    private func number(day: Int64, second: Int64) -> Int64 {
        switch unit {
        case .year, .month, .day: civil(day)
        case .weekday: ((day % 7) + 7) % 7 + 1
        case .hour: second / 3600
        case .minute: second / 60 % 60
        case .second: second % 60
        }
    }

    /// The moment in UTC, in seconds since the reference date; nil where no calendar has that day.
    static func seconds(
        year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64
    ) -> Int64? {
        guard year < 1_000_000, 1...12 ~= month, 1...31 ~= day, 0..<24 ~= hour,
            0..<60 ~= minute, 0..<60 ~= second
        else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let number = era * 146_097 + dayOfEra - 730_791
        // Rejects days like the 30th of February, which would be in March.
        guard DatePart(.month, in: nil).civil(number) == month else { return nil }
        return number * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Years begin in March, so that the leap day is the last one, in eras of 400 years, which have
    /// equal lengths.
    private func civil(_ day: Int64) -> Int64 {
        // Days since 0000-03-01.
        let shifted = day + 730_791
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        switch unit {
        case .year: return yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        case .month: return month
        case .day: return dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        case .weekday, .hour, .minute, .second: return 0
        }
    }
}
