public import Foundation
public import Storage

extension String: PersistableScalar, PrimaryKeyValue {
    /// A column of strings.
    public static var _scalarShape: PropertyShape {
        var shape = PropertyShape(kind: .string, name: "String")
        shape.canBePrimaryKey = true
        return shape
    }

    /// The empty string.
    @inlinable
    public static func _zero() -> String { "" }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> String? {
        object.__cluster.string(column, object.__slot)
    }

    /// Reads the column.
    @inlinable
    public static func _read(_ object: ObjectBase, _ column: Int) -> String {
        object.__cluster.string(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.string(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> String? {
        if case .string(let value) = stored.value { value } else { nil }
    }

    /// Strings of any kind.
    public static func _converted(_ any: Any) -> String? {
        switch any {
        case let text as NSString: String(describing: text)
        case let text as Substring: String(text)
        default: nil
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setString(column, self) }
}

extension Data: PersistableScalar {
    /// A column of bytes.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .data, name: "Data") }

    /// No bytes.
    public static func _zero() -> Data { Data() }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Data? {
        object.__cluster.data(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.data(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Data? {
        if case .data(let value) = stored.value { value } else { nil }
    }

    /// Bytes, or Base64 as JSON carries them.
    public static func _converted(_ any: Any) -> Data? {
        switch any {
        case let bytes as [UInt8]: Data(bytes)
        case let text as String: Data(base64Encoded: text)
        default: nil
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setData(column, self) }
}

extension UUID: PersistableScalar, PrimaryKeyValue {
    /// A column of UUIDs.
    public static var _scalarShape: PropertyShape {
        var shape = PropertyShape(kind: .uuid, name: "UUID")
        shape.canBePrimaryKey = true
        return shape
    }

    /// A new random UUID.
    public static func _zero() -> UUID { UUID() }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> UUID? {
        object.__cluster.uuid(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.uuid(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> UUID? {
        if case .uuid(let value) = stored.value { value } else { nil }
    }

    /// The canonical text of a UUID.
    public static func _converted(_ any: Any) -> UUID? {
        (any as? String).flatMap { UUID(canonical: $0) }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setUUID(column, self) }
}

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

    /// Not a number is the Unix epoch, as in Realm.
    @usableFromInline var storedSeconds: Double {
        let seconds = timeIntervalSinceReferenceDate
        return seconds.isNaN ? -Date.timeIntervalBetween1970AndReferenceDate : seconds
    }
}
