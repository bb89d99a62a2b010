import Foundation
import RealmActors
import StorageHarness

/// A component of a date, as defined by Foundation.
private struct FreightDatePart: Sendable {
    let name: String
    let component: Calendar.Component
    /// The approximate number of its values.
    let count: Int

    static let all: [FreightDatePart] = [
        FreightDatePart(name: "year", component: .year, count: 2005),
        FreightDatePart(name: "month", component: .month, count: 13),
        FreightDatePart(name: "day", component: .day, count: 32),
        FreightDatePart(name: "weekday", component: .weekday, count: 8),
        FreightDatePart(name: "hour", component: .hour, count: 24),
        FreightDatePart(name: "minute", component: .minute, count: 60),
        FreightDatePart(name: "second", component: .second, count: 60),
    ]

    /// UTC for nil. One has an offset with a fraction of an hour, one has daylight saving time.
    static let zones: [TimeZone?] = [
        nil, TimeZone(secondsFromGMT: -12_600), TimeZone(identifier: "Europe/Berlin"),
    ]

    func calendar(_ zone: TimeZone?) -> Calendar {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone ?? TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar
    }

    func value(_ seconds: Double, _ calendar: Calendar) -> Int {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let value = calendar.component(component, from: date)
        // Foundation's weeks begin with Sunday.
        return component == .weekday ? (value + 5) % 7 + 1 : value
    }
}

extension SeededGenerator {
    /// A condition on a date, or on a component of it.
    mutating func dates() -> FreightClause {
        if oneIn(2) { return partsOfDates() }
        let comparison = one(FreightComparison.all)
        let day = next(below: 60)
        let name = "d\(day)"
        let time = Double(day) * 20 * 86_400
        var clause = FreightClause("due \(comparison.sign) $\(name)") { row, _ in
            comparison.holds(row.due, time)
        }
        clause.arguments = [name: Date(timeIntervalSinceReferenceDate: time)]
        return clause
    }

    private mutating func partsOfDates() -> FreightClause {
        let (part, zone) = (one(FreightDatePart.all), one(FreightDatePart.zones))
        let calendar = part.calendar(zone)
        let number = part.count < 100 ? next(below: part.count) : 2001 + next(below: 4)
        let value: @Sendable (FreightRow) -> Int? = { row in
            row.due.map { part.value($0, calendar) }
        }
        let name = "z\(next(below: 1 << 40))"
        let path = "due.\(part.name)" + (zone == nil ? "" : "[$\(name)]")
        var clause: FreightClause
        switch next(below: 4) {
        case 0:
            let divisor = 2 + next(below: 3)
            clause = FreightClause("\(path) % \(divisor) == 0") { row, _ in
                value(row).map { $0 % divisor == 0 } ?? false
            }
        case 1:
            let high = number + next(below: 10)
            clause = FreightClause("\(path) BETWEEN {\(number), \(high)}") { row, _ in
                value(row).map { $0 >= number && $0 <= high } ?? false
            }
        case 2:
            let comparison = one(FreightComparison.all)
            let text = "\(path) * 2 - 1 \(comparison.sign) \(number)"
            clause = FreightClause(text) { row, _ in
                comparison.holds(value(row).map { $0 * 2 - 1 }, number)
            }
        default:
            let comparison = one(FreightComparison.all)
            clause = FreightClause("\(path) \(comparison.sign) \(number)") { row, _ in
                comparison.holds(value(row), number)
            }
        }
        if let zone { clause.arguments = [name: zone] }
        return clause
    }
}
