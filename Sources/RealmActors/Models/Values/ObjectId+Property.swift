import Storage

extension ObjectId: PersistableScalar, PrimaryKeyValue {
    /// A column of identifiers.
    public static var _scalarShape: PropertyShape {
        var shape = PropertyShape(kind: .objectID, name: "ObjectId")
        shape.canBePrimaryKey = true
        return shape
    }

    /// A new identifier.
    public static func _zero() -> ObjectId { .generate() }

    /// Reads the column.
    public static func _load(_ object: ObjectBase, _ column: Int) -> ObjectId? {
        ObjectId(bits: object.__cluster.objectID(column, object.__slot))
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.objectID(bits)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> ObjectId? {
        if case .objectID(let value) = stored.value { ObjectId(bits: value) } else { nil }
    }

    /// The string of an identifier.
    public static func _converted(_ any: Any) -> ObjectId? {
        (any as? String).flatMap { ObjectId($0) }
    }

    /// Writes the value into a row.
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setObjectID(column, bits) }
}
