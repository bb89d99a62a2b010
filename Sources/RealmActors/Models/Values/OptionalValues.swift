import Foundation

/// A type whose optional ``Persisted`` stores: every scalar, and every model.
///
/// The library conforms its types. The requirements mirror those of ``PersistedValue`` for `Self?`,
/// so that one conformance of `Optional` serves values and links.
public protocol OptionalPersistable {
    /// The schema shape of an optional property of this type.
    static var _optionalShape: PropertyShape { get }

    /// Reads a nullable column.
    static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self?

    /// Records the access and returns a value on which the key path can continue.
    static func _tracedOptional(_ object: ObjectBase, _ column: Int) -> Self?

    /// Writes a nullable column of a live object.
    static func _storeOptional(
        _ value: Self?, in object: ObjectBase, column: Int, changes: ChangePolicy)

    /// Writes a nullable column of a new row; false if objects must be added first.
    static func _insertOptional(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool

    /// Writes what `_insertOptional` left, adding the objects it refers to.
    static func _connectOptional(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError)

    /// Makes an optional from a value that the program passed.
    static func _convertOptional(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self?

    /// The value as the engine compares it.
    static func _storableOptional(_ value: Self?) -> StorableValue
}

extension Optional: PersistedValue where Wrapped: OptionalPersistable {
    /// The schema shape of a property of this type.
    public static var _shape: PropertyShape { Wrapped._optionalShape }

    /// Nil.
    @inlinable
    public static func _initial() -> Wrapped? { nil }

    /// Reads a nullable column.
    @inlinable
    public static func _read(_ object: ObjectBase, _ column: Int) -> Wrapped? {
        Wrapped._readOptional(object, column)
    }

    /// Records the access.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Wrapped? {
        Wrapped._tracedOptional(object, column)
    }

    /// Replaces the value.
    @inlinable
    public static func _assigned(_ value: Wrapped?, over current: Wrapped??) -> Wrapped?? {
        .some(value)
    }

    /// Writes a nullable column of a live object.
    public static func _store(
        _ value: Wrapped?, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        Wrapped._storeOptional(value, in: object, column: column, changes: changes)
    }

    /// Writes a nullable column of a new row.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool { Wrapped._insertOptional(wrapper, row, column) }

    /// Writes what `_insert` left.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        try Wrapped._connectOptional(wrapper, owner, graph)
    }

    /// Makes an optional from a value that the program passed.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Wrapped? {
        try Wrapped._convertOptional(any, conversion)
    }

    /// The value as the engine compares it.
    public var _storable: StorableValue { Wrapped._storableOptional(self) }
}

extension Optional: IndexableValue where Wrapped: IndexableValue & OptionalPersistable {}
extension Optional: PrimaryKeyValue where Wrapped: PrimaryKeyValue & OptionalPersistable {}

/// Whether `any` is nil: an optional inside `Any`, or the null of JSON.
func isNull(_ any: Any) -> Bool {
    unwrapped(any) == nil
}

/// The value in `any`, with optionals unwrapped; nil for nil and `NSNull`.
func unwrapped(_ any: Any) -> Any? {
    if any is NSNull { return nil }
    if let optional = any as? any OptionalErasure { return optional.erased }
    return any
}

/// Unwraps the optionals inside an `Any`.
private protocol OptionalErasure {
    var erased: Any? { get }
}

extension Optional: OptionalErasure {
    fileprivate var erased: Any? {
        guard let self else { return nil }
        return unwrapped(self)
    }
}
