import Storage

/// The ordered to-many property of a model: links to objects, or values.
///
///     @Persisted var dogs: List<Dog>
///
/// A list is a reference: copies of it show and change the same elements. It is unmanaged until its
/// object is added. A managed list changes inside a write only, and stays with its transaction or
/// live realm. Assigning to the property copies the elements.
///
/// Access by index is O(log n), and O(1) up to 16 elements.
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

@available(*, unavailable)
extension List: Sendable {}

extension List: RandomAccessCollection, MutableCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int {
        if let box = place.unmanaged { return box.contents.count }
        return place.sequence?.count ?? 0
    }

    /// The element at `position`, which must be below `count`.
    public subscript(position: Int) -> Element {
        get {
            if let box = place.unmanaged { return box.contents[position] }
            guard let row = place.row else {
                preconditionFailure("Index \(position) is out of bounds: the list is empty.")
            }
            let view = row.owner._sequence(row.column)
            precondition(
                position >= 0 && position < view.count,
                "Index \(position) is out of bounds (must be less than \(view.count)).")
            return Element._element(
                StorableValue(view[position]),
                at: ElementPlace(row.owner, row.column, position: position))
        }
        nonmutating set { set(newValue, at: position) }
    }
}

extension List: ExpressibleByArrayLiteral {
    /// An unmanaged list of the elements.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension List: CustomStringConvertible {
    /// The elements, as an array shows them.
    public var description: String { "List<\(Element.self)> \(Array(self))" }
}

extension List: Equatable where Element: Equatable {
    /// Whether both have equal elements in the same order.
    public static func == (a: List, b: List) -> Bool { a.elementsEqual(b) }
}
