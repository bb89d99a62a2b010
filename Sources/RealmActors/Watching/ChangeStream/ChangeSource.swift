/// A source of a change stream: an object, results, a list, a set, a map, sections, projections,
/// a projected collection.
///
/// The library conforms its types; do not declare other conformances.
public protocol ChangeSource {
    /// One element of the stream.
    associatedtype Change: Sendable

    /// The changes from now on. The stream of a collection begins with its present elements, that
    /// of an object with the changes after the object's version. Without key paths, an object
    /// counts as changed when its own properties are written, and in a collection also when an
    /// object that it links to is written, up to four links away.
    ///
    /// The streams of live objects and collections deliver the same as those of their frozen
    /// counterparts. If the realm was invalidated, they throw
    /// ``RealmError/invalidated(className:key:)``.
    func changes() -> ChangeStream<Change>
}

/// A source of a change stream that key paths can narrow.
///
/// The library conforms its types; do not declare other conformances.
public protocol KeyPathChangeSource: ChangeSource {
    /// The root type of the key paths: a model, or a projection.
    associatedtype WatchedRoot
    /// One element of the stream.
    associatedtype Change

    /// The changes of the properties at the key paths.
    func _changes(_ watched: WatchedKeyPaths<WatchedRoot>) -> ChangeStream<Change>
}

extension KeyPathChangeSource {
    /// The changes from now on, without key paths.
    public func changes() -> ChangeStream<Change> { _changes(WatchedKeyPaths()) }

    /// The changes from now on; objects count as modified when a property on one of the key paths
    /// was written, links included. Insertions and deletions are always delivered.
    ///
    ///     for try await change in adults.changes(keyPaths: [\.name, \.owner?.name]) { ... }
    ///
    /// Changes of a single object are reported under the first property of the path. The stream
    /// throws ``RealmError/invalidKeyPath(_:)`` if a key path leads to a property that is not
    /// persisted, or not projected, or, as a string can, continues after a map.
    public func changes(keyPaths: [PartialKeyPath<WatchedRoot>]) -> ChangeStream<Change> {
        _changes(WatchedKeyPaths(keyPaths))
    }

    /// The changes from now on, with key paths as strings; those of projections are the names of
    /// projected properties.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ChangeStream<Change> {
        _changes(WatchedKeyPaths(texts: keyPaths))
    }
}
