import Storage

/// A list or a set.
protocol OwnedSequence: OwnedCollection
where
    Position == Int, PropertyTracker == SequenceTracker, NestedTracker == NestedSequenceTracker
{
    var view: SequenceView { get }
}

extension OwnedSequence {
    var contents: [StoredValue] { view.elements }
}

extension SequenceView {
    /// The elements, in order.
    var elements: [StoredValue] {
        var elements: [StoredValue] = []
        elements.reserveCapacity(count)
        forEach { elements.append($0) }
        return elements
    }
}

extension FrozenList: ObservedCollection, OwnedSequence {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenList: ChangeSource {
    /// The changes of the list, beginning with the list as it is when the first element is
    /// requested. Objects in the list count as modified when they, or what they link to, are
    /// written, up to four links away. When the list's owner is deleted, its elements are delivered
    /// as deleted and the stream ends.
    public func changes() -> CollectionChanges<FrozenList> { source.changes() }
}

extension FrozenList: KeyPathChangeSource where Element: FrozenObjectElement {
    /// The changes of the list of objects.
    public func _changes(
        _ watched: WatchedKeyPaths<Element.Model>
    ) -> CollectionChanges<FrozenList> {
        source.changes(watched.names)
    }
}

extension FrozenSet: ObservedCollection, OwnedSequence {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenSet: ChangeSource {
    /// The changes of the set, beginning with the set as it is when the first element is requested.
    /// Positions are those of its ascending order.
    public func changes() -> CollectionChanges<FrozenSet> { source.changes() }
}

extension FrozenSet: KeyPathChangeSource where Element: FrozenObjectElement {
    /// The changes of the set of objects.
    public func _changes(
        _ watched: WatchedKeyPaths<Element.Model>
    ) -> CollectionChanges<FrozenSet> {
        source.changes(watched.names)
    }
}

extension FrozenMap: ObservedCollection, OwnedCollection {
    typealias PropertyTracker = MapTracker
    typealias NestedTracker = NestedMapTracker

    /// Positions are keys.
    public typealias Position = String

    /// The modified keys themselves: a key does not move.
    public func newPositions(
        of modifications: [String], deletions: [String], insertions: [String]
    ) -> [String] { modifications }

    var contents: MapContents { MapContents(keys: keys, values: view.values.elements) }
}

extension FrozenMap: ChangeSource {
    /// The changes of the map, by keys, beginning with the map as it is when the first element is
    /// requested. When an object in the map is deleted, the value of its key becomes nil, which is
    /// a modification. When the map's owner is deleted, its keys are delivered as deleted and the
    /// stream ends.
    public func changes() -> CollectionChanges<FrozenMap> { source.changes() }
}

extension FrozenMap: KeyPathChangeSource where Value: FrozenObjectElement {
    /// The changes of the map of objects.
    public func _changes(
        _ watched: WatchedKeyPaths<Value.Model>
    ) -> CollectionChanges<FrozenMap> {
        source.changes(watched.names)
    }
}
