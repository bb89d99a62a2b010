import Storage

/// Compares the projections of a query's results.
struct ProjectedComparison<P: ProjectionObservable>: CollectionComparison where P.Root: Object {
    private var base: ResultsComparison<P.Root>

    init(_ base: ResultsComparison<P.Root>) { self.base = base }

    var watched: Set<ClassID> { base.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenProjectionResults<P>? {
        base.initial(moment).map { FrozenProjectionResults(projecting: $0) }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenProjectionResults<P>>> {
        switch base.change(marks, moment) {
        case .nothing: .nothing
        case .finished: .finished
        case .element(let change): .element(Self.projected(change))
        case .last(let change): .last(Self.projected(change))
        }
    }

    private static func projected(
        _ change: CollectionChange<FrozenResults<P.Root>>
    ) -> CollectionChange<FrozenProjectionResults<P>> {
        switch change {
        case .initial(let objects): .initial(FrozenProjectionResults(projecting: objects))
        case .update(let objects, let deletions, let insertions, let modifications):
            .update(
                FrozenProjectionResults(projecting: objects), deletions: deletions,
                insertions: insertions, modifications: modifications)
        }
    }
}

extension FrozenProjectionResults: ObservedCollection {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenProjectionResults: KeyPathChangeSource {
    /// The changes of these results, beginning with the results as they are when the first element
    /// is requested.
    ///
    /// Objects count as modified when a property that their projection shows is written; with key
    /// paths, only one of those. Insertions and deletions are always delivered.
    public func _changes(
        _ watched: WatchedKeyPaths<P>
    ) -> CollectionChanges<FrozenProjectionResults> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            let paths = try watched.projected().paths
            return CollectionProducer(
                ProjectedComparison(try rootObjects.comparison(paths, ifNone: .paths([]))))
        }
    }
}

extension ProjectionResults: KeyPathChangeSource {
    /// The changes of the results, as their frozen counterpart delivers them.
    public func _changes(
        _ watched: WatchedKeyPaths<P>
    ) -> CollectionChanges<FrozenProjectionResults<P>> {
        freeze()._changes(watched.failing(rootObjects.invalidation))
    }
}
