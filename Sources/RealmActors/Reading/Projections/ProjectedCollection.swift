import Storage

/// One property of every object of a list or a set, as a collection. Nothing is copied: every
/// access reads the object at that position.
///
///     @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///
/// Confined to the isolation of its objects; a frozen projection gives
/// ``FrozenProjectedCollection``.
public struct ProjectedCollection<Value> {
    let source: ProjectedSource<Value>
}

@available(*, unavailable)
extension ProjectedCollection: Sendable {}

extension ProjectedCollection {
    /// The realm of the collection's object; nil if it is unmanaged or invalidated.
    public var realm: Realm? { source.realm }

    /// Whether the collection's object was deleted, or its realm was invalidated.
    public var isInvalidated: Bool { source.isInvalidated }
}

extension ProjectedCollection where Value: Sendable {
    /// The present values, also within a write. The collection must be managed.
    public func freeze() -> FrozenProjectedCollection<Value> {
        FrozenProjectedCollection(frozen: ProjectedCollection(source: source.frozen))
    }
}

extension ProjectedCollection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { source.count }
    /// The number of objects.
    public var count: Int { source.count }

    /// The property of the object at `position`, which must be below `count`. Setting it changes
    /// that object, inside a write; with a read-only key path it traps.
    public subscript(position: Int) -> Value {
        get { source.value(at: position) }
        nonmutating set { source.set(newValue, at: position) }
    }
}

extension ProjectedCollection: CustomStringConvertible {
    /// The values, as an array shows them.
    public var description: String { "\(Array(self))" }
}

extension ProjectedCollection: Equatable where Value: Equatable {
    /// Whether both have equal values in the same order.
    public static func == (a: ProjectedCollection, b: ProjectedCollection) -> Bool {
        a.elementsEqual(b)
    }
}

extension List where Element: ObjectBase {
    /// A property of every element: `\Person.friends.projectTo.firstName`.
    public var projectTo: CollectionProjector<Element> {
        CollectionProjector(
            count: { self.count }, element: { self[$0] },
            lifecycle: {
                ProjectedLifecycle(
                    realm: { self.realm }, isInvalidated: { self.isInvalidated },
                    owner: { self.place.managed?.owner },
                    frozen: {
                        let source = self.place.frozenSource
                        return List(place: CollectionPlace(source.owner, source.column)).projectTo
                    })
            })
    }
}

extension MutableSet where Element: ObjectBase {
    /// A property of every element, in the order of the set.
    public var projectTo: CollectionProjector<Element> {
        CollectionProjector(
            count: { self.count }, element: { self.element(at: $0) },
            lifecycle: {
                ProjectedLifecycle(
                    realm: { self.realm }, isInvalidated: { self.isInvalidated },
                    owner: { self.place.managed?.owner },
                    frozen: {
                        let source = self.place.frozenSource
                        return MutableSet(place: CollectionPlace(source.owner, source.column))
                            .projectTo
                    })
            })
    }

    private func element(at position: Int) -> Element {
        guard let row = place.row else { return Array(self)[position] }
        let view = row.owner._sequence(row.column)
        guard position >= 0, position < view.count else { outOfBounds(position, in: self) }
        return Element._element(
            StorableValue(view[position]),
            at: ElementPlace(row.owner, row.column, position: position))
    }
}

/// Represents the objects of a collection in a key path that continues with a property.
@dynamicMemberLookup
public struct CollectionProjector<Element: ObjectBase> {
    let count: () -> Int
    let element: (Int) -> Element
    /// A closure, because it is rarely needed.
    let lifecycle: () -> ProjectedLifecycle<Element>

    /// The property of every object.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<Element, Value>
    ) -> ProjectedCollection<Value> {
        // A traced collection has one element, on which the key path continues.
        if count() == 1 {
            let first = element(0)
            if first.__state == AccessorState.tracing { _ = first[keyPath: keyPath] }
        }
        return ProjectedCollection(source: ProjectedElements(elements: self, keyPath: keyPath))
    }
}

@available(*, unavailable)
extension CollectionProjector: Sendable {}

/// The state of the object that a projected collection belongs to.
struct ProjectedLifecycle<Element: ObjectBase> {
    let realm: () -> Realm?
    let isInvalidated: () -> Bool
    /// The object, if it is managed.
    let owner: () -> ObjectBase?
    /// The collection of the frozen object of this moment.
    let frozen: () -> CollectionProjector<Element>
}

/// The source of the values of a projected collection.
class ProjectedSource<Value> {
    var realm: Realm? { preconditionFailure("Every source overrides this.") }
    var isInvalidated: Bool { preconditionFailure("Every source overrides this.") }
    var frozen: ProjectedSource { preconditionFailure("Every source overrides this.") }
    var count: Int { preconditionFailure("Every source overrides this.") }
    func value(at position: Int) -> Value { preconditionFailure("Every source overrides this.") }
    func set(_ value: Value, at position: Int) {
        preconditionFailure("Every source overrides this.")
    }
    /// Throws the error of a node that could not be read.
    func requireReadable() throws(RealmError) {
        preconditionFailure("Every source overrides this.")
    }
}

/// A property of the objects of a collection.
private final class ProjectedElements<Element: ObjectBase, Value>: ProjectedSource<Value> {
    private let elements: CollectionProjector<Element>
    private let keyPath: KeyPath<Element, Value>

    init(elements: CollectionProjector<Element>, keyPath: KeyPath<Element, Value>) {
        self.elements = elements
        self.keyPath = keyPath
    }

    override var realm: Realm? { elements.lifecycle().realm() }

    override var isInvalidated: Bool { elements.lifecycle().isInvalidated() }

    override var frozen: ProjectedSource<Value> {
        ProjectedElements(elements: elements.lifecycle().frozen(), keyPath: keyPath)
    }

    override var count: Int { elements.count() }

    override func value(at position: Int) -> Value { elements.element(position)[keyPath: keyPath] }

    override func set(_ value: Value, at position: Int) {
        guard let writable = keyPath as? ReferenceWritableKeyPath<Element, Value> else {
            preconditionFailure(
                "A projected collection of '\(Element.self)' shows '\(keyPath)', which is "
                    + "read-only. Set it on the objects.")
        }
        elements.element(position)[keyPath: writable] = value
    }

    override func requireReadable() throws(RealmError) {
        try elements.lifecycle().owner()?._requireReadable()
    }
}

extension ProjectedCollection: StoreCollection {
    func requireReadable() throws(RealmError) { try source.requireReadable() }
}
