package import Storage

/// The elements of a ``List`` in one version: an immutable, Sendable collection.
///
/// Access by index is O(log n), and O(1) up to 16 elements.
public struct FrozenList<Element: FrozenElement>: Sendable {
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

extension FrozenList: RandomAccessCollection {
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

extension FrozenList: Equatable where Element: Equatable {
    /// Whether both have equal elements in the same order.
    public static func == (a: FrozenList, b: FrozenList) -> Bool { a.elementsEqual(b) }
}

extension FrozenList: Hashable where Element: Hashable {
    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension FrozenList: CustomStringConvertible {
    /// The elements with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "FrozenList<\(Element.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}

extension FrozenList: Encodable where Element: Encodable {
    /// Encodes an array.
    ///
    /// - Throws: what the elements throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
        try requireReadable()
    }
}

extension FrozenList: StoreCollection {
    func requireReadable() throws(RealmError) { try source.owner._requireReadable() }
}
