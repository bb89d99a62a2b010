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
        let (model, query, keying) = (model, query, keying)
        return tracker.reset(in: moment.view) { rows in
            FrozenSectionedResults(
                FrozenResults(context: moment.context, model: model, query: query, rows: rows),
                keying)
        }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenSectionedResults<Key, Model>>> {
        let change = tracker.change(marks, moment)
        if change.isEmpty { return .nothing }
        return .element(
            .update(
                sections(moment, change.arrival), deletions: change.deletions,
                insertions: change.insertions,
                modifications: change.modifications))
    }

    private func sections(
        _ moment: Snapshot, _ arrival: SectionArrival? = nil
    ) -> FrozenSectionedResults<Key, Model> {
        let results = FrozenResults<Model>(
            context: moment.context, model: model, query: query, rows: tracker.rows)
        return FrozenSectionedResults(results, keying, tracker.table, arrival)
    }

    /// The section with a key at `moment`, and the change to it that the marks led to.
    fileprivate mutating func change(
        of key: Key, _ marks: MergedMarks, _ moment: Snapshot
    ) -> (FrozenResultsSection<Key, Model>, PositionChange) {
        let change = tracker.change(marks, moment).change(of: key)
        return (section(key, of: sections(moment)), change)
    }

    fileprivate func section(
        _ key: Key, of sections: FrozenSectionedResults<Key, Model>
    ) -> FrozenResultsSection<Key, Model> {
        FrozenResultsSection(sections, number: sections.table.number(of: key), key: key)
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
        base.initial(moment).map { base.section(key, of: $0) }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResultsSection<Key, Model>>> {
        let (section, change) = base.change(of: key, marks, moment)
        return change.production(of: section)
    }
}
