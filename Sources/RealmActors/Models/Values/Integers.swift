public import Storage

/// An integer type that is stored in a column of 64-bit integers.
public protocol PersistableInteger: PersistableScalar, PrimaryKeyValue, FixedWidthInteger {}

extension PersistableInteger {
    /// A column of integers.
    public static var _scalarShape: PropertyShape {
        var shape = PropertyShape(kind: .int, name: "\(Self.self)")
        shape.canBePrimaryKey = true
        shape.integers = IntegerRange(Self.self)
        return shape
    }

    /// Zero.
    @inlinable
    public static func _zero() -> Self { 0 }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Self? {
        Self(truncatingIfNeeded: object.__cluster.int(column, object.__slot))
    }

    /// Reads the column.
    @inlinable
    public static func _read(_ object: ObjectBase, _ column: Int) -> Self {
        Self(truncatingIfNeeded: object.__cluster.int(column, object.__slot))
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.int(Int64(truncatingIfNeeded: self))) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Self? {
        guard case .int(let value) = stored.value else { return nil }
        return Self(exactly: value)
    }

    /// Any number without a fraction that fits.
    public static func _converted(_ any: Any) -> Self? {
        switch GivenNumber(any) {
        case .integer(let value): Self(exactly: value)
        case .real(let value): Self(exactly: value)
        case .boolean, nil: nil
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) {
        row.writer.setInt(column, Int64(truncatingIfNeeded: self))
    }
}

extension Int: PersistableInteger {}
extension Int8: PersistableInteger {}
extension Int16: PersistableInteger {}
extension Int32: PersistableInteger {}
extension Int64: PersistableInteger {}
extension UInt8: PersistableInteger {}
extension UInt16: PersistableInteger {}
extension UInt32: PersistableInteger {}
