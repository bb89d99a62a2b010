import Storage

/// Compares a map of an object, by its keys.
struct MapComparison<Value: FrozenElement>: CollectionComparison {
    private let model: ModelBinding
    private let key: RowKey
    private let column: Int
    private var keys: [String] = []
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

    mutating func initial(_ moment: Snapshot) -> FrozenMap<Value>? {
        guard let map = map(moment) else { return nil }
        keys = map.keys
        tracker.reset(map.view.values.elements, in: TreeGraph(view: moment.view))
        return map
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenMap<Value>>> {
        guard let map = map(moment) else {
            // The owner was deleted: its keys go once, then the stream ends.
            defer { keys = [] }
            if keys.isEmpty { return .finished }
            return .last(
                .update(
                    FrozenMap(formerOwner: model.type.init(), column: column), deletions: keys,
                    insertions: [], modifications: []))
        }
        let old = keys
        keys = map.keys
        let change = tracker.update(
            map.view.values.elements, marks: marks, in: TreeGraph(view: moment.view))
        // An entry that went and came again keeps its key, so that it counts as modified.
        let (before, after) = (Set(old), Set(keys))
        let modified = Set(change.modifications.map { old[$0] })
            .union(change.insertions.map { keys[$0] })
        let deletions = old.filter { !after.contains($0) }
        let insertions = keys.filter { !before.contains($0) }
        let modifications = old.filter { modified.contains($0) && after.contains($0) }
        if deletions.isEmpty && insertions.isEmpty && modifications.isEmpty { return .nothing }
        return .element(
            .update(
                map, deletions: deletions, insertions: insertions, modifications: modifications))
    }

    private func map(_ moment: Snapshot) -> FrozenMap<Value>? {
        moment.context.object(model, key).map { FrozenMap(owner: $0, column: column) }
    }
}

extension FrozenMap: ObservedCollection {
    /// Positions are keys.
    public typealias Position = String

    /// Keys stay what they are.
    public func newPositions(
        of modifications: [String], deletions: [String], insertions: [String]
    ) -> [String] { modifications }

    fileprivate init(owner: ObjectBase, column: Int) {
        source = FrozenSource(owner: owner, column: column)
        view = owner._map(column)
    }

    init(formerOwner: ObjectBase, column: Int) {
        source = FrozenSource(owner: formerOwner, column: column)
        view = .empty(.int)
    }

    /// The changes of the map, beginning with the map as it is when the first element is asked for;
    /// what changed is delivered by its keys. An object that is deleted leaves its key without a
    /// value, which is a modification. When the map's object is deleted, its keys are delivered as
    /// deleted and the stream ends.
    public func changes() -> CollectionChanges<FrozenMap> { changes(.success([])) }

    /// The changes of the map; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>]
    ) -> CollectionChanges<FrozenMap> where Value == Frozen<Model>? {
        changes(source.paths(keyPaths))
    }

    /// The changes of the map, with key paths as text.
    @_disfavoredOverload
    public func changes<Model: ObjectBase>(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenMap> where Value == Frozen<Model>? {
        changes(source.paths(keyPaths))
    }

    private func changes(_ paths: Result<[[String]], RealmError>) -> CollectionChanges<FrozenMap> {
        source.changes(paths) { finder in
            if let nested = NestedMapComparison<Value>(source) { return nested }
            return MapComparison<Value>(source, finder)
        }
    }
}
