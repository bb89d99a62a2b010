import Storage

/// Compares the results of a query.
struct ResultsComparison<Model: ObjectBase>: CollectionComparison {
    private var source: WatchedQuery<Model>
    private var tracker: ResultsTracker

    init(_ source: WatchedQuery<Model>, _ finder: ModificationFinder) {
        self.source = source
        tracker = ResultsTracker(source.query, finder)
    }

    var watched: Set<ClassID> { tracker.watched.union(source.watched) }

    mutating func initial(_ moment: Snapshot) -> FrozenResults<Model>? {
        if source.isLost(at: moment) { return nil }
        tracker.reset(in: moment.view)
        let results = source.results(at: moment, tracker.rows)
        // Evaluate all rows now, because the comparison iterates over all of them.
        if !source.query.isWholeClass { _ = results._rows.keys }
        return results
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResults<Model>>> {
        if source.isLost(at: moment) { return end(moment) }
        let change = tracker.change(marks, in: moment.view)
        if change.isEmpty { return .nothing }
        return change.production(of: source.results(at: moment, tracker.rows))
    }

    /// Delivers the deletion of all rows, if there are any, and ends the stream.
    private mutating func end(
        _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenResults<Model>>> {
        let change = PositionChange(deletions: tracker.clear())
        if change.isEmpty { return .finished }
        return .last(change.update(source.emptyResults(at: moment)))
    }
}

extension FrozenResults: ObservedCollection {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenResults: KeyPathChangeSource {
    /// The changes of these results, beginning with the results as they are when the first element
    /// is requested. When they are of a collection or an inverse whose object is deleted, all of
    /// them are delivered as deleted and the stream ends.
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
        return ResultsComparison(WatchedQuery(self), finder)
    }
}
