/// What has a stream of its changes: objects, results, lists, sets, maps, sections, projections.
///
/// The library conforms its types; do not declare other conformances.
public protocol ChangeSource {
    /// One element of the stream.
    associatedtype Change: Sendable

    /// The changes from now on. Streams of collections begin with what there is, those of objects
    /// with the version of the object that they were asked of. Without key paths, objects change
    /// with their own properties, and those in collections also with what they link to, up to four
    /// links away.
    ///
    /// Those of live objects and collections deliver the same as their frozen twins. When the
    /// realm was invalidated, they throw ``RealmError/invalidated(className:key:)``.
    func changes() -> ChangeStream<Change>
}

/// What has a stream of its changes that key paths narrow.
///
/// The library conforms its types; do not declare other conformances.
public protocol KeyPathChangeSource: ChangeSource {
    /// What the key paths begin with: a model, or a projection.
    associatedtype WatchedRoot
    /// One element of the stream.
    associatedtype Change

    /// The changes that key paths ask for.
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
    /// Changes of a single object are reported under the first property of the path. A key path to
    /// what is not persisted, or not projected, makes the stream throw
    /// ``RealmError/invalidKeyPath(_:)``, and so does one that goes on behind a map, which only
    /// text can.
    public func changes(keyPaths: [PartialKeyPath<WatchedRoot>]) -> ChangeStream<Change> {
        _changes(WatchedKeyPaths(keyPaths))
    }

    /// The changes from now on, with key paths as text; those of projections are the names of
    /// projected properties.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ChangeStream<Change> {
        _changes(WatchedKeyPaths(texts: keyPaths))
    }
}
