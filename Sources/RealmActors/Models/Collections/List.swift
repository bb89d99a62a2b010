import Storage

/// The ordered to-many property of a model: links to objects, or values.
///
///     @Persisted var dogs: List<Dog>
///
/// A list is a reference: copies of it share their elements. It is unmanaged until its object is
/// added. A managed list can be changed only inside a write, and is confined to its transaction or
/// to the actor of its live realm. Assigning to the property copies the elements.
///
/// It has the members of `Array`; mutating ones change the list in place: `person.dogs += [rex]`
/// and `person.dogs.removeAll { $0.age > 9 }` write only the differences. Because a list is a
/// reference, a generic function over `RangeReplaceableCollection` that mutates a copy of its
/// argument changes the list; pass it `Array(list)`.
///
/// Access by index is O(log n), and O(1) up to 16 elements. A position out of bounds traps, as in
/// an array.
@dynamicMemberLookup
public struct List<Element: ListElement> {
    let place: CollectionPlace<[Element]>

    init(place: CollectionPlace<[Element]>) { self.place = place }

    /// An empty unmanaged list.
    public init() { place = CollectionPlace([]) }

    /// An unmanaged list of `elements`.
    public init(_ elements: some Sequence<Element>) { place = CollectionPlace(Array(elements)) }

    /// The values of one property of every element; in a key path, a step across the list.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> [Value] {
        map { $0[keyPath: keyPath] }
    }

    /// The managed object that the list is a property of.
    package var owner: ObjectBase? { place.managed?.owner }
}

@available(*, unavailable, message: "live lists stay on their actor: pass on list.freeze()")
extension List: Sendable {}

extension List: RandomAccessCollection {
    /// A position, from zero.
    public typealias Index = Int
    /// A range of positions.
    public typealias Indices = Range<Int>
    /// A part of the list; changes to it change the list.
    public typealias SubSequence = Slice<List>

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int {
        if let box = place.unmanaged { return box.contents.count }
        return place.sequence?.count ?? 0
    }

    /// Iterates over the present elements, and skips objects that are deleted meanwhile.
    public func makeIterator() -> CollectionIterator<Element> { CollectionIterator(place) }

    func read(_ position: Int) -> Element {
        if let box = place.unmanaged {
            let elements = box.contents
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

    /// Traps unless `position` is from zero to `bound`.
    func check(_ position: Int, upTo bound: Int) {
        if position < 0 || position > bound { outOfBounds(position, bound + 1, in: self) }
    }

    /// Traps unless `range` is within the list.
    func check(_ range: Range<Int>) {
        let count = count
        if range.lowerBound < 0 || range.lowerBound > count {
            outOfBounds(range.lowerBound, count + 1, in: self)
        }
        if range.upperBound > count { outOfBounds(range.upperBound, count + 1, in: self) }
    }
}

/// Traps for a position out of bounds. `limit` is the first invalid position, by default the number
/// of elements.
func outOfBounds(
    _ position: Int, _ limit: Int? = nil, in collection: some Collection
) -> Never {
    outOfBounds(position, limit, of: "\(type(of: collection))", count: collection.count)
}

/// As ``outOfBounds(_:_:in:)``, for a collection with this name.
func outOfBounds(_ position: Int, _ limit: Int? = nil, of name: String, count: Int) -> Never {
    preconditionFailure(
        "Index \(position) is out of bounds (must be less than \(limit ?? count)). "
            + "The \(name) has \(count) \(count == 1 ? "element" : "elements").")
}

extension List: MutableCollection {
    /// The element at `position`, which must be below `count`. Setting it replaces the element.
    public subscript(position: Int) -> Element {
        get { read(position) }
        nonmutating set { set(newValue, at: position) }
    }

    /// The elements of a range. Setting it replaces them by any number of others; in-place changes
    /// of the slice change the list.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            check(bounds)
            return Slice(base: self, bounds: bounds)
        }
        nonmutating set { replaceSubrange(bounds, with: newValue) }
        nonmutating _modify {
            check(bounds)
            var slice = Slice(base: self, bounds: bounds)
            let before = count
            defer { finish(slice, bounds.lowerBound..<(bounds.upperBound + count - before)) }
            yield &slice
        }
    }

    /// Ends an in-place change of the slice at `range`, whose length may have changed.
    private func finish(_ slice: Slice<List>, _ range: Range<Int>) {
        let kept = slice.startIndex..<slice.endIndex
        guard slice.base.isSame(as: self), kept.clamped(to: range) == kept else {
            return replaceSubrange(range, with: slice)
        }
        if kept.upperBound < range.upperBound { removeSubrange(kept.upperBound..<range.upperBound) }
        if kept.lowerBound > range.lowerBound { removeSubrange(range.lowerBound..<kept.lowerBound) }
    }
}

extension List: RangeReplaceableCollection {
    /// An unmanaged list of the elements of both.
    public static func + (list: List, elements: some Sequence<Element>) -> List {
        List(Array(list) + Array(elements))
    }

    /// An unmanaged list of the elements of both.
    public static func + (
        list: List, elements: some RangeReplaceableCollection<Element>
    ) -> List {
        List(Array(list) + Array(elements))
    }

    /// An unmanaged list of the elements of both.
    public static func + (list: List, other: List) -> List { List(Array(list) + Array(other)) }

    /// Adds elements at the end of the list.
    public static func += (list: List, elements: some Sequence<Element>) {
        list.append(contentsOf: elements)
    }
}

extension List: ExpressibleByArrayLiteral {
    /// An unmanaged list of the elements.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension List: CustomStringConvertible {
    /// The elements with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "List<\(Element.self)>", count: count, enumerated().lazy.map { ("\($0)", $1) })
    }
}

extension List: Equatable where Element: Equatable {
    /// Whether both have the same elements in the same order; objects are the same when they
    /// represent the same row. See ``isSame(as:)`` for identity.
    public static func == (a: List, b: List) -> Bool {
        a.isSame(as: b) || a.count == b.count && a.elementsEqual(b, by: Element._areSame)
    }
}

extension List: Hashable where Element: Hashable {
    /// Hashes the values; for objects only their number, because adding an object changes its hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        if Element.self is ObjectBase.Type { return }
        for element in self { Element._hashValue(of: element, into: &hasher) }
    }
}
