package import Storage

/// The elements of a ``MutableSet`` in one version: an immutable, Sendable collection, ascending by
/// value.
public struct FrozenSet<Element: FrozenElement & Hashable>: Sendable {
    package let source: FrozenSource
    /// Nodes of the version that the source holds.
    private let nodes: SharedNodes<SequenceView>

    package var view: SequenceView { nodes.reader }

    init<Contents>(_ place: CollectionPlace<Contents>) { self.init(FrozenSource(place)) }

    init(_ source: FrozenSource) {
        self.source = source
        nodes = SharedNodes(source.sequence)
    }
}

extension FrozenSet: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { view.count }
    /// The number of elements.
    public var count: Int { view.count }

    /// The element at `position`, which must be below `count`.
    public subscript(position: Int) -> Element {
        guard position >= 0, position < view.count else { outOfBounds(position, in: self) }
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
    /// The elements, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "FrozenSet<\(Element.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}

extension FrozenSet: Encodable where Element: Encodable {
    /// Encodes an array.
    ///
    /// - Throws: what the elements throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
        try requireReadable()
    }
}

extension FrozenSet: StoreCollection {
    func requireReadable() throws(RealmError) { try source.owner._requireReadable() }
}
