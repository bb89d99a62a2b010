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

    /// The zero of the type, which a property without a default has.
    static func _zero() -> Self

    /// Reads a column that is not null. Nil when what is stored has no value of this type, as after
    /// an enum lost a case.
    static func _load(_ object: ObjectBase, _ column: Int) -> Self?

    /// The value in the form of the engine.
    var _scalar: StorableValue { get }

    /// The value from the form of the engine; nil when it does not fit.
    static func _from(_ stored: StorableValue) -> Self?

    /// Many values from the form of the engine, nil where one does not fit. Code that does not know
    /// the type looks it up for each call.
    static func _fromAll(_ stored: [StorableValue]) -> [Self?]

    /// The same, with `initial` where one does not fit.
    static func _fromAll(_ stored: [StorableValue], orElse initial: Self) -> [Self]

    /// The value from a value that the program passed; nil when it does not fit.
    static func _converted(_ any: Any) -> Self?

    /// Writes the value into a row.
    func _write(_ row: RowTarget, _ column: Int)
}

extension PersistableScalar {
    /// The schema shape of a property of this type.
    public static var _shape: PropertyShape { _scalarShape }

    /// Many values from the form of the engine.
    public static func _fromAll(_ stored: [StorableValue]) -> [Self?] { stored.map { _from($0) } }

    /// Many values from the form of the engine, with `initial` where one does not fit.
    public static func _fromAll(_ stored: [StorableValue], orElse initial: Self) -> [Self] {
        stored.map { _from($0) ?? initial }
    }

    /// The zero of the type.
    @inlinable
    public static func _initial() -> Self { _zero() }

    /// Reads a row; what has no value of this type reads as the property's default.
    @inlinable
    @inline(__always)
    public static func _read(_ object: ObjectBase, _ column: Int) -> Self {
        _load(object, column) ?? object._defaultValue(column)
    }

    /// Records the access and gives the zero of the type, or its mark.
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

    /// Never needed: a scalar refers to nothing.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {}

    /// Makes a value from a value that the program passed.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self {
        guard let value = _given(any) else {
            throw conversion.mismatch(any, expected: _scalarShape.name)
        }
        try conversion.check(value, given: any)
        return value
    }

    /// What a program gave, as it is or converted; nil when it does not fit.
    static func _given(_ any: Any) -> Self? {
        if type(of: any) == Self.self { return any as? Self }
        let given = unwrapped(any) ?? any
        // Numbers of Foundation cast to every type of number, and to truth values.
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

    /// Records the access and gives nil, or the mark of the type.
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

    /// Never needed: a scalar refers to nothing.
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

    /// Makes an element from its stored form; what has no value of this type is the zero.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Self {
        _from(stored) ?? _zero()
    }

    /// Makes an element from its stored form; nil where that has no value of this type.
    public static func _optionalElement(
        _ stored: StorableValue, at place: ElementPlace
    ) -> Self? { _from(stored) }

    /// The stored form of an element.
    public static func _stored(
        _ element: Self, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue { element._scalar }

    /// Whether the element can be stored without adding objects; its stored form then.
    public static func _storedDirectly(_ element: Self) -> StorableValue? { element._scalar }
}
