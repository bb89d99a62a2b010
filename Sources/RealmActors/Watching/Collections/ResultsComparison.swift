import Storage

/// Compares the results of a query.
struct ResultsComparison<Model: ObjectBase>: CollectionComparison {
    private let model: ModelBinding
    private let query: ResultsQuery
    private var owner: ResultsOwner?
    private var tracker: ResultsTracker

    init(
        _ model: ModelBinding, _ query: ResultsQuery, _ owner: ResultsOwner?,
        _ finder: ModificationFinder
    ) {
        self.model = model
        self.query = query
        self.owner = owner
        tracker = ResultsTracker(query, finder)
    }

    var watched: Set<ClassID> { tracker.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenResults<Model>? {
        if owner?.isLost(at: moment) == true { return nil }
        tracker.reset(in: moment.view)
        let results = results(moment)
        // Evaluate all rows now, because the comparison iterates over all of them.
        if !query.isWholeClass { _ = results._rows.keys }
        return results
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResults<Model>>> {
        if owner?.isLost(at: moment) == true { return end(moment) }
        let change = tracker.change(marks, in: moment.view)
        if change.isEmpty { return .nothing }
        return change.production(of: results(moment))
    }

    /// Delivers the deletion of all rows, if there are any, and ends the stream.
    private func end(
        _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResults<Model>>> {
        let count = tracker.rows.count
        if count == 0 { return .finished }
        let nothing = FrozenResults<Model>(
            context: moment.context, model: model, query: query.adding(.limit(0)))
        return .last(
            .update(
                nothing, deletions: Array(0..<count), insertions: [], modifications: []))
    }

    private func results(_ moment: Snapshot) -> FrozenResults<Model> {
        FrozenResults(context: moment.context, model: model, query: query, rows: tracker.rows)
    }
}

extension FrozenResults: ObservedCollection {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenResults: KeyPathChangeSource {
    /// The changes of these results, beginning with the results as they are when the first element
    /// is requested.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResults> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            CollectionProducer(try comparison(watched.names()))
        }
    }

    /// Compares these results. Key paths define when an object counts as modified.
    func comparison(
        _ paths: [[String]], ifNone: WatchedPaths = .deep
    ) throws(RealmError) -> ResultsComparison<Model> {
        let finder = try context.finder(paths, root: query.classID, ifNone: ifNone)
        return ResultsComparison(
            _plan.model, query, ResultsOwner(of: query, in: context), finder)
    }
}
