// The change streams of live collections: those of their frozen twins. When the object of a list,
// set or map was deleted, its stream ends at once.

extension Results: KeyPathChangeSource {
    /// The changes of what the results stand for. They begin with the newest version, whatever the
    /// live realm shows.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResults<Model>> {
        freeze()._changes(watched.failing(invalidation))
    }

    /// Why there are no changes to tell, when the realm was invalidated.
    var invalidation: RealmError? {
        isInvalidated
            ? .invalidated(className: _plan.model.className, key: "results of a query") : nil
    }
}

extension LinkingObjects: KeyPathChangeSource {
    /// The changes of the objects that link here.
    public func _changes(
        _ watched: WatchedKeyPaths<Element>
    ) -> CollectionChanges<FrozenResults<Element>> {
        freeze()._changes(watched.failing(invalidation))
    }
}

extension List: ChangeSource, KeyPathChangeSource where Element: ObjectBase {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenList<Frozen<Element>>>

    /// The changes of the list of objects.
    public func _changes(_ watched: WatchedKeyPaths<Element>) -> ChangeStream<Change> {
        freeze()._changes(watched)
    }
}

extension MutableSet: ChangeSource, KeyPathChangeSource where Element: Object {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenSet<Frozen<Element>>>

    /// The changes of the set of objects.
    public func _changes(_ watched: WatchedKeyPaths<Element>) -> ChangeStream<Change> {
        freeze()._changes(watched)
    }
}

extension Map: ChangeSource, KeyPathChangeSource where Value: ObjectLink {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenMap<Frozen<Value.Linked>?>>

    /// The changes of the map of objects.
    public func _changes(_ watched: WatchedKeyPaths<Value.Linked>) -> ChangeStream<Change> {
        FrozenMap(place.frozenSource)._changes(watched)
    }
}

// Not of the protocol: a type conforms in one way, and these are of collections of values.

extension List where Element: FrozenElement {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<Element>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenList<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}

extension List where Element == AnyRealmValue {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<FrozenValue>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenList<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}

extension MutableSet where Element: FrozenElement {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<Element>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenSet<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}

extension MutableSet where Element == AnyRealmValue {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<FrozenValue>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenSet<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}

extension Map where Value: FrozenElement {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<Value>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenMap<Value>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}

extension Map where Value == AnyRealmValue {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<FrozenValue>> { freeze().changes() }

    /// Calls `block` on `actor` with what `changes()` delivers.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenMap<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try freeze().observe(on: actor, block)
    }
}
