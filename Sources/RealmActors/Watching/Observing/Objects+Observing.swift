// Changes of objects delivered to an actor, for those who come from Realm.

extension Frozen {
    /// Calls `block` on `actor` with each change of the object, as ``changes(keyPaths:)`` tells
    /// them: one after another, in the order of versions, until the token is invalidated or
    /// released, the actor is gone, or the object was deleted.
    ///
    /// The actor is not kept alive. In a task that was cancelled, `block` is never called.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block: @escaping @Sendable (isolated A, ObjectChange<Model>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with each change of the object, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block: @escaping @Sendable (isolated A, ObjectChange<Model>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension ModelObject {
    /// Calls `block` on `actor` with each change of a live object from its present state on; see
    /// ``Frozen/observe(on:keyPaths:_:)``.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   object is unmanaged or gone.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Self>] = [],
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    /// Calls `block` on `actor` with each change of a live object, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try observable().observe(on: actor, keyPaths: keyPaths, block)
    }

    private func observable() throws(RealmError) -> Frozen<Self> {
        if isInvalidated || __context == nil {
            throw .invalidObject(
                "A '\(Self.self)' that is unmanaged or gone has no changes to observe. "
                    + "Add it to a realm first.")
        }
        if let context = __context as? LiveContext, context.isInWrite {
            throw .changesInsideWrite(Self.self)
        }
        return freeze()
    }
}
