import Storage

/// The objects whose property links to this one: the inverse of a link or a list.
///
///     @Persisted(originProperty: "dogs") var people: LinkingObjects<Person>
///
/// Read-only, and empty while the object is unmanaged. It contains an object once for each of its
/// links.
@dynamicMemberLookup
public struct LinkingObjects<Element: ObjectBase> {
    let place: CollectionPlace<String>

    init(originProperty: String) { place = CollectionPlace(originProperty) }

    init(_ owner: ObjectBase, _ number: Int) { place = CollectionPlace(owner, number) }

    /// The values of one property of every object; in a key path, a step across the inverse.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> [Value] {
        if let traced { return [traced[keyPath: keyPath]] }
        return map { $0[keyPath: keyPath] }
    }

    /// The one element while a key path is being traced: the object on which the path continues.
    private var traced: Element? {
        guard let owner = place.managed?.owner, owner.__state == AccessorState.tracing else {
            return nil
        }
        return owner as? Element
    }

    /// The links to the owner's row, with the class that they come from.
    var links: (range: IndexRange, owner: ObjectBase, number: Int)? {
        guard let row = place.row, !row.owner._wasInvalidated, !row.owner._hasLostRow,
            let context = row.owner.__context,
            let property = row.owner.__model.inverse(row.column), let origin = property.origin
        else { return nil }
        let range = context.view.backlinks(
            to: row.owner.__key, origin: origin, column: property.column)
        return (range, row.owner, row.column)
    }
}

@available(*, unavailable)
extension LinkingObjects: Sendable {}

/// The property at the other end, for reflection.
protocol InverseProperty {
    var originProperty: String? { get }
}

extension LinkingObjects: InverseProperty {
    var originProperty: String? { place.unmanaged?.contents }
}

extension LinkingObjects: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of links.
    public var endIndex: Int { links?.range.count ?? (traced == nil ? 0 : 1) }

    /// The object of the link at `position`. O(log n).
    public subscript(position: Int) -> Element {
        guard let links, position >= 0, position < links.range.count,
            let object = links.owner._linked(Element.self, links.range[position], links.number)
        else {
            if let traced { return traced }
            outOfBounds(position, in: self)
        }
        return object
    }

    /// Iterates over the objects that link here now, and skips those that are deleted meanwhile.
    public func makeIterator() -> CollectionIterator<Element> { CollectionIterator(linking: self) }
}

extension LinkingObjects: PersistedValue {
    /// The inverse of a link.
    public static var _shape: PropertyShape {
        var shape = PropertyShape(kind: .link, name: "LinkingObjects<\(Element.self)>")
        shape.role = .inverse
        shape.target = Element.self
        return shape
    }

    /// Never called: the wrapper's initializer sets the value.
    public static func _initial() -> LinkingObjects { LinkingObjects(originProperty: "") }

    /// The links to a row; allocates nothing.
    public static func _read(_ object: ObjectBase, _ column: Int) -> LinkingObjects {
        LinkingObjects(object, column)
    }

    /// Records the access; the inverse contains the object on which the key path may continue.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> LinkingObjects {
        guard let next = object._trace(column, into: Element.self) else { return _initial() }
        return LinkingObjects(next, 0)
    }

    /// Has no effect: an inverse cannot be assigned.
    public static func _assigned(
        _ value: LinkingObjects, over current: LinkingObjects?
    ) -> LinkingObjects? { current }

    /// Has no effect: an inverse cannot be assigned.
    public static func _store(
        _ value: LinkingObjects, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {}

    /// Has no effect: an inverse is not stored.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool { true }

    /// Has no effect: an inverse is not stored.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {}

    /// An inverse has no value of its own.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> LinkingObjects {
        throw conversion.mismatch(any, expected: _shape.name)
    }

    /// Null: inverses are not compared.
    public var _storable: StorableValue { StorableValue(.null) }
}
