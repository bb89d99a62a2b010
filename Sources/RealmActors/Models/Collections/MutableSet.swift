public import Foundation
import Storage

/// The set property of a model, which has each element once: values, or links to objects.
///
///     @Persisted var nicknames: MutableSet<String>
///
/// A reference, like ``List``, with the same rules. A managed set iterates in ascending order of
/// its values. Mutating members accept any sequence; members that return a set return an unmanaged
/// one.
@dynamicMemberLookup
public struct MutableSet<Element: SetElement> {
    let place: CollectionPlace<ElementSet<Element>>

    init(place: CollectionPlace<ElementSet<Element>>) { self.place = place }

    /// An empty unmanaged set.
    public init() { place = CollectionPlace(ElementSet()) }

    /// An unmanaged set of `elements`.
    public init(_ elements: some Sequence<Element>) {
        place = CollectionPlace(ElementSet(elements))
    }

    /// The values of one property of every element; in a key path, a step across the set.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> [Value] {
        map { $0[keyPath: keyPath] }
    }
}

@available(*, unavailable, message: "live sets stay on their actor: pass on set.freeze()")
extension MutableSet: Sendable {}

extension MutableSet: RandomAccessCollection {
    /// A position, from zero; a change of the set may change all positions.
    public typealias Index = Int

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int { place.unmanaged?.contents.count ?? place.sequence?.count ?? 0 }

    /// The element at `position`, which must be below `count`. O(log n).
    public subscript(position: Int) -> Element {
        if let box = place.unmanaged {
            let elements = box.contents.elements
            guard elements.indices.contains(position) else {
                if let traced = box.traced { return Element.ofTraced(traced) }
                outOfBounds(position, in: self)
            }
            return elements[position]
        }
        guard let row = place.row else { outOfBounds(position, in: self) }
        let view = row.owner._sequence(row.column)
        guard position >= 0, position < view.count else { outOfBounds(position, in: self) }
        return Element._element(
            StorableValue(view[position]),
            at: ElementPlace(row.owner, row.column, position: position))
    }

    /// Iterates over the present elements, and skips objects that are deleted meanwhile.
    public func makeIterator() -> CollectionIterator<Element> {
        if let box = place.unmanaged { return CollectionIterator(box.contents.elements) }
        return CollectionIterator(managed: place)
    }

    /// Whether the element is in the set. O(log n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The position of an element; nil when it is not in the set. O(log n).
    public func index(of element: Element) -> Int? {
        if let box = place.unmanaged { return box.contents.position(of: element) }
        guard let row = place.row, let sought = Element._sought(element, in: row.owner) else {
            return nil
        }
        let (index, found) = row.owner._sequence(row.column).sortedIndex(of: sought.value)
        return found ? index : nil
    }

    /// The position of an element; nil when it is not in the set. O(log n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The position of an element; nil when it is not in the set. O(log n).
    public func lastIndex(of element: Element) -> Int? { index(of: element) }

    /// The elements at the given positions, which must be in the set.
    public func objects(at positions: IndexSet) -> [Element] { positions.map { self[$0] } }

    /// Whether both are one set: the same property of the same row, or copies of one unmanaged set.
    public func isSame(as other: MutableSet) -> Bool { place.isSame(as: other.place) }
}

extension MutableSet {
    /// Adds an element unless the set contains it.
    ///
    /// - Returns: whether it was added.
    @discardableResult
    public func insert(_ element: Element) -> Bool {
        if let box = place.unmanaged { return box.contents.insert(element) }
        var isNew = false
        place.change { (managed) throws(RealmError) in
            let stored = try managed.stored(element).checkedForSet()
            isNew = managed.tree.setInsert(
                stored, managed.classID, managed.key, managed.column)
        }
        return isNew
    }

    /// Adds elements.
    public func insert(objectsIn elements: some Sequence<Element>) {
        let values = Array(elements)
        if let box = place.unmanaged {
            for element in values { box.contents.insert(element) }
            return
        }
        place.change { (managed) throws(RealmError) in
            try elements.requireReadable()
            try MutableSet.insert(values, managed)
        }
    }

    /// Removes an element if the set contains it.
    ///
    /// - Returns: whether it was removed.
    @discardableResult
    public func remove(_ element: Element) -> Bool {
        if let box = place.unmanaged { return box.contents.remove(element) != nil }
        return remove(CollectionOfOne(element)) > 0
    }

    /// Removes the elements that satisfy `predicate`.
    public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
        remove(try filter(predicate))
    }

    /// Removes every element.
    public func removeAll() {
        if let box = place.unmanaged { return box.contents = ElementSet() }
        place.change { (managed) throws(RealmError) in
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    /// Removes elements, and returns how many were removed.
    @discardableResult
    func remove(_ elements: some Collection<Element>) -> Int {
        if elements.isEmpty { return 0 }
        if let box = place.unmanaged {
            return elements.reduce(0) { $0 + (box.contents.remove($1) == nil ? 0 : 1) }
        }
        var removed = 0
        place.change { (managed) throws(RealmError) in
            for element in elements {
                guard let sought = Element._sought(element, in: managed.owner) else { continue }
                let found = managed.tree.setRemove(
                    sought.value, managed.classID, managed.key, managed.column)
                if found { removed += 1 }
            }
        }
        return removed
    }

    /// Replaces the elements by those of a sequence. Common elements are not written.
    public func assign(_ elements: some Sequence<Element>) {
        let others = MutableSet(elements)
        remove(filter { !others.contains($0) })
        insert(objectsIn: others)
    }
}

extension MutableSet: ExpressibleByArrayLiteral {
    /// An unmanaged set of the elements.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension MutableSet: Equatable {
    /// Whether both have the same elements; objects are the same when they represent the same row.
    /// See ``isSame(as:)`` for identity.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        a.isSame(as: b) || a.count == b.count && a.allSatisfy { b.contains($0) }
    }
}

extension MutableSet: Hashable {
    /// Hashes the number of elements.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension MutableSet: CustomStringConvertible {
    /// The elements, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "MutableSet<\(Element.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}
