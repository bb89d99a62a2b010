import Foundation
public import Storage

/// A value that is stored in one column: numbers, strings, dates, identifiers, and enums of them.
///
/// The library conforms its types; enums conform by ``PersistableEnum``.
public protocol PersistableScalar: PersistedValue, OptionalPersistable, ListElement, SetElement,
    MapValue, FrozenElement, Hashable, Sendable
{
    /// The schema shape of a column of the type.
    static var _scalarShape: PropertyShape { get }

    /// The zero of the type, the value of a property without a default.
    static func _zero() -> Self

    /// Reads a column that is not null. Nil if the type rejects the stored value, for example after
    /// an enum case was removed.
    static func _load(_ object: ObjectBase, _ column: Int) -> Self?

    /// The stored form.
    var _scalar: StorableValue { get }

    /// The value of a stored form; nil if it does not fit.
    static func _from(_ stored: StorableValue) -> Self?

    /// The values of many stored forms, nil for one that does not fit. For many at once, because
    /// unspecialized code looks the type up for each call.
    static func _fromAll(_ stored: [StorableValue]) -> [Self?]

    /// The same, with `initial` where one does not fit.
    static func _fromAll(_ stored: [StorableValue], orElse initial: Self) -> [Self]

    /// The value for a value of the program; nil if it does not fit.
    static func _converted(_ any: Any) -> Self?

    /// Writes the value into a row.
    func _write(_ row: RowTarget, _ column: Int)
}

extension PersistableScalar {
    /// The schema shape of a property of this type.
    public static var _shape: PropertyShape { _scalarShape }

    /// The values of many stored forms.
    public static func _fromAll(_ stored: [StorableValue]) -> [Self?] { stored.map { _from($0) } }

    /// The values of many stored forms, `initial` for one that does not fit.
    public static func _fromAll(_ stored: [StorableValue], orElse initial: Self) -> [Self] {
        stored.map { _from($0) ?? initial }
    }

    /// The zero of the type.
    @inlinable
    public static func _initial() -> Self { _zero() }

    /// Reads a row; a stored value that the type rejects reads as the property's default.
    @inlinable
    @inline(__always)
    public static func _read(_ object: ObjectBase, _ column: Int) -> Self {
        _load(object, column) ?? object._defaultValue(column)
    }

    /// Records the access and returns the zero of the type, or its mark.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Self {
        object._trace(column, into: nil)
        return object._tracedMark(Self.self) ?? _zero()
    }

    /// Replaces the value.
    @inlinable
    public static func _assigned(_ value: Self, over current: Self?) -> Self? { value }

    /// Writes the value into the row of a live object.
    @inlinable
    public static func _store(
        _ value: Self, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if changes == .differences {
            object._setIfDifferent(value._storable, column)
        } else if let row = object._row {
            value._write(row, column)
        }
    }

    /// Writes the value of an unmanaged wrapper into its new row.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Self>` at this address of an object that the caller
        // holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self>.self)
        if let value = wrapper.pointee.value {
            value._write(row, column)
        } else {
            wrapper.pointee.unmanagedValue()._write(row, column)
        }
        return true
    }

    /// Never called: a scalar links to nothing.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {}

    /// Makes a value from a value that the program passed.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self {
        guard let value = _given(any) ?? conversion.stored(any).flatMap(_given) else {
            throw conversion.mismatch(any, expected: _scalarShape.name)
        }
        try conversion.check(value, given: any)
        return value
    }

    /// A value of the program, cast or converted; nil if it does not fit.
    static func _given(_ any: Any) -> Self? {
        if type(of: any) == Self.self { return any as? Self }
        let given = unwrapped(any) ?? any
        // An `NSNumber` casts to every number type, and to `Bool`.
        if type(of: given) is NSNumber.Type { return _converted(given) }
        return given as? Self ?? _converted(given)
    }

    /// The value as the engine compares it.
    public var _storable: StorableValue { _scalar }
}

extension PersistableScalar {
    /// The schema shape of an optional property of this type.
    public static var _optionalShape: PropertyShape { _scalarShape.optional }

    /// Reads a nullable column.
    @inlinable
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        if object.__cluster.isNull(column, object.__slot) { return nil }
        return _load(object, column)
    }

    /// Records the access and returns nil, or the mark of the type.
    public static func _tracedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        object._trace(column, into: nil)
        return object._tracedMark(Self.self)
    }

    /// Writes a nullable column of a live object.
    @inlinable
    public static func _storeOptional(
        _ value: Self?, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if changes == .differences {
            object._setIfDifferent(_storableOptional(value), column)
        } else if let row = object._row {
            if let value { value._write(row, column) } else { row.writer.setNull(column) }
        }
    }

    /// Writes a nullable column of a new row.
    public static func _insertOptional(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Self?>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self?>.self)
        if let value = wrapper.pointee.unmanagedValue() {
            value._write(row, column)
        } else {
            row.writer.setNull(column)
        }
        return true
    }

    /// Never called: a scalar links to nothing.
    public static func _connectOptional(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {}

    /// Makes an optional from a value that the program passed; null is nil.
    public static func _convertOptional(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self? {
        isNull(any) ? nil : try _convert(any, conversion)
    }

    /// The value as the engine compares it.
    public static func _storableOptional(_ value: Self?) -> StorableValue {
        value?._scalar ?? StorableValue(.null)
    }
}

extension PersistableScalar {
    /// The schema shape of elements of this type.
    public static var _elementShape: PropertyShape { _scalarShape }

    /// Makes an element from its stored form; a stored value that the type rejects is the zero.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Self {
        _from(stored) ?? _zero()
    }

    /// Makes an element from its stored form; nil if the type rejects it.
    public static func _optionalElement(
        _ stored: StorableValue, at place: ElementPlace
    ) -> Self? { _from(stored) }

    /// The stored form of an element.
    public static func _stored(
        _ element: Self, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue { element._scalar }

    /// The stored form of the element, for which no object must be added.
    public static func _storedDirectly(_ element: Self) -> StorableValue? { element._scalar }
}
