import Storage

/// A custom type that is stored as one that the database knows, or as an embedded object.
///
///     extension URL: FailableCustomPersistable {
///         init?(persistedValue: String) { self.init(string: persistedValue) }
///         var persistableValue: String { absoluteString }
///     }
///     final class Bookmark: Object { @Persisted var url: URL? }
///
/// A stored value of which none can be made reads as nil in an optional property or element, else
/// as the property's default; `verify` reports it. So a property that is not optional needs a
/// default unless the zero of the stored type makes a value. The elements of a collection read as
/// that value; where there is none a realm opens only if they are optional.
public protocol FailableCustomPersistable: PersistableScalar {
    /// What is stored: a scalar, or a class derived from ``EmbeddedObject``.
    associatedtype PersistedType

    /// A value from what is stored; nil when there is none.
    init?(persistedValue: PersistedType)

    /// What to store.
    var persistableValue: PersistedType { get }
}

/// A custom type that can be made of every stored value.
///
///     extension Celsius: CustomPersistable {
///         init(persistedValue: Double) { self.init(degrees: persistedValue) }
///         var persistableValue: Double { degrees }
///     }
///
/// See ``FailableCustomPersistable`` for types that cannot.
public protocol CustomPersistable: FailableCustomPersistable {
    /// A value from what is stored.
    init(persistedValue: PersistedType)
}

extension FailableCustomPersistable where PersistedType: PersistableScalar {
    /// The column of what is stored.
    public static var _scalarShape: PropertyShape {
        var shape = PersistedType._scalarShape
        shape.name = "\(Self.self) (\(shape.name))"
        shape.accepts = { _from(StorableValue($0)) != nil }
        shape.hasInitialValue = Self(persistedValue: PersistedType._zero()) != nil
        return shape
    }

    /// The value of the stored type's zero.
    public static func _zero() -> Self { _required(PersistedType._zero()) }

    /// Records the access and gives the value of the stored type's zero, or else the default.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Self {
        object._trace(column, into: nil)
        return Self(persistedValue: PersistedType._zero()) ?? object._tracedDefault(column)
            ?? _zero()
    }

    /// Reads what is stored; nil when it makes no value.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Self? {
        PersistedType._load(object, column).flatMap { Self(persistedValue: $0) }
    }

    /// Reads what is stored in a nullable column, where it may be in another form.
    @inlinable
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        PersistedType._readOptional(object, column).flatMap { Self(persistedValue: $0) }
    }

    /// What is stored, in the form of the engine.
    public var _scalar: StorableValue { persistableValue._scalar }

    /// The value of what is stored.
    public static func _from(_ stored: StorableValue) -> Self? {
        PersistedType._from(stored).flatMap { Self(persistedValue: $0) }
    }

    /// The value of what is stored, in any of the forms in which that may be given.
    public static func _converted(_ any: Any) -> Self? {
        PersistedType._given(any).flatMap { Self(persistedValue: $0) }
    }

    /// Writes what is stored into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { persistableValue._write(row, column) }
}

extension FailableCustomPersistable {
    /// A value of what a property without a default has stored; opening a realm has checked that
    /// there is one.
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

// Disfavored: where none of several fits, the compiler would say no more than that.
extension Persisted {
    /// A property of a custom type that may be missing, with an index.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(indexed: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: IndexableValue {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// A property of a custom type that may be missing, with an index and a default.
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

    /// A primary key of a custom type that may be missing, with a default.
    @inlinable @_disfavoredOverload
    public init<Wrapped: FailableCustomPersistable>(
        wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool
    ) where Value == Wrapped?, Wrapped.PersistedType: PrimaryKeyValue {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}
