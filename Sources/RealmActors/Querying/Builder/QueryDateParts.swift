import Foundation

/// The parts of a date in a time zone, by the calendar of ISO 8601, as numbers to compare and to
/// calculate with.
///
///     let berlin = TimeZone(identifier: "Europe/Berlin")!
///     let early = letters.where { $0.sent.in(berlin).hour < 12 }
///
/// They use no index: compare with a range of dates instead if possible.
public struct QueryDateParts<Number> {
    private let date: QueryOperand
    /// UTC for nil.
    private let zone: TimeZone?

    init(_ date: QueryOperand, in zone: TimeZone?) {
        (self.date, self.zone) = (date, zone)
    }

    /// The year.
    public var year: Query<Number> { part(.year) }
    /// The month, from 1 to 12.
    public var month: Query<Number> { part(.month) }
    /// The day of the month.
    public var day: Query<Number> { part(.day) }
    /// The day of the week, from Monday, which is 1, to Sunday, which is 7.
    public var weekday: Query<Number> { part(.weekday) }
    /// The hour of the day, from 0 to 23.
    public var hour: Query<Number> { part(.hour) }
    /// The minute of the hour.
    public var minute: Query<Number> { part(.minute) }
    /// The whole second of the minute.
    public var second: Query<Number> { part(.second) }

    func part(_ unit: DatePart.Unit) -> Query<Number> {
        Query<Number>(.arithmetic(.datePart(date, DatePart(unit, in: zone))))
    }
}
