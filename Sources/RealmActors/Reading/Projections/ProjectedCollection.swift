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
        guard let objects = source.objects else {
            preconditionFailure("Cannot freeze an unmanaged collection. Add its object first.")
        }
        return FrozenProjectedCollection(source.property, of: objects)
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
            lifecycle: { ProjectedLifecycle(self.place) })
    }
}

extension MutableSet where Element: ObjectBase {
    /// A property of every element, in the order of the set.
    public var projectTo: CollectionProjector<Element> {
        CollectionProjector(
            count: { self.count }, element: { self.element(at: $0) },
            lifecycle: { ProjectedLifecycle(self.place) })
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
    let lifecycle: () -> ProjectedLifecycle

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

extension CollectionProjector {
    /// The objects of a frozen list, or of a frozen set in its order.
    init(frozen objects: FrozenSource) {
        let list = FrozenList<Frozen<Element>>(objects)
        self.init(
            count: { list.count }, element: { list[$0].object },
            lifecycle: { ProjectedLifecycle(frozen: objects) })
    }
}

@available(*, unavailable)
extension CollectionProjector: Sendable {}

extension ProjectedCollection: StoreCollection {
    func requireReadable() throws(RealmError) { try source.requireReadable() }
}
