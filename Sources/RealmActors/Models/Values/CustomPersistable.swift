import Storage

/// A custom type that is stored as a type of the database, or as an embedded object.
///
///     extension URL: FailableCustomPersistable {
///         init?(persistedValue: String) { self.init(string: persistedValue) }
///         var persistableValue: String { absoluteString }
///     }
///     final class Bookmark: Object { @Persisted var url: URL? }
///
/// A stored value that the type rejects reads as nil in an optional property or element, otherwise
/// as the property's default; `verify` reports it. A property that is not optional therefore needs
/// a default, unless the type accepts the zero of the stored type. Such elements of a collection
/// read as that zero; if the type rejects it, the elements must be optional, or the realm does not
/// open.
public protocol FailableCustomPersistable: PersistableScalar {
    /// The stored type: a scalar, or a class derived from ``EmbeddedObject``.
    associatedtype PersistedType

    /// Makes a value from a stored one; nil if the type rejects it.
    init?(persistedValue: PersistedType)

    /// The value to store.
    var persistableValue: PersistedType { get }
}

/// A custom type that accepts every stored value.
///
///     extension Celsius: CustomPersistable {
///         init(persistedValue: Double) { self.init(degrees: persistedValue) }
///         var persistableValue: Double { degrees }
///     }
///
/// See ``FailableCustomPersistable`` for types that cannot.
public protocol CustomPersistable: FailableCustomPersistable {
    /// Makes a value from a stored one.
    init(persistedValue: PersistedType)
}

extension FailableCustomPersistable where PersistedType: PersistableScalar {
    /// The column of the stored type.
    public static var _scalarShape: PropertyShape {
        var shape = PersistedType._scalarShape
        shape.name = "\(Self.self) (\(shape.name))"
        shape.accepts = { _from(StorableValue($0)) != nil }
        shape.hasInitialValue = Self(persistedValue: PersistedType._zero()) != nil
        return shape
    }

    /// The value of the stored type's zero.
    public static func _zero() -> Self { _required(PersistedType._zero()) }

    /// Records the access and returns the value of the stored type's zero, else the default.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Self {
        object._trace(column, into: nil)
        return Self(persistedValue: PersistedType._zero()) ?? object._tracedDefault(column)
            ?? _zero()
    }

    /// Reads the stored value; nil if the type rejects it.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Self? {
        PersistedType._load(object, column).flatMap { Self(persistedValue: $0) }
    }

    /// Reads the stored value of a nullable column, which may have another form.
    @inlinable
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        PersistedType._readOptional(object, column).flatMap { Self(persistedValue: $0) }
    }

    /// The stored form.
    public var _scalar: StorableValue { persistableValue._scalar }

    /// The value of a stored one.
    public static func _from(_ stored: StorableValue) -> Self? {
        PersistedType._from(stored).flatMap { Self(persistedValue: $0) }
    }

    /// The value for a stored one in any form that a program may pass.
    public static func _converted(_ any: Any) -> Self? {
        PersistedType._given(any).flatMap { Self(persistedValue: $0) }
    }

    /// Writes the stored value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { persistableValue._write(row, column) }
}

extension FailableCustomPersistable {
    /// The value of a property without a default; opening the realm has checked that the type
    /// accepts it.
    static func _required(_ stored: PersistedType) -> Self {
        guard let value = Self(persistedValue: stored) else {
            preconditionFailure(
                "'\(Self.self)' makes no value of '\(stored)'. "
                    + "Give the property a default, or make it optional.")
        }
        return value
    }
}

extension Persisted where Value: FailableCustomPersistable, Value.PersistedType: IndexableValue {
    /// A property of a custom type, with an index.
    @inlinable
    public init(indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// A property of a custom type, with an index and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: wrappedValue)
    }
}

extension Persisted where Value: FailableCustomPersistable, Value.PersistedType: PrimaryKeyValue {
    /// A primary key of a custom type.
    @inlinable
    public init(primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: nil)
    }

    /// A primary key of a custom type, with a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}

// Disfavored, for better compiler errors: otherwise it would only report that no overload matches.
extension Persisted {
    /// An optional property of a custom type, with an index.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(indexed: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: IndexableValue {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// An optional property of a custom type, with an index and a default.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(
        wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool
    ) where Value == Wrapped?, Wrapped.PersistedType: IndexableValue {
        self.init(options: indexed ? .indexed : [], makeDefault: wrappedValue)
    }

    /// A primary key of a custom type; one object may have nil.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(primaryKey: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: PrimaryKeyValue {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: nil)
    }

    /// An optional primary key of a custom type, with a default.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(
        wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool
    ) where Value == Wrapped?, Wrapped.PersistedType: PrimaryKeyValue {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}
