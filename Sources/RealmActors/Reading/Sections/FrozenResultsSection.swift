/// One section of frozen sectioned results: the objects of one version that have one key.
public struct FrozenResultsSection<Key: Hashable & Sendable, Model: ObjectBase>: Sendable {
    let sections: FrozenSectionedResults<Key, Model>
    /// The number of the section; nil for one that a change left without objects.
    private let number: Int?
    /// The common key of the objects.
    public let key: Key

    init(_ sections: FrozenSectionedResults<Key, Model>, number: Int?, key: Key) {
        self.sections = sections
        self.number = number
        self.key = key
    }

    /// The version that the objects belong to.
    public var snapshot: Snapshot { sections.snapshot }

    /// The position of an object; nil when it is not in this section.
    public func index(of object: Frozen<Model>) -> Int? {
        guard let number, let position = sections.results.index(of: object) else { return nil }
        let path = sections.table.path(of: position)
        return path.section == number ? path.item : nil
    }
}

extension FrozenResultsSection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { number.map { sections.table.counts[$0] } ?? 0 }

    /// The object at `position`, which must be below `count`. O(log n).
    public subscript(position: Int) -> Frozen<Model> {
        guard let number, position >= 0, position < count else { outOfBounds(position, in: self) }
        let path = SectionPath(section: number, item: position)
        return sections.results[sections.table.position(of: path)]
    }
}

extension FrozenResultsSection: Identifiable {
    /// The key, which no other section has.
    public var id: Key { key }
}

extension FrozenResultsSection: CustomStringConvertible {
    /// The objects with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "FrozenResultsSection<\(Key.self), \(Model.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}
