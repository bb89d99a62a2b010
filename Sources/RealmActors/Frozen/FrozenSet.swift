package import Storage

/// The elements of a ``MutableSet`` in one version: an immutable, Sendable collection, ascending by
/// value.
public struct FrozenSet<Element: FrozenElement & Hashable> {
    package let source: FrozenSource
    package let view: SequenceView

    init<Contents>(_ place: CollectionPlace<Contents>) {
        guard let row = place.managed else {
            preconditionFailure("A frozen object has managed collections only.")
        }
        source = FrozenSource(owner: row.owner, column: row.column)
        view = row.owner._sequence(row.column)
    }

    /// Whether the element is in the set. O(log n).
    public func contains(_ element: Element) -> Bool {
        view.sortedIndex(of: element._frozenStorable.value).found
    }

    /// Whether every element is in `other` too.
    public func isSubset(of other: FrozenSet) -> Bool { allSatisfy { other.contains($0) } }

    /// Whether the sets share an element.
    public func intersects(_ other: FrozenSet) -> Bool { contains { other.contains($0) } }
}

// Unchecked, and safe: the view borrows from the immutable snapshot that `source` keeps alive.
extension FrozenSet: @unchecked Sendable {}

extension FrozenSet: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { view.count }
    /// The number of elements.
    public var count: Int { view.count }

    /// The element at `position`, which must be below `count`.
    public subscript(position: Int) -> Element {
        precondition(
            position >= 0 && position < view.count,
            "Index \(position) is out of bounds (must be less than \(view.count)).")
        return Element._frozen(StorableValue(view[position]), source)
    }
}

extension FrozenSet: Equatable {
    /// Whether both have the same elements.
    public static func == (a: FrozenSet, b: FrozenSet) -> Bool { a.elementsEqual(b) }
}

extension FrozenSet: Hashable {
    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension FrozenSet: CustomStringConvertible {
    /// The elements, as an array shows them.
    public var description: String { "\(Array(self))" }
}

extension FrozenSet: Encodable where Element: Encodable {
    /// Encodes an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
