public import Storage

extension Bool: PersistableScalar, IndexableValue {
    /// A column of booleans.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .bool, name: "Bool") }

    /// False.
    @inlinable
    public static func _zero() -> Bool { false }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Bool? {
        object.__cluster.bool(column, object.__slot)
    }

    /// Reads a nullable column, which stores booleans as integers.
    @inlinable
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Bool? {
        if object.__cluster.isNull(column, object.__slot) { return nil }
        return object.__cluster.int(column, object.__slot) != 0
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.bool(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Bool? {
        if case .bool(let value) = stored.value { value } else { nil }
    }

    /// A boolean, or the integers 0 and 1.
    public static func _converted(_ any: Any) -> Bool? {
        switch GivenNumber(any) {
        case .boolean(let value)?: value
        case .integer(let value)?: value == 0 || value == 1 ? value == 1 : nil
        case .real?, nil: nil
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setBool(column, self) }
}
