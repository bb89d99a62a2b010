import Storage

/// The unordered property of a model that has each element once: values, or objects by row.
///
///     @Persisted var nicknames: MutableSet<String>
///
/// A reference, as ``List`` is, with the same rules. A managed set iterates ascending by value.
public struct MutableSet<Element: SetElement> {
    let place: CollectionPlace<Set<Element>>

    init(place: CollectionPlace<Set<Element>>) { self.place = place }

    /// An empty unmanaged set.
    public init() { place = CollectionPlace([]) }

    /// An unmanaged set of `elements`.
    public init(_ elements: some Sequence<Element>) { place = CollectionPlace(Set(elements)) }
}

@available(*, unavailable)
extension MutableSet: Sendable {}

extension MutableSet: Sequence {
    /// The number of elements.
    public var count: Int { place.unmanaged?.contents.count ?? place.sequence?.count ?? 0 }

    /// Whether there is no element.
    public var isEmpty: Bool { count == 0 }

    /// Iterates over the elements of this moment.
    public func makeIterator() -> IndexingIterator<[Element]> {
        if let box = place.unmanaged { return Array(box.contents).makeIterator() }
        guard let row = place.row, let view = place.sequence else { return [].makeIterator() }
        return (0..<view.count).map { Element._element(StorableValue(view[$0]), row.owner) }
            .makeIterator()
    }

    /// Whether the element is in the set. O(log n).
    public func contains(_ element: Element) -> Bool {
        if let box = place.unmanaged { return box.contents.contains(element) }
        guard let stored = Element._storedDirectly(element) else { return false }
        return place.sequence?.sortedIndex(of: stored.value).found ?? false
    }

    /// Whether every element is in `other` too.
    public func isSubset(of other: MutableSet) -> Bool { allSatisfy { other.contains($0) } }

    /// Whether the sets share an element.
    public func intersects(_ other: MutableSet) -> Bool { contains { other.contains($0) } }
}

extension MutableSet {
    /// Adds an element unless it is there.
    public func insert(_ element: Element) {
        if let box = place.unmanaged {
            box.contents.insert(element)
            return
        }
        place.change { (managed) throws(RealmError) in
            let stored = try Element._stored(element, managed.target).value
            _ = managed.tree.setInsert(stored, managed.classID, managed.key, managed.column)
        }
    }

    /// Adds elements.
    public func insert(objectsIn elements: some Sequence<Element>) {
        for element in Array(elements) { insert(element) }
    }

    /// Removes an element if it is there.
    public func remove(_ element: Element) {
        if let box = place.unmanaged {
            box.contents.remove(element)
            return
        }
        place.change { (managed) throws(RealmError) in
            guard let stored = Element._storedDirectly(element) else { return }
            _ = managed.tree.setRemove(
                stored.value, managed.classID, managed.key, managed.column)
        }
    }

    /// Removes every element.
    public func removeAll() {
        if let box = place.unmanaged { return box.contents.removeAll() }
        place.change { (managed) throws(RealmError) in
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    /// Adds the elements of `other`.
    public func formUnion(_ other: MutableSet) { insert(objectsIn: other) }

    /// Keeps the elements that `other` has too.
    public func formIntersection(_ other: MutableSet) {
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    /// Removes the elements of `other`.
    public func subtract(_ other: MutableSet) {
        for element in Array(other) { remove(element) }
    }
}

extension MutableSet: ExpressibleByArrayLiteral {
    /// An unmanaged set of the elements.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension MutableSet: Equatable {
    /// Whether both have the same elements.
    public static func == (a: MutableSet, b: MutableSet) -> Bool { Set(a) == Set(b) }
}

extension MutableSet: CustomStringConvertible {
    /// The elements, as an array shows them.
    public var description: String { "MutableSet<\(Element.self)> \(Array(self))" }
}

extension MutableSet: PersistedValue {
    /// A column of sets.
    public static var _shape: PropertyShape {
        Element._elementShape.contained(
            in: .set, name: "MutableSet<\(Element._elementShape.name)>")
    }

    /// An empty set.
    public static func _initial() -> MutableSet { MutableSet() }

    /// The set of a row; allocates nothing.
    public static func _read(_ object: ObjectBase, _ column: Int) -> MutableSet {
        MutableSet(place: CollectionPlace(object, column))
    }

    /// Records the access; the set has one element, on which the key path may go on.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> MutableSet {
        let next = object._trace(column, into: Element.self as? ObjectBase.Type)
        return MutableSet((next as? Element).map { [$0] } ?? [])
    }

    /// Copies the elements.
    public static func _assign(_ value: MutableSet, to current: inout MutableSet?) {
        let elements = Set(value)
        if let current {
            current.place.unmanaged?.contents = elements
        } else {
            current = MutableSet(elements)
        }
    }

    /// Copies the elements into the set of a live object.
    public static func _store(
        _ value: MutableSet, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let elements = Array(value)
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            let managed = CollectionPlace<Set<Element>>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences,
                Set(MutableSet(place: CollectionPlace(object, column))) == Set(elements)
            {
                return
            }
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
            try insert(elements, managed)
        }
    }

    /// True when there is nothing to write.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<MutableSet>` at this address of an object the caller
        // holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<MutableSet>.self)
        return wrapper.pointee.value == nil && wrapper.pointee.makeDefault == nil
    }

    /// Writes the elements, and lets sets that were taken before follow.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<MutableSet>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<MutableSet>.self)
        let set = wrapper.pointee.unmanagedValue()
        wrapper.pointee.value = nil
        let elements = Array(set)
        set.place.adopt(owner, graph.column, empty: [])
        let managed = CollectionPlace<Set<Element>>.Managed(
            owner: owner, column: ColumnID(graph.column), target: graph)
        if graph.graph.isUpdating {
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
        }
        try insert(elements, managed)
    }

    private static func insert(
        _ elements: [Element], _ managed: CollectionPlace<Set<Element>>.Managed
    ) throws(RealmError) {
        for element in elements {
            let stored = try Element._stored(element, managed.target).value
            _ = managed.tree.setInsert(stored, managed.classID, managed.key, managed.column)
        }
    }

    /// A set of what an array holds; null is empty.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> MutableSet {
        if let set = any as? MutableSet, !conversion.isManaged { return set }
        var result: Set<Element> = []
        for element in try conversion.elements(any, expected: _shape.name) {
            result.insert(try Element._convert(element, conversion))
        }
        return MutableSet(result)
    }

    /// Sets do not compare.
    public var _storable: StorableValue { StorableValue(.null) }
}
