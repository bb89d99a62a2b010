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
        // The owner was deleted: the stream ends.
        guard let map = map(moment) else { return .finished }
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
    public static func newPositions(
        of modifications: [String], deletions: [String], insertions: [String]
    ) -> [String] { modifications }

    fileprivate init(owner: ObjectBase, column: Int) {
        source = FrozenSource(owner: owner, column: column)
        view = owner._map(column)
    }

    /// The changes of the map, beginning with the map as it is when the first element is asked for;
    /// what changed is told by its keys. An object that is deleted leaves its key without a value,
    /// which is a modification. The stream ends when the map's object is deleted.
    public func changes() -> CollectionChanges<FrozenMap> {
        guard let context = source.owner.__context as? FrozenContext else {
            preconditionFailure("A frozen collection belongs to a frozen object.")
        }
        let schema = context.view.schema
        let target = schema[source.owner.__model.classID].columns[source.column].target
        let finder = target.map {
            ModificationFinder(root: $0, watched: .deep, schema: schema)
        }
        return CollectionChanges(
            hub: context.snapshot.hub,
            producer: CollectionProducer(.success(MapComparison<Value>(source, finder))))
    }
}
