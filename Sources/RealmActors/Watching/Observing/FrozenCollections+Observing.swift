// Changes of collections delivered to an actor, for those who come from Realm.
//
// Each is called with what its `changes` delivers: first with the collection as it is, then with
// every change, one after another, in the order of versions, until the token is invalidated or
// released, the actor is gone, or the stream ends. The actor is not kept alive. In a task that was
// cancelled, the block is never called.

extension FrozenResults {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResults<Model>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResults<Model>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension FrozenList {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenList>) async -> Void
    ) throws(RealmError) -> NotificationToken where Element == Frozen<Model> {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [String],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenList>) async -> Void
    ) throws(RealmError) -> NotificationToken where Element == Frozen<Model> {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension FrozenList {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A,
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenList>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension FrozenSet {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenSet>) async -> Void
    ) throws(RealmError) -> NotificationToken where Element == Frozen<Model> {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [String],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenSet>) async -> Void
    ) throws(RealmError) -> NotificationToken where Element == Frozen<Model> {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension FrozenSet {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A,
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenSet>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension FrozenMap {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenMap>) async -> Void
    ) throws(RealmError) -> NotificationToken where Value == Frozen<Model>? {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [String],
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenMap>) async -> Void
    ) throws(RealmError) -> NotificationToken where Value == Frozen<Model>? {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension FrozenMap {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A,
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenMap>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}
