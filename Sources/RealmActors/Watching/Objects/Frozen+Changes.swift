/// The changes of one object: see ``ChangeStream``.
///
/// They start from the version of the frozen object: no change between fetching and watching is
/// lost. Each element has the written properties and the object as it is now. For an object that
/// was frozen inside a write, which may be rolled back, the stream throws
/// ``RealmError/invalidObject(_:)``.
public typealias ObjectChanges<T: ObjectBase> = ChangeStream<ObjectChange<T>>

extension Frozen: KeyPathChangeSource {
    /// The changes of the object from this version on.
    public func _changes(_ watched: WatchedKeyPaths<Model>) -> ObjectChanges<Model> {
        ChangeStream(context.snapshot.hub) { () throws(RealmError) in
            try ObjectProducer(self, watched.names())
        }
    }
}

// Not a conformance to the protocol: models need not be final, so `Self` cannot be an associated
// type.
extension ModelObject {
    /// The changes of a live object from its present state on, for the properties on the key paths;
    /// without key paths, for all of its own properties.
    ///
    /// If the object was deleted, the stream delivers ``ObjectChange/deleted`` and ends; if it is
    /// unmanaged, it throws ``RealmError/invalidObject(_:)``, and if the realm was invalidated
    /// ``RealmError/invalidated(className:key:)``.
    public func changes(keyPaths: [PartialKeyPath<Self>] = []) -> ObjectChanges<Self> {
        changes(WatchedKeyPaths(keyPaths))
    }

    /// The changes of a live object, with key paths as strings.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ObjectChanges<Self> {
        changes(WatchedKeyPaths(texts: keyPaths))
    }

    private func changes(_ watched: WatchedKeyPaths<Self>) -> ObjectChanges<Self> {
        if __context == nil { return ChangeStream(failing: .changesOfUnmanaged(Self.self)) }
        return freeze()._changes(watched.failing(_invalidation))
    }

    /// Calls `block` on `actor` with each change of a live object from its present state on; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Self>] = [],
        _ block: @escaping ChangeHandler<A, ObjectChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    /// Calls `block` on `actor` with each change of a live object, with key paths as strings.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String], _ block: @escaping ChangeHandler<A, ObjectChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    /// Calls `block` on the main actor with each change of a live object from its present state on;
    /// see ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    public func observe(
        keyPaths: [PartialKeyPath<Self>] = [],
        _ block: @escaping MainActorChangeHandler<ObjectChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(keyPaths: keyPaths, block)
    }

    /// Calls `block` on the main actor with each change of a live object, with key paths as
    /// strings.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or deleted, and inside a write.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String], _ block: @escaping MainActorChangeHandler<ObjectChange<Self>>
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(keyPaths: keyPaths, block)
    }

    /// The object in the state from which it can be observed.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when there is none.
    func observable() throws(RealmError) -> Frozen<Self> {
        if isInvalidated || __context == nil {
            throw .changesOfUnmanaged(Self.self)
        }
        if let context = __context as? LiveContext, context.isInWrite {
            throw .changesInsideWrite(Self.self)
        }
        return freeze()
    }
}

extension RealmError {
    /// Changes of an object that is in no realm were requested.
    static func changesOfUnmanaged(_ model: ObjectBase.Type) -> RealmError {
        .invalidObject(
            "A '\(model)' that is unmanaged or deleted has no changes to observe. Add it to a "
                + "realm first.")
    }

    /// Changes of a collection whose object is in no realm were requested.
    static var changesOfUnmanagedCollection: RealmError {
        .invalidObject(
            "An unmanaged collection has no changes to observe. Add its object to a realm first.")
    }
}
