public import Storage

extension Double: PersistableScalar {
    /// A column of doubles.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .double, name: "Double") }

    /// Zero.
    @inlinable
    public static func _zero() -> Double { 0 }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Double? {
        object.__cluster.double(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.double(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Double? {
        if case .double(let value) = stored.value { value } else { nil }
    }

    /// Any number.
    public static func _converted(_ any: Any) -> Double? {
        switch GivenNumber(any) {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .boolean: nil
        // An integer beyond `Int64`.
        case nil: (any as? UInt64).map { Double($0) }
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setDouble(column, self) }
}

extension Float: PersistableScalar {
    /// A column of floats.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .float, name: "Float") }

    /// Zero.
    @inlinable
    public static func _zero() -> Float { 0 }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Float? {
        object.__cluster.float(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.float(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Float? {
        if case .float(let value) = stored.value { value } else { nil }
    }

    /// Any number within the range of a float.
    public static func _converted(_ any: Any) -> Float? {
        guard let value = Double._converted(any) else { return nil }
        let narrow = Float(value)
        return narrow.isFinite == value.isFinite ? narrow : nil
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setFloat(column, self) }
}
