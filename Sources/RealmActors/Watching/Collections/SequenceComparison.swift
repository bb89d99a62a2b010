import Storage

/// A frozen collection that is made from the object it belongs to.
protocol OwnedSequence: ObservedCollection where Position == Int {
    init(owner: ObjectBase, column: Int)
    init(formerOwner: ObjectBase, column: Int)
    init(_ source: FrozenSource)
    var view: SequenceView { get }
}

/// Compares a list or set of an object.
struct SequenceComparison<Sequence: OwnedSequence>: CollectionComparison {
    private let model: ModelBinding
    private let key: RowKey
    private let column: Int
    private var tracker: SequenceTracker

    init(_ source: FrozenSource, _ finder: ModificationFinder?) {
        model = source.owner.__model
        key = source.owner.__key
        column = source.column
        tracker = SequenceTracker(
            owner: model.classID, sequence: SequenceID(key: key, column: ColumnID(column)),
            finder: finder)
    }

    var watched: Set<ClassID> { tracker.watched }

    mutating func initial(_ moment: Snapshot) -> Sequence? {
        guard let sequence = sequence(moment) else { return nil }
        tracker.reset(sequence.view.elements, in: TreeGraph(view: moment.view))
        return sequence
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<Sequence>> {
        let graph = TreeGraph(view: moment.view)
        guard let sequence = sequence(moment) else {
            // The owner was deleted: its elements go once, then the stream ends.
            let change = tracker.clear()
            if change.isEmpty { return .finished }
            return .last(
                .update(
                    Sequence(formerOwner: model.type.init(), column: column),
                    deletions: change.deletions, insertions: [], modifications: []))
        }
        return tracker.update(sequence.view.elements, marks: marks, in: graph)
            .production(of: sequence)
    }

    private func sequence(_ moment: Snapshot) -> Sequence? {
        moment.context.object(model, key).map { Sequence(owner: $0, column: column) }
    }
}

extension SequenceView {
    var elements: [StoredValue] {
        var elements: [StoredValue] = []
        elements.reserveCapacity(count)
        forEach { elements.append($0) }
        return elements
    }
}

extension FrozenSource {
    /// The changes of the list or set that this is.
    func changes<Sequence: OwnedSequence>(
        _ paths: Result<[[String]], RealmError>
    ) -> CollectionChanges<Sequence> {
        changes(paths) { finder in
            if let nested = NestedSequenceComparison<Sequence>(self) { return nested }
            return SequenceComparison<Sequence>(self, finder)
        }
    }

    /// The changes of the collection that this is. `comparison` gets what finds modifications of
    /// its elements; nil when they are values.
    func changes<C: ObservedCollection>(
        _ paths: Result<[[String]], RealmError>,
        comparison: (ModificationFinder?) -> any CollectionComparison<C>
    ) -> CollectionChanges<C> {
        guard let context = owner.__context as? FrozenContext else {
            preconditionFailure("A frozen collection belongs to a frozen object.")
        }
        let schema = context.view.schema
        let target = schema[owner.__model.classID].columns[column].target
        let comparison = Result { () throws(RealmError) -> any CollectionComparison<C> in
            if let failure = detail?.failure { throw failure }
            let names = try paths.get()
            guard let target else {
                if names.isEmpty { return comparison(nil) }
                throw .invalidKeyPath("A collection of values has no key paths to watch.")
            }
            let watched = try context.watched(names, root: target, ifNone: .deep)
            return comparison(ModificationFinder(root: target, watched: watched, schema: schema))
        }
        return CollectionChanges(
            hub: context.snapshot.hub, producer: CollectionProducer(comparison))
    }

    /// The names on key paths of the elements.
    func paths<Root: ObjectBase>(
        _ keyPaths: [PartialKeyPath<Root>]
    ) -> Result<[[String]], RealmError> {
        guard let context = owner.__context as? FrozenContext else { return .success([]) }
        return context.paths(keyPaths)
    }

    /// The names on key paths that are text.
    func paths(_ texts: [String]) -> Result<[[String]], RealmError> {
        guard let context = owner.__context as? FrozenContext else { return .success([]) }
        return .success(context.paths(texts))
    }
}
