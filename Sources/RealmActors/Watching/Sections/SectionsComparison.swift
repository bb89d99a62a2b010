import Storage

/// Compares sectioned results.
struct SectionsComparison<Key: Hashable & Sendable, Model: ObjectBase>: CollectionComparison {
    private var source: WatchedQuery<Model>
    private let keying: SectionKeying<Key, Model>
    private var tracker: SectionTracker<Key, Model>

    init(
        _ sections: FrozenSectionedResults<Key, Model>, _ modifications: ModificationFinder,
        _ keys: ModificationFinder
    ) {
        source = WatchedQuery(sections.results)
        keying = sections.keying
        tracker = SectionTracker(
            source.model, keying, ResultsTracker(source.query, modifications), keys)
    }

    var watched: Set<ClassID> { tracker.watched.union(source.watched) }

    mutating func initial(_ moment: Snapshot) -> FrozenSectionedResults<Key, Model>? {
        if isLost(at: moment) { return nil }
        let (source, keying) = (source, keying)
        return tracker.reset(in: moment.view) { rows in
            FrozenSectionedResults(source.results(at: moment, rows), keying)
        }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenSectionedResults<Key, Model>>> {
        if isLost(at: moment) { return end(moment) }
        let change = tracker.change(marks, moment)
        if change.isEmpty { return .nothing }
        return .element(
            .update(
                sections(moment, change.arrival), deletions: change.deletions,
                insertions: change.insertions,
                modifications: change.modifications))
    }

    /// Whether the object whose collection is divided was deleted, or its row belongs to another,
    /// at `moment`.
    fileprivate mutating func isLost(at moment: Snapshot) -> Bool { source.isLost(at: moment) }

    /// Delivers the deletion of all sections, if there are any, and ends the stream.
    private func end(
        _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenSectionedResults<Key, Model>>> {
        if tracker.table.keys.isEmpty { return .finished }
        return .last(
            .update(nothing(moment), deletions: [], insertions: [], modifications: []))
    }

    /// Delivers the deletion of the objects in one section, if there are any, and ends the stream.
    fileprivate func end(
        of key: Key, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResultsSection<Key, Model>>> {
        guard let number = tracker.table.number(of: key) else { return .finished }
        let count = tracker.table.counts[number]
        return .last(
            .update(
                section(key, of: nothing(moment)), deletions: Array(0..<count), insertions: [],
                modifications: []))
    }

    /// No sections, after all were deleted.
    private func nothing(_ moment: Snapshot) -> FrozenSectionedResults<Key, Model> {
        let arrival = SectionArrival(deleted: Array(tracker.table.keys.indices))
        return FrozenSectionedResults(
            source.emptyResults(at: moment), keying, SectionTable<Key>(), arrival)
    }

    private func sections(
        _ moment: Snapshot, _ arrival: SectionArrival? = nil
    ) -> FrozenSectionedResults<Key, Model> {
        FrozenSectionedResults(
            source.results(at: moment, tracker.rows), keying, tracker.table, arrival)
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
        if base.isLost(at: moment) { return base.end(of: key, moment) }
        let (section, change) = base.change(of: key, marks, moment)
        return change.production(of: section)
    }
}
