/// An enum with raw values that ``Persisted`` stores, as its raw value.
///
///     enum Mood: String, PersistableEnum { case calm, playful }
///
/// A property without a default starts with the first case. A stored raw value without a case reads
/// as the property's default.
public protocol PersistableEnum: RawRepresentable, CaseIterable, Codable, Sendable,
    PersistableScalar
where RawValue: PersistableScalar {}

extension PersistableEnum {
    /// The column of the raw value.
    public static var _scalarShape: PropertyShape {
        var shape = RawValue._scalarShape
        shape.name = "\(Self.self) (\(shape.name))"
        shape.accepts = { _from(StorableValue($0)) != nil }
        shape.hasInitialValue = !allCases.isEmpty
        return shape
    }

    /// The first case.
    public static func _zero() -> Self {
        guard let first = allCases.first else {
            preconditionFailure(
                "PersistableEnum '\(Self.self)' has no case for an initial value.")
        }
        return first
    }

    /// Reads the raw value; nil when no case has it.
    @inlinable
    @inline(__always)
    public static func _load(_ object: ObjectBase, _ column: Int) -> Self? {
        RawValue._load(object, column).flatMap { Self(rawValue: $0) }
    }

    /// Reads the raw value of a nullable column, which may have another form.
    @inlinable
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        RawValue._readOptional(object, column).flatMap { Self(rawValue: $0) }
    }

    /// The stored form of the raw value.
    public var _scalar: StorableValue { rawValue._scalar }

    /// The case of a stored raw value.
    public static func _from(_ stored: StorableValue) -> Self? {
        RawValue._from(stored).flatMap { Self(rawValue: $0) }
    }

    /// The case for a raw value in any form that a program may pass.
    public static func _converted(_ any: Any) -> Self? {
        RawValue._given(any).flatMap { Self(rawValue: $0) }
    }

    /// Writes the raw value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { rawValue._write(row, column) }
}

extension Persisted where Value: PersistableEnum, Value.RawValue: IndexableValue {
    /// An enum with an index.
    @inlinable
    public init(indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// An enum with an index and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: wrappedValue)
    }
}

extension Persisted where Value: PersistableEnum, Value.RawValue: PrimaryKeyValue {
    /// An enum as primary key.
    @inlinable
    public init(primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: nil)
    }

    /// An enum as primary key, with a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}

extension Persisted {
    /// An optional enum with an index.
    @inlinable
    public init<Wrapped: PersistableEnum>(indexed: Bool)
    where Value == Wrapped?, Wrapped.RawValue: IndexableValue {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// An optional enum with an index and a default.
    @inlinable
    public init<Wrapped: PersistableEnum>(
        wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool
    ) where Value == Wrapped?, Wrapped.RawValue: IndexableValue {
        self.init(options: indexed ? .indexed : [], makeDefault: wrappedValue)
    }

    /// An optional enum as primary key; one object may have nil.
    @inlinable
    public init<Wrapped: PersistableEnum>(primaryKey: Bool)
    where Value == Wrapped?, Wrapped.RawValue: PrimaryKeyValue {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: nil)
    }

    /// An optional enum as primary key, with a default.
    @inlinable
    public init<Wrapped: PersistableEnum>(
        wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool
    ) where Value == Wrapped?, Wrapped.RawValue: PrimaryKeyValue {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}
