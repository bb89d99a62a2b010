import Storage

/// The entries of a map, ascending by key.
struct MapContents {
    let keys: [String]
    let values: [StoredValue]
}

/// What a consumer was shown of one map, and how the next state differs, by its keys.
struct MapTracker: ContentsTracker {
    private var keys: [String] = []
    private var tracker: SequenceTracker

    init(_ reader: OwnedReader, _ finder: ModificationFinder?) {
        tracker = SequenceTracker(reader, finder)
    }

    var watched: Set<ClassID> { tracker.watched }

    mutating func reset(_ map: MapContents, in graph: some LinkGraph) {
        keys = map.keys
        tracker.reset(map.values, in: graph)
    }

    mutating func update(
        _ map: MapContents, marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<String> {
        let old = keys
        keys = map.keys
        let change = tracker.update(map.values, marks: marks, in: graph)
        // An entry that went and came again keeps its key, so that it counts as modified.
        let (before, after) = (old.asMapKeys, keys.asMapKeys)
        let modified = change.modifications.map { old[$0] }.asMapKeys
            .union(change.insertions.map { keys[$0] }.asMapKeys)
        return PositionChanges(
            deletions: old.filter { !after.contains(.string($0)) },
            insertions: keys.filter { !before.contains(.string($0)) },
            modifications: old.filter {
                modified.contains(.string($0)) && after.contains(.string($0))
            })
    }

    mutating func clear() -> [String] {
        defer { keys = [] }
        return keys
    }
}
