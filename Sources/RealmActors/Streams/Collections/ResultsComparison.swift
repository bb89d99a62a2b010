import Storage

/// Compares the results of a query.
struct ResultsComparison<Model: ObjectBase>: CollectionComparison {
    private let model: ModelBinding
    private let query: ResultsQuery
    /// The classes that decide which rows there are, and in which order.
    private let membership: Set<ClassID>
    /// What the query says of single rows; nil when it does not judge them one by one.
    private let rule: RowRule?
    private var tracker: RowTracker

    init(_ model: ModelBinding, _ query: ResultsQuery, _ finder: ModificationFinder) {
        self.model = model
        self.query = query
        membership = query.dependencies
        rule = RowRule(query)
        tracker = RowTracker(finder: finder, isAscending: query.isAscending)
    }

    var watched: Set<ClassID> { membership.union(tracker.watched) }

    mutating func initial(_ moment: Snapshot) -> FrozenResults<Model>? {
        let results = results(moment)
        tracker.reset(results._rows.keys, in: TreeGraph(view: moment.view))
        return results
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenResults<Model>>> {
        let graph = TreeGraph(view: moment.view)
        let change: PositionChange
        if query.isWholeClass, let created = created(marks) {
            change = tracker.append(created, marks: marks, in: graph)
        } else if let rule, let found = tracker.increment(rule, marks: marks, in: graph) {
            change = found
        } else if !membership.contains(where: marks.touches) {
            change = tracker.append([], marks: marks, in: graph)
        } else {
            let rows = results(moment)._rows.keys
            change = tracker.update(rows, marks: marks, in: graph)
        }
        if change.isEmpty { return .nothing }
        return change.production(of: results(moment, showing: tracker.shown))
    }

    private func results(_ moment: Snapshot, showing rows: KeyRope) -> FrozenResults<Model> {
        if query.isWholeClass { return results(moment) }
        return FrozenResults(
            _plan: ResultsPlan(context: moment.context, model: model, query: query), rows: rows)
    }

    private func results(_ moment: Snapshot) -> FrozenResults<Model> {
        FrozenResults(context: moment.context, model: model, query: query)
    }

    /// The rows that came, when none have gone.
    private func created(_ marks: MergedMarks) -> [RowKey]? {
        if marks.isEverything { return nil }
        guard let marks = marks.classes[model.classID] else { return [] }
        if !marks.deleted.isEmpty { return nil }
        return marks.created.flatMap { $0.map { RowKey($0) } }
    }
}

extension FrozenResults: ObservedCollection {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenResults {
    /// The changes of what these results stand for, beginning with the results as they are when
    /// the first element is asked for.
    ///
    ///     for try await change in adults.changes(keyPaths: [\.name, \.owner?.name]) { ... }
    ///
    /// Key paths decide which objects count as modified: those where a property on one of the paths
    /// was written. Without any, that is every property of the objects and of what they link to, up
    /// to four links away. Insertions and deletions are always told. A key path to what is not
    /// persisted makes the stream throw ``RealmError/invalidKeyPath(_:)``.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenResults<Model>> {
        changes(context.paths(keyPaths))
    }

    /// The changes of what these results stand for, with key paths as text.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> CollectionChanges<FrozenResults<Model>> {
        changes(.success(context.paths(keyPaths)))
    }

    private func changes(
        _ names: Result<[[String]], RealmError>
    ) -> CollectionChanges<FrozenResults<Model>> {
        let comparison = Result {
            () throws(RealmError) -> any CollectionComparison<FrozenResults> in
            let watched = try context.watched(try names.get(), root: query.classID, ifNone: .deep)
            let finder = ModificationFinder(
                root: query.classID, watched: watched, schema: context.view.schema)
            return ResultsComparison<Model>(_plan.model, query, finder)
        }
        return CollectionChanges(
            hub: context.snapshot.hub, producer: CollectionProducer(comparison))
    }
}
