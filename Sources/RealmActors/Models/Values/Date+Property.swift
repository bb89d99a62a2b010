public import Foundation
public import Storage

extension Date: PersistableScalar, IndexableValue {
    /// A column of seconds since the reference date.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .date, name: "Date") }

    /// The Unix epoch.
    public static func _zero() -> Date { Date(timeIntervalSince1970: 0) }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Date? {
        Date(timeIntervalSinceReferenceDate: object.__cluster.date(column, object.__slot))
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.date(storedSeconds)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Date? {
        guard case .date(let seconds) = stored.value else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// ISO 8601 text, as JSON carries dates, or seconds since the Unix epoch.
    public static func _converted(_ any: Any) -> Date? {
        if let text = any as? String { return Date(iso8601: text) }
        return Double._converted(any).map { Date(timeIntervalSince1970: $0) }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) {
        row.writer.setDate(column, storedSeconds)
    }

    /// NaN is stored as the Unix epoch, as in Realm.
    @usableFromInline var storedSeconds: Double {
        let seconds = timeIntervalSinceReferenceDate
        return seconds.isNaN ? -Date.timeIntervalBetween1970AndReferenceDate : seconds
    }
}
