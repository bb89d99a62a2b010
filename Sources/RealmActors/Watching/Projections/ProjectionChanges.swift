import Storage

/// One element of a projection's change stream.
public enum ProjectionChange<P: ProjectionObservable>: Sendable {
    /// Properties that the projection shows were written. Has the projection as it is now, and the
    /// projected properties that may have changed, by their projected names and in the order of
    /// their declaration. All projected properties that begin with the same property of the object
    /// are delivered, also those with an equal value. A value of a custom type that is stored as an
    /// embedded object is a dictionary of the properties of that object, before and now.
    case change(FrozenProjection<P>, [PropertyChange])
    /// The object was deleted. The stream ends after this.
    case deleted
}

/// The changes of one projection. They begin and end as ``ObjectChanges`` do.
public typealias ProjectionChanges<P: ProjectionObservable> = ChangeStream<ProjectionChange<P>>

extension FrozenProjection: KeyPathChangeSource {
    /// The changes of the projection from this version on, for the properties that it shows; with
    /// key paths, only for those.
    public func _changes(_ watched: WatchedKeyPaths<P>) -> ProjectionChanges<P> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            try ProjectionProducer(self, watched.projected())
        }
    }
}

// Not a conformance to the protocol, for the reason given at those of live objects.
extension ProjectionObservable {
    /// The changes of a live projection from its present state on, for the properties that it
    /// shows; with key paths, only for those.
    ///
    /// If the object was deleted, the stream delivers ``ProjectionChange/deleted`` and ends; if it
    /// is unmanaged, it throws ``RealmError/invalidObject(_:)``, and if the realm was invalidated
    /// ``RealmError/invalidated(className:key:)``.
    public func changes(keyPaths: [PartialKeyPath<Self>] = []) -> ProjectionChanges<Self> {
        changes(WatchedKeyPaths(keyPaths))
    }

    /// The changes of a live projection, with the names of projected properties.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ProjectionChanges<Self> {
        changes(WatchedKeyPaths(texts: keyPaths))
    }

    private func changes(_ watched: WatchedKeyPaths<Self>) -> ProjectionChanges<Self> {
        if rootObject.__context == nil {
            return ChangeStream(failing: .changesOfUnmanaged(type(of: rootObject)))
        }
        return freeze()._changes(watched.failing(rootObject._invalidation))
    }
}

extension ProjectionObservable {
    /// Calls `block` on `actor` with each change of a live projection from its present state on;
    /// see ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Self>] = [],
        _ block: @escaping ChangeHandler<A, ProjectionChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    /// Calls `block` on `actor` with each change of a live projection, with the names of projected
    /// properties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block: @escaping ChangeHandler<A, ProjectionChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    /// Calls `block` on the main actor with each change of a live projection from its present state
    /// on.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    public func observe(
        keyPaths: [PartialKeyPath<Self>] = [],
        _ block: @escaping MainActorChangeHandler<ProjectionChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(keyPaths: keyPaths, block)
    }

    /// Calls `block` on the main actor with each change of a live projection, with the names of
    /// projected properties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String], _ block: @escaping MainActorChangeHandler<ProjectionChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(keyPaths: keyPaths, block)
    }

    private func observable() throws(RealmError) -> FrozenProjection<Self> {
        FrozenProjection(projecting: try rootObject.observable())
    }
}
