public import Foundation

// Parts of dates, by the calendar of ISO 8601 and in UTC unless a time zone is given, as numbers to
// compare and to calculate with. They use no index: compare with a range of dates instead if
// possible.

extension Query where T == Date {
    /// The year.
    public var year: Query<Int> { part(.year) }
    /// The month, from 1 to 12.
    public var month: Query<Int> { part(.month) }
    /// The day of the month.
    public var day: Query<Int> { part(.day) }
    /// The day of the week, from Monday, which is 1, to Sunday, which is 7.
    public var weekday: Query<Int> { part(.weekday) }
    /// The hour of the day, from 0 to 23.
    public var hour: Query<Int> { part(.hour) }
    /// The minute of the hour.
    public var minute: Query<Int> { part(.minute) }
    /// The whole second of the minute.
    public var second: Query<Int> { part(.second) }

    /// The parts of the date in a time zone, in place of those in UTC.
    ///
    ///     letters.where { $0.sent.in(berlin).hour < 12 }
    public func `in`(_ zone: TimeZone) -> QueryDateParts<Int> { QueryDateParts(operand, in: zone) }
}

extension Query where T == Date? {
    /// The year; nil of nil.
    public var year: Query<Int?> { part(.year) }
    /// The month, from 1 to 12; nil of nil.
    public var month: Query<Int?> { part(.month) }
    /// The day of the month; nil of nil.
    public var day: Query<Int?> { part(.day) }
    /// The day of the week, from Monday, which is 1, to Sunday, which is 7; nil of nil.
    public var weekday: Query<Int?> { part(.weekday) }
    /// The hour of the day, from 0 to 23; nil of nil.
    public var hour: Query<Int?> { part(.hour) }
    /// The minute of the hour; nil of nil.
    public var minute: Query<Int?> { part(.minute) }
    /// The whole second of the minute; nil of nil.
    public var second: Query<Int?> { part(.second) }

    /// The parts of the date in a time zone, in place of those in UTC; nil of nil.
    public func `in`(_ zone: TimeZone) -> QueryDateParts<Int?> { QueryDateParts(operand, in: zone) }
}

extension Query {
    fileprivate func part<Number>(_ unit: DatePart.Unit) -> Query<Number> {
        QueryDateParts(operand, in: nil).part(unit)
    }
}
