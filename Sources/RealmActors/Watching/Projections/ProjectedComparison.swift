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
        base.change(marks, moment).mapped { FrozenProjectionResults(projecting: $0) }
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
