import Storage

/// A type that can be an element of a collection. The library conforms its types.
public protocol CollectionElement {
    /// The schema shape of the elements.
    static var _elementShape: PropertyShape { get }

    /// Makes an element from its stored form.
    static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Self

    /// Makes an element that was read at `place`: a collection within it changes there.
    static func _element(_ stored: StorableValue, at place: ElementPlace) -> Self

    /// Makes an optional element: nil for null, and for a stored value that the type rejects.
    static func _optionalElement(_ stored: StorableValue, at place: ElementPlace) -> Self?

    /// The stored form of an element; adds it when it is an unmanaged object.
    static func _stored(_ element: Self, _ graph: GraphTarget) throws(RealmError) -> StorableValue

    /// The stored form; nil if an object must be added for it.
    static func _storedDirectly(_ element: Self) -> StorableValue?

    /// Makes an element from a value that the program passed.
    static func _convert(_ any: Any, _ conversion: ValueConversion) throws(RealmError) -> Self

    /// The stored form of an element in a collection of `owner`; nil if it cannot be in one.
    static func _sought(_ element: Self, in owner: ObjectBase) -> StorableValue?

    /// Whether both are the same value, or represent the same row.
    static func _areSame(_ a: Self, _ b: Self) -> Bool
}

extension CollectionElement {
    /// Makes an element that does not depend on where it was read.
    @inlinable
    public static func _element(_ stored: StorableValue, at place: ElementPlace) -> Self {
        _element(stored, place.owner)
    }

    /// Makes an optional element: nil for null.
    public static func _optionalElement(
        _ stored: StorableValue, at place: ElementPlace
    ) -> Self? {
        stored.value.isNull ? nil : _element(stored, at: place)
    }

    /// The element at every position and key while a key path is traced: the accessor on which the
    /// path continues, or a zero.
    static func ofTraced(_ accessor: ObjectBase) -> Self {
        accessor as? Self ?? _element(StorableValue(.null), accessor)
    }
}

/// An element type of ``List``: every scalar, their optionals, ``AnyRealmValue`` and every model.
public protocol ListElement: CollectionElement {}

/// An element type of ``MutableSet``: as for lists, without embedded models, and without custom
/// types that are stored as such, with which a realm does not open.
public protocol SetElement: CollectionElement, Hashable {}

/// A value type of ``Map``: every scalar, ``AnyRealmValue``, their optionals, and optional links.
public protocol MapValue: CollectionElement {}

extension ObjectBase: ListElement {}

extension Optional: CollectionElement where Wrapped: CollectionElement & OptionalPersistable {
    /// The schema shape of the elements.
    public static var _elementShape: PropertyShape { Wrapped._elementShape.optional }

    /// Makes an element from its stored form.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Wrapped? {
        Wrapped._optionalElement(stored, at: ElementPlace(owner, -1))
    }

    /// Makes an element that was read at `place`.
    public static func _element(_ stored: StorableValue, at place: ElementPlace) -> Wrapped? {
        Wrapped._optionalElement(stored, at: place)
    }

    /// The stored form of an element.
    public static func _stored(
        _ element: Wrapped?, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue {
        guard let element else { return StorableValue(.null) }
        return try Wrapped._stored(element, graph)
    }

    /// The stored form; nil if an object must be added for it.
    public static func _storedDirectly(_ element: Wrapped?) -> StorableValue? {
        guard let element else { return StorableValue(.null) }
        return Wrapped._storedDirectly(element)
    }
}

extension Optional: ListElement where Wrapped: PersistableScalar {}
extension Optional: SetElement where Wrapped: PersistableScalar {}
extension Optional: MapValue where Wrapped: CollectionElement & OptionalPersistable {}
