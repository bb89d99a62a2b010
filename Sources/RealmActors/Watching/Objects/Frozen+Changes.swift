extension Frozen {
    /// The changes of the object from this version on: each element says which properties were
    /// written and shows the object as it is now.
    ///
    ///     for try await change in rex.changes(keyPaths: [\.age, \.owner?.name]) { ... }
    ///
    /// With key paths, changes are those of the properties on them, links included, and are
    /// reported under the first property of the path. Without any, they are those of the object's
    /// own properties. A key path to what is not persisted makes the stream throw
    /// ``RealmError/invalidKeyPath(_:)``.
    public func changes(keyPaths: [PartialKeyPath<Model>] = []) -> ObjectChanges<Model> {
        changes(context.paths(keyPaths))
    }

    /// The changes of the object, with key paths as text.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ObjectChanges<Model> {
        changes(.success(context.paths(keyPaths)))
    }

    func changes(_ names: Result<[[String]], RealmError>) -> ObjectChanges<Model> {
        ObjectChanges(hub: context.snapshot.hub, producer: ObjectProducer(self, names))
    }
}

extension ModelObject {
    /// The changes of a live object from its present state on; see ``Frozen/changes(keyPaths:)``.
    ///
    /// The object must be managed. Of one that was deleted the stream tells that and ends; when its
    /// realm was invalidated, the stream throws ``RealmError/invalidated(className:key:)``.
    public func changes(keyPaths: [PartialKeyPath<Self>] = []) -> ObjectChanges<Self> {
        let frozen = freeze()
        if let _invalidation { return frozen.changes(.failure(_invalidation)) }
        return frozen.changes(keyPaths: keyPaths)
    }

    /// The changes of a live object, with key paths as text.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ObjectChanges<Self> {
        let frozen = freeze()
        if let _invalidation { return frozen.changes(.failure(_invalidation)) }
        return frozen.changes(keyPaths: keyPaths)
    }
}
