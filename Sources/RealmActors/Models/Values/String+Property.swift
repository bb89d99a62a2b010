import Foundation
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
