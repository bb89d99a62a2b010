public import Foundation
public import Storage

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
