import Storage

/// One section of live sectioned results: the objects that have its key now.
///
/// It follows changes as all live results do. It is empty while no object has the key.
public struct ResultsSection<Key: Hashable & Sendable, Model: ObjectBase> {
    private let sections: SectionedResults<Key, Model>
    /// The common key of the objects.
    public let key: Key

    init(_ sections: SectionedResults<Key, Model>, _ key: Key) {
        self.sections = sections
        self.key = key
    }

    /// The realm that the objects belong to.
    public var realm: Realm { sections.realm }

    /// Whether the realm was invalidated; the section is empty then.
    public var isInvalidated: Bool { sections.isInvalidated }

    /// The error of change streams, if the realm was invalidated.
    var invalidation: RealmError? { sections.results.invalidation }

    /// The position of an object; nil when it is not in this section.
    public func index(of object: Model) -> Int? {
        let state = sections.storage.state
        guard sections.results.isOfThese(object),
            let position = state.rows.position(of: object.__key)
        else { return nil }
        let path = state.table.path(of: position)
        return path.section == state.table.number(of: key) ? path.item : nil
    }

    /// The same section as an immutable, Sendable value.
    public func freeze() -> FrozenResultsSection<Key, Model> {
        let frozen = sections.freeze()
        return FrozenResultsSection(frozen, number: frozen.table.number(of: key), key: key)
    }

    /// The keys of the rows that are in the section now.
    private var rowKeys: [RowKey] {
        let state = sections.storage.state
        guard let number = state.table.number(of: key) else { return [] }
        return (0..<state.table.counts[number]).map { item in
            let path = SectionPath(section: number, item: item)
            return state.rows.key(at: state.table.position(of: path))
        }
    }
}

@available(*, unavailable)
extension ResultsSection: Sendable {}

extension ResultsSection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int {
        let table = sections.storage.state.table
        return table.number(of: key).map { table.counts[$0] } ?? 0
    }

    /// The object at `position`, which must be below `count`.
    public subscript(position: Int) -> Model {
        let table = sections.storage.state.table
        guard let number = table.number(of: key), position >= 0, position < table.counts[number]
        else { outOfBounds(position, in: self) }
        let path = SectionPath(section: number, item: position)
        return sections.results[table.position(of: path)]
    }

    /// Iterates over the objects that are in the section now, and skips those that are deleted
    /// before it reaches them.
    public func makeIterator() -> CollectionIterator<Model> {
        let results = sections.results
        return CollectionIterator(
            walk: LiveWalk(keys: rowKeys, of: results._plan.model, in: results.context))
    }
}

extension ResultsSection: Identifiable {
    /// The key, which no other section has.
    public var id: Key { key }
}

extension ResultsSection: CustomStringConvertible {
    /// The objects with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "ResultsSection<\(Key.self), \(Model.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}
