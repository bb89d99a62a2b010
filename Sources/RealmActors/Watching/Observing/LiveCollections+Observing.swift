// Changes of live collections delivered to an actor: those of their frozen twins, beginning with
// the newest version. Their objects must be there.

extension Results {
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

extension LinkingObjects {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Element>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResults<Element>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResults<Element>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension List where Element: ObjectBase {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Element>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenList<Frozen<Element>>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenList<Frozen<Element>>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension List where Element: FrozenElement {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenList<Element>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension List where Element == AnyRealmValue {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenList<FrozenValue>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension MutableSet where Element: Object {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Element>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSet<Frozen<Element>>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSet<Frozen<Element>>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension MutableSet where Element: FrozenElement {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSet<Element>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension MutableSet where Element == AnyRealmValue {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSet<FrozenValue>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension Map {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenMap<Frozen<Model>?>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken where Value == Model? {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the collection and its changes, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor, Model: ObjectBase>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenMap<Frozen<Model>?>>) async ->
            Void
    ) throws(RealmError) -> NotificationToken where Value == Model? {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension Map where Value: FrozenElement {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block: @escaping @Sendable (isolated A, CollectionChange<FrozenMap<Value>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension Map where Value == AnyRealmValue {
    /// Calls `block` on `actor` with the collection, then with each of its changes.
    public func observe<A: Actor>(
        on actor: A,
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenMap<FrozenValue>>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}
