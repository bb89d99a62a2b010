import Storage

/// Compares the results of a query.
struct ResultsComparison<Model: ObjectBase>: CollectionComparison {
    private let model: ModelBinding
    private let query: ResultsQuery
    private var tracker: ResultsTracker

    init(_ model: ModelBinding, _ query: ResultsQuery, _ finder: ModificationFinder) {
        self.model = model
        self.query = query
        tracker = ResultsTracker(query, finder)
    }

    var watched: Set<ClassID> { tracker.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenResults<Model>? {
        tracker.reset(in: moment.view)
        let results = results(moment)
        // In one piece, since whoever begins goes over all of it.
        if !query.isWholeClass { _ = results._rows.keys }
        return results
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenResults<Model>>> {
        let change = tracker.change(marks, in: moment.view)
        if change.isEmpty { return .nothing }
        return change.production(of: results(moment))
    }

    private func results(_ moment: Snapshot) -> FrozenResults<Model> {
        FrozenResults(context: moment.context, model: model, query: query, rows: tracker.rows)
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

    func changes(
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
