import Storage

/// The last delivered state of a list within the value of a property.
///
/// An element that is itself a collection keeps its identity when its contents change: it counts as
/// modified. So does a replaced element, whose deletion and insertion are in the same place.
struct NestedSequenceTracker: ContentsTracker {
    private var shown: [StoredValue] = []

    init(_ reader: OwnedReader, _ finder: ModificationFinder?) {}

    var watched: Set<ClassID> { [] }

    mutating func reset(_ elements: [StoredValue], in graph: some LinkGraph) { shown = elements }

    mutating func update(
        _ elements: [StoredValue], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        defer { shown = elements }
        let modified = NestedElement.modified(shown, elements)
        let change = PositionDiff.between(
            shown.map { NestedElement($0) }, elements.map { NestedElement($0) },
            isModified: { modified.contains($0) })
        return change.replacing()
    }

    mutating func modify(by marks: MergedMarks, in graph: some LinkGraph) -> PositionChange {
        PositionChange()
    }

    mutating func clear() -> [Int] {
        defer { shown = [] }
        return Array(shown.indices)
    }
}

/// The last delivered state of a dictionary within the value of a property.
struct NestedMapTracker: ContentsTracker {
    /// The keys, ascending.
    private var keys: [String] = []
    /// The values, by keys as the store distinguishes them, which is by their bytes.
    private var values: [StoredValue: StoredValue] = [:]

    init(_ reader: OwnedReader, _ finder: ModificationFinder?) {}

    var watched: Set<ClassID> { [] }

    mutating func reset(_ map: MapContents, in graph: some LinkGraph) { show(map) }

    mutating func update(
        _ map: MapContents, marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<String> {
        let (oldKeys, old) = (keys, values)
        show(map)
        let new = values
        return PositionChanges(
            deletions: oldKeys.filter { new[.string($0)] == nil },
            insertions: keys.filter { old[.string($0)] == nil },
            modifications: keys.filter { key in
                guard let was = old[.string(key)], let value = new[.string(key)] else {
                    return false
                }
                return !was.isStoredLike(value)
            })
    }

    mutating func modify(
        by marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<String> { PositionChanges() }

    mutating func clear() -> [String] {
        defer { show(MapContents(keys: [], values: [])) }
        return keys
    }

    private mutating func show(_ map: MapContents) {
        keys = map.keys
        values = Dictionary(mapKeys: map.keys, map.values)
    }
}

/// The identity of an element of a list within a value.
private enum NestedElement: Hashable {
    case collection(NestedID)
    case value(ComparedValue)

    init(_ value: StoredValue) {
        self = value.nestedID.map { .collection($0) } ?? .value(ComparedValue(value))
    }

    /// The collections with different contents.
    static func modified(_ old: [StoredValue], _ new: [StoredValue]) -> Set<NestedElement> {
        var before: [NestedID: StoredValue] = [:]
        for value in old { value.nestedID.map { before[$0] = value } }
        var modified: Set<NestedElement> = []
        for value in new {
            guard let id = value.nestedID, let was = before[id], !was.isStoredLike(value) else {
                continue
            }
            modified.insert(.collection(id))
        }
        return modified
    }
}
