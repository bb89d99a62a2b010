import Storage

/// The entries of a map, ascending by key.
struct MapContents {
    let keys: [String]
    let values: [StoredValue]
}

/// The last delivered state of one map, and its difference from the next, by keys.
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
        let old = MapContents(keys: keys, values: tracker.shown)
        keys = map.keys
        let modified = tracker.modified(among: map.values, by: marks, in: graph)
        // An entry that was removed and inserted again keeps its key, so that it counts as
        // modified.
        let edited = tracker.edited(to: map.values, modified, by: marks).map { change in
            change.modifications.map { old.keys[$0] }.asMapKeys
                .union(change.insertions.map { map.keys[$0] }.asMapKeys)
        }
        let before = Dictionary(mapKeys: old.keys, old.values)
        let after = Dictionary(mapKeys: map.keys, map.values)
        return PositionChanges(
            deletions: old.keys.filter { after[.string($0)] == nil },
            insertions: map.keys.filter { before[.string($0)] == nil },
            modifications: old.keys.filter { key in
                let key = StoredValue.string(key)
                guard let was = before[key], let value = after[key] else { return false }
                // Where the edits are unknown, the values of each key are compared.
                return edited?.contains(key)
                    ?? (!was.isStoredLike(value) || modified.contains(value))
            })
    }

    mutating func modify(
        by marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<String> {
        let change = tracker.modify(by: marks, in: graph)
        return PositionChanges(modifications: change.modifications.map { keys[$0] })
    }

    mutating func clear() -> [String] {
        defer { keys = [] }
        return keys
    }
}
