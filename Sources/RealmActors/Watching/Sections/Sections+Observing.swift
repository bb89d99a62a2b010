// Changes of sections delivered to an actor, for those who come from Realm. See
// FrozenCollections+Observing.swift.

extension FrozenSectionedResults {
    /// Calls `block` on `actor` with the sections, then with each change.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSectionedResults>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the sections, then with each change, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSectionedResults>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension FrozenResultsSection {
    /// Calls `block` on `actor` with the section, then with each change.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResultsSection>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the section, then with each change, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResultsSection>) async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension SectionedResults {
    /// Calls `block` on `actor` with the sections, then with each change.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSectionedResults<Key, Model>>)
            async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the sections, then with each change, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenSectionedResults<Key, Model>>)
            async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}

extension ResultsSection {
    /// Calls `block` on `actor` with the section, then with each change.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<Model>] = [],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResultsSection<Key, Model>>)
            async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with the section, then with each change, with key paths as text.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String],
        _ block:
            @escaping @Sendable (isolated A, CollectionChange<FrozenResultsSection<Key, Model>>)
            async -> Void
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}
