import Storage

/// The objects of live results in sections, which follow their changes.
///
/// Confined to the actor of their realm, or to the transaction. Every access shows the present
/// state, also inside a write; `for in` iterates over the sections that existed when it began.
public struct SectionedResults<Key: Hashable & Sendable, Model: ObjectBase> {
    let storage: LiveSections<Key, Model>

    init(_ results: Results<Model>, _ keying: SectionKeying<Key, Model>) {
        storage = LiveSections(results, keying)
    }

    /// The objects of all sections, in the order in which they were sectioned.
    public var results: Results<Model> { storage.results }

    /// The realm that the objects belong to.
    public var realm: Realm { results.context.realm }

    /// Whether the realm was invalidated; there are no sections then.
    public var isInvalidated: Bool { results.isInvalidated }

    /// The keys of the sections, in their order.
    public var allKeys: [Key] { storage.state.table.keys }

    /// The object at a path, which must exist.
    public subscript(path: SectionPath) -> Model { self[path.section][path.item] }

    /// The section with a key; nil when no object has it now.
    public func section(forKey key: Key) -> ResultsSection<Key, Model>? {
        storage.state.table.number(of: key).map { _ in ResultsSection(self, key) }
    }

    /// The same sections as an immutable, Sendable value.
    public func freeze() -> FrozenSectionedResults<Key, Model> {
        FrozenSectionedResults(results.freeze(), storage.keying)
    }
}

@available(*, unavailable)
extension SectionedResults: Sendable {}

extension SectionedResults: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { storage.state.table.keys.count }

    /// The section at `position`, which must be below `count`.
    public subscript(position: Int) -> ResultsSection<Key, Model> {
        let keys = storage.state.table.keys
        guard keys.indices.contains(position) else { outOfBounds(position, in: self) }
        return ResultsSection(self, keys[position])
    }

    /// Iterates over the present sections.
    public func makeIterator() -> IndexingIterator<[ResultsSection<Key, Model>]> {
        allKeys.map { ResultsSection(self, $0) }.makeIterator()
    }
}

extension SectionedResults: CustomStringConvertible {
    /// The sections with their keys, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "SectionedResults<\(Key.self), \(Model.self)>", count: count,
            lazy.map { ("\($0.key)", $0) })
    }
}

/// The sections of live results, evaluated again when the results are.
final class LiveSections<Key: Hashable & Sendable, Model: ObjectBase> {
    /// Rows, and the sections they are in.
    struct State {
        let rows: EvaluatedRows
        let table: SectionTable<Key>
    }

    let results: Results<Model>
    let keying: SectionKeying<Key, Model>
    private var evaluated: State?

    init(_ results: Results<Model>, _ keying: SectionKeying<Key, Model>) {
        self.results = results
        self.keying = keying
    }

    var state: State {
        let rows = results._rows
        if let evaluated, evaluated.rows === rows { return evaluated }
        let walk = LiveWalk(keys: rows.keys, of: results._plan.model, in: results.context)
        let objects = IteratorSequence(CollectionIterator<Model>(walk: walk))
        let state = State(rows: rows, table: SectionTable(objects.lazy.map(keying.read)))
        evaluated = state
        return state
    }
}
