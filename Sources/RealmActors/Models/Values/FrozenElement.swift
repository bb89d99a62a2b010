import Storage

/// A type that can be an element of a frozen collection: values, ``Frozen`` objects,
/// ``FrozenValue``.
public protocol FrozenElement: Sendable {
    /// Makes an element from its stored form.
    static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> Self

    /// Makes an optional element: nil for null, and for a stored value that the type rejects.
    static func _optionalFrozen(_ stored: StorableValue, _ source: FrozenSource) -> Self?

    /// The stored form.
    var _frozenStorable: StorableValue { get }

    /// The stored form of the element in a collection of `source`; nil if it cannot be in one.
    func _frozenSought(in source: FrozenSource) -> StorableValue?
}

/// The source of the elements of a frozen collection. Opaque outside the library.
@_documentation(visibility: internal)
public struct FrozenSource: Sendable {
    private let accessor: FrozenReader<ObjectBase>
    package let column: Int
    /// The state that only some collections have.
    let detail: FrozenDetail?

    package var owner: ObjectBase { accessor.reader }

    init(owner: ObjectBase, column: Int, _ detail: FrozenDetail? = nil) {
        accessor = FrozenReader(owner)
        self.column = column
        self.detail = detail
    }

    /// The elements of a list or set.
    var sequence: SequenceView { detail?.elements?.list ?? owner._sequence(column) }

    /// The entries of a map.
    var map: MapView { detail?.elements?.map ?? owner._map(column) }
}

/// The additional state of a frozen collection within a value, and of one whose realm was
/// invalidated.
final class FrozenDetail: Sendable {
    /// The place of a collection within a value, below its property.
    let place: NestedPath?
    /// The elements of a collection within a value.
    let elements: LooseElements?
    /// The error of the collection's change streams.
    let failure: RealmError?

    init(
        place: NestedPath? = nil, elements: LooseElements? = nil, failure: RealmError? = nil
    ) {
        self.place = place
        self.elements = elements
        self.failure = failure
    }
}

/// The place of a list or dictionary within the value of a property, for any object of the class.
struct NestedPath: Sendable {
    /// The position of the value in a list or map when the collection was read.
    let position: Int
    /// The path of collections from the outermost one to this one.
    let path: [NestedID]

    init(_ place: NestedPlace) {
        position = place.root.position
        path = place.path
    }

    /// The same place in another accessor of the row.
    func place(in owner: ObjectBase, _ column: Int) -> NestedPlace {
        NestedPlace(root: ElementPlace(owner, column, position: position), path: path)
    }
}

extension FrozenElement {
    /// Makes an optional element: nil for null.
    public static func _optionalFrozen(
        _ stored: StorableValue, _ source: FrozenSource
    ) -> Self? {
        stored.value.isNull ? nil : _frozen(stored, source)
    }
}

extension PersistableScalar {
    /// Makes an element from its stored form.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> Self {
        _element(stored, source.owner)
    }

    /// Makes an element from its stored form; nil if the type rejects it.
    public static func _optionalFrozen(
        _ stored: StorableValue, _ source: FrozenSource
    ) -> Self? {
        _optionalElement(stored, at: ElementPlace(source.owner, source.column))
    }

    /// The stored form.
    public var _frozenStorable: StorableValue { _scalar }
}

extension Optional: FrozenElement where Wrapped: FrozenElement {
    /// Makes an element from its stored form.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> Wrapped? {
        Wrapped._optionalFrozen(stored, source)
    }

    /// The stored form.
    public var _frozenStorable: StorableValue {
        self?._frozenStorable ?? StorableValue(.null)
    }
}
