import Storage

/// Compares a list within the value of a property.
///
/// Elements that are collections themselves keep their identity while what is in them changes: that
/// modifies them.
struct NestedSequenceComparison<Sequence: OwnedSequence>: CollectionComparison {
    private let reader: NestedReader
    private var shown: [StoredValue] = []

    /// Nil for a collection that is a property itself.
    init?(_ source: FrozenSource) {
        guard let reader = NestedReader(source) else { return nil }
        self.reader = reader
    }

    var watched: Set<ClassID> { reader.watched }

    mutating func initial(_ moment: Snapshot) -> Sequence? {
        guard let source = reader.source(moment) else { return nil }
        let sequence = Sequence(source)
        shown = sequence.view.elements
        return sequence
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<Sequence>> {
        guard let source = reader.source(moment) else {
            // The list is gone: its elements go once, then the stream ends.
            defer { shown = [] }
            if shown.isEmpty { return .finished }
            return .last(
                .update(
                    Sequence(formerOwner: reader.formerOwner, column: reader.column),
                    deletions: Array(shown.indices), insertions: [], modifications: []))
        }
        let sequence = Sequence(source)
        let old = shown
        shown = sequence.view.elements
        let modified = NestedElement.modified(old, shown)
        return PositionDiff.between(
            old.map { NestedElement($0) }, shown.map { NestedElement($0) },
            isModified: { modified.contains($0) }
        ).production(of: sequence)
    }
}

/// Compares a dictionary within the value of a property, by its keys.
struct NestedMapComparison<Value: FrozenElement>: CollectionComparison {
    private let reader: NestedReader
    private var shown: [String: StoredValue] = [:]

    /// Nil for a map that is a property itself.
    init?(_ source: FrozenSource) {
        guard let reader = NestedReader(source) else { return nil }
        self.reader = reader
    }

    var watched: Set<ClassID> { reader.watched }

    mutating func initial(_ moment: Snapshot) -> FrozenMap<Value>? {
        guard let source = reader.source(moment) else { return nil }
        let map = FrozenMap<Value>(source)
        shown = Self.entries(map)
        return map
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<FrozenMap<Value>>> {
        guard let source = reader.source(moment) else {
            // The dictionary is gone: its keys go once, then the stream ends.
            defer { shown = [:] }
            if shown.isEmpty { return .finished }
            return .last(
                .update(
                    FrozenMap(formerOwner: reader.formerOwner, column: reader.column),
                    deletions: shown.keys.sorted(by: NestedEntry.precedes), insertions: [],
                    modifications: []))
        }
        let map = FrozenMap<Value>(source)
        let old = shown
        shown = Self.entries(map)
        let deletions = old.keys.filter { shown[$0] == nil }
        let insertions = map.keys.filter { old[$0] == nil }
        let modifications = map.keys.filter { key in old[key].map { $0 != shown[key] } ?? false }
        if deletions.isEmpty && insertions.isEmpty && modifications.isEmpty { return .nothing }
        return .element(
            .update(
                map, deletions: deletions.sorted(by: NestedEntry.precedes),
                insertions: insertions, modifications: modifications))
    }

    private static func entries(_ map: FrozenMap<Value>) -> [String: StoredValue] {
        Dictionary(
            zip(map.keys, map.view.values.elements), uniquingKeysWith: { first, _ in first })
    }
}

/// Reads a collection within the value of a property at each moment.
private struct NestedReader {
    private let model: ModelBinding
    private let key: RowKey
    let column: Int
    private let place: NestedPath

    init?(_ source: FrozenSource) {
        guard let place = source.detail?.place else { return nil }
        model = source.owner.__model
        key = source.owner.__key
        column = source.column
        self.place = place
    }

    var watched: Set<ClassID> { [model.classID] }

    /// What stands in for the object when it is gone.
    var formerOwner: ObjectBase { model.type.init() }

    /// The collection as a moment has it; nil when it is gone.
    func source(_ moment: Snapshot) -> FrozenSource? {
        guard let owner = moment.context.object(model, key) else { return nil }
        let found = place.place(in: owner, column)
        guard found.stored != nil else { return nil }
        let detail = FrozenDetail(place: place, elements: found.frozenElements)
        return FrozenSource(owner: owner, column: column, detail)
    }
}

/// What tells the elements of a list within a value apart.
private enum NestedElement: Hashable {
    case collection(NestedID)
    case value(StoredValue)

    init(_ value: StoredValue) {
        self = value.nestedID.map { .collection($0) } ?? .value(value)
    }

    /// The collections of which something differs.
    static func modified(_ old: [StoredValue], _ new: [StoredValue]) -> Set<NestedElement> {
        var before: [NestedID: StoredValue] = [:]
        for value in old { value.nestedID.map { before[$0] = value } }
        var modified: Set<NestedElement> = []
        for value in new {
            guard let id = value.nestedID, let was = before[id], was != value else { continue }
            modified.insert(.collection(id))
        }
        return modified
    }
}
