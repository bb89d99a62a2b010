import Storage

/// The objects of results in sections: immutable, Sendable, lazy.
///
///     let dogs = realm.objects(Dog.self).sectioned(by: \.breed)
///     for section in dogs { show(section.key, section.count) }
///     dogs[SectionPath(section: 0, item: 2)].name
///
/// Objects with equal keys are in one section. Sections are in the order of their first objects,
/// the objects of each in the order of the results. No section is empty.
public struct FrozenSectionedResults<Key: Hashable & Sendable, Model: ObjectBase>: Sendable {
    /// The objects of all sections, in the order in which they were sectioned.
    public let results: FrozenResults<Model>
    let keying: SectionKeying<Key, Model>
    private let evaluated: EvaluatedSections<Key>
    /// The sections that were inserted and deleted by the change that delivered these results.
    let arrival: SectionArrival?

    init(_ results: FrozenResults<Model>, _ keying: SectionKeying<Key, Model>) {
        self.results = results
        self.keying = keying
        evaluated = EvaluatedSections()
        arrival = nil
    }

    /// Sections with a known table.
    init(
        _ results: FrozenResults<Model>, _ keying: SectionKeying<Key, Model>,
        _ table: SectionTable<Key>, _ arrival: SectionArrival? = nil
    ) {
        self.results = results
        self.keying = keying
        evaluated = EvaluatedSections(table)
        self.arrival = arrival
    }

    var table: SectionTable<Key> {
        evaluated.table { SectionTable(results.lazy.map { keying.read($0.object) }) }
    }

    /// The version that the objects belong to.
    public var snapshot: Snapshot { results.snapshot }

    /// The keys of the sections, in their order.
    public var allKeys: [Key] { table.keys }

    /// The object at a path, which must exist.
    public subscript(path: SectionPath) -> Frozen<Model> { self[path.section][path.item] }

    /// The section with a key; nil when no object has it.
    public func section(forKey key: Key) -> FrozenResultsSection<Key, Model>? {
        table.number(of: key).map { FrozenResultsSection(self, number: $0, key: key) }
    }
}

extension FrozenSectionedResults: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { table.keys.count }

    /// The section at `position`, which must be below `count`. O(1) once evaluated.
    public subscript(position: Int) -> FrozenResultsSection<Key, Model> {
        let keys = table.keys
        guard keys.indices.contains(position) else { outOfBounds(position, in: self) }
        return FrozenResultsSection(self, number: position, key: keys[position])
    }
}

extension FrozenSectionedResults: CustomStringConvertible {
    /// The sections with their keys, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "FrozenSectionedResults<\(Key.self), \(Model.self)>", count: count,
            lazy.map { ("\($0.key)", $0) })
    }
}

/// The sections that a change inserted and deleted.
struct SectionArrival: Sendable, Equatable {
    /// The deleted sections, by their previous positions.
    var deleted: [Int] = []
    /// The inserted sections, by their present positions.
    var inserted: [Int] = []
}
