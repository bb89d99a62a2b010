/// A type that ``Persisted`` stores.
///
/// The library conforms the types that can be stored; an enum conforms by ``PersistableEnum``. Do
/// not declare other conformances: the requirements are the interface between the wrapper and the
/// engine, and change with them.
public protocol PersistedValue: SendableMetatype {
    /// The schema shape of a property of this type.
    static var _shape: PropertyShape { get }

    /// The value of a property that declares no default.
    static func _initial() -> Self

    /// Reads a row through a located accessor. For plain values it neither allocates nor retains.
    static func _read(_ object: ObjectBase, _ column: Int) -> Self

    /// Records that a key path goes through the property, and returns a value on which it can
    /// continue.
    static func _traced(_ object: ObjectBase, _ column: Int) -> Self

    /// The value of an unmanaged object's property after an assignment. A present collection is
    /// kept, and its elements are replaced.
    static func _assigned(_ value: Self, over current: Self?) -> Self?

    /// Assigns to a property of a located live object, inside a write.
    static func _store(_ value: Self, in object: ObjectBase, column: Int, changes: ChangePolicy)

    /// Writes the value that an unmanaged object's wrapper holds into its new row. Returns false
    /// when the value refers to objects that have no row yet; then ``_connect(_:_:to:)`` follows.
    static func _insert(_ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int) -> Bool

    /// Writes a value that ``_insert(_:_:_:)`` left, adding the objects it refers to.
    static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget)
        throws(RealmError)

    /// The stored form of the wrapper's own value.
    static func _wrapperStorable(_ wrapper: UnsafeMutableRawPointer) -> StorableValue

    /// Makes a value from a dictionary, an array, JSON, or any other value of the program.
    static func _convert(_ any: Any, _ conversion: ValueConversion) throws(RealmError) -> Self

    /// The value as the engine compares it; null for collections.
    var _storable: StorableValue { get }
}

/// Whether an update writes equal values.
public enum ChangePolicy: Sendable {
    /// Every assignment counts as a change.
    case everything
    /// Only differences are written.
    case differences
}
