import Storage

/// Compares sectioned results.
struct SectionsComparison<Key: Hashable & Sendable, Model: ObjectBase>: CollectionComparison {
    private let model: ModelBinding
    private let query: ResultsQuery
    private let keying: SectionKeying<Key, Model>
    private var tracker: SectionTracker<Key, Model>

    init(
        _ sections: FrozenSectionedResults<Key, Model>, _ modifications: ModificationFinder,
        _ keys: ModificationFinder
    ) {
        model = sections.results._plan.model
        query = sections.results.query
        keying = sections.keying
        tracker = SectionTracker(model, keying, ResultsTracker(query, modifications), keys)
    }

    var watched: Set<ClassID> { tracker.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenSectionedResults<Key, Model>? {
        let results = FrozenResults<Model>(context: moment.context, model: model, query: query)
        let sections = FrozenSectionedResults(results, keying)
        tracker.reset(results._rows.keys, sections.table, in: moment.view)
        return sections
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenSectionedResults<Key, Model>>> {
        let (sections, change) = sections(marks, moment)
        if change.isEmpty { return .nothing }
        return .element(
            .update(
                sections, deletions: change.deletions, insertions: change.insertions,
                modifications: change.modifications))
    }

    /// The sections at `moment`, and the change that the marks led to.
    mutating func sections(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> (FrozenSectionedResults<Key, Model>, SectionedChange<Key>) {
        let change = tracker.change(marks, moment)
        let results = FrozenResults<Model>(
            context: moment.context, model: model, query: query, rows: tracker.rows)
        return (FrozenSectionedResults(results, keying, change.after, change.arrival), change)
    }
}

/// Compares one section of sectioned results.
struct SectionComparison<Key: Hashable & Sendable, Model: ObjectBase>: CollectionComparison {
    private let key: Key
    private var base: SectionsComparison<Key, Model>

    init(_ key: Key, _ base: SectionsComparison<Key, Model>) {
        self.key = key
        self.base = base
    }

    var watched: Set<ClassID> { base.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenResultsSection<Key, Model>? {
        base.initial(moment).map { section(of: $0) }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenResultsSection<Key, Model>>> {
        let (sections, change) = base.sections(marks, moment)
        return change.change(of: key).production(of: section(of: sections))
    }

    private func section(
        of sections: FrozenSectionedResults<Key, Model>
    ) -> FrozenResultsSection<Key, Model> {
        FrozenResultsSection(sections, number: sections.table.number(of: key), key: key)
    }
}
