import Storage

/// Makes the elements of a stream of groups.
struct GroupProducer<Key: Hashable & Sendable, Value: Sendable>: ChangeProducer {
    private var tracker: GroupTracker
    private var owner: ResultsOwner?
    private let groups: @Sendable (GroupTable) -> [Group<Key, Value>]
    /// What the consumer has seen; nil before the first element.
    private var shown: [Shown]?

    private struct Shown: Equatable {
        let key: ExactValue
        let results: [GroupResult]
    }

    init(
        _ tracker: GroupTracker, _ owner: ResultsOwner?,
        _ groups: @escaping @Sendable (GroupTable) -> [Group<Key, Value>]
    ) {
        self.tracker = tracker
        self.owner = owner
        self.groups = groups
    }

    var watched: Set<ClassID> { tracker.watched.union(owner?.watched ?? []) }

    mutating func begin(at moment: Snapshot) -> StreamBeginning { .state }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) -> ProducerResult<[Group<Key, Value>]> {
        if owner?.isLost(at: moment) == true {
            defer { shown = [] }
            return shown?.isEmpty == false ? .last([]) : .finished
        }
        if shown == nil {
            tracker.reset(in: moment.view)
        } else {
            tracker.update(marks, in: moment.view)
        }
        let table = tracker.table
        let present = table.ordered.map {
            Shown(key: ExactValue(table.key($0)), results: table.results($0))
        }
        if present == shown { return .nothing }
        shown = present
        return .element(groups(table))
    }
}

extension GroupedResults {
    /// Several measures of each group, now and after each change of them.
    ///
    ///     for try await groups in cities.changes(.count, .sum(of: \.population)) {
    ///         show(groups)
    ///     }
    ///
    /// The first element has the values at the time it is requested; others follow when a key or a
    /// measure has changed. The stream holds no version, but about 50 bytes for each object. A
    /// commit costs time linear in the changed objects and in the number of groups. Measures other
    /// than counts and sums of integers are recomputed from the objects of the changed groups. If
    /// the key or a measured property is across a link, or the query has a limit or distinct
    /// values, everything is recomputed when it may have changed.
    public func changes<Model: ObjectBase, each Value: Sendable>(
        _ aggregate: repeat Aggregate<Model, each Value>
    ) -> ChangeStream<[Group<Key, (repeat each Value)>]> where Base == FrozenResults<Model> {
        changes(failing: nil, repeat each aggregate)
    }

    /// The changes, unless there is a reason that nothing can be watched.
    private func changes<Model: ObjectBase, each Value: Sendable>(
        failing failure: RealmError?, _ aggregate: repeat Aggregate<Model, each Value>
    ) -> ChangeStream<[Group<Key, (repeat each Value)>]> where Base == FrozenResults<Model> {
        let plan = results._plan
        let keying = keying
        return ChangeStream(results.snapshot.hub) { () throws(RealmError) in
            if let failure = failure ?? plan.context.absence { throw failure }
            let tracker = GroupTracker(
                plan.query, by: plan.orderedPath(keying.names),
                plan.measures(repeat each aggregate))
            let owner = ResultsOwner(of: plan.query, in: plan.frozenContext)
            return GroupProducer(tracker, owner) { $0.groups(keying, repeat each aggregate) }
        }
    }

    /// Several measures of each group, beginning with the newest version, even if the live realm
    /// shows an older one; otherwise as those of frozen results. When the realm was invalidated,
    /// the stream throws ``RealmError/invalidated(className:key:)``.
    public func changes<Model: ObjectBase, each Value: Sendable>(
        _ aggregate: repeat Aggregate<Model, each Value>
    ) -> ChangeStream<[Group<Key, (repeat each Value)>]> where Base == Results<Model> {
        freeze().changes(failing: results.invalidation, repeat each aggregate)
    }

    /// The same groups as an immutable, Sendable value, of the version that the realm shows.
    public func freeze<Model: ObjectBase>() -> GroupedResults<Key, FrozenResults<Model>>
    where Base == Results<Model> {
        GroupedResults<Key, FrozenResults<Model>>(results.freeze(), keying)
    }
}
