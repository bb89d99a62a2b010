// The change streams of live collections: those of their frozen counterparts. When the object of a
// list, set, map or inverse was deleted, its stream ends at once; that of an unmanaged one throws.

extension CollectionPlace {
    /// The changes of the list, set or map in this place.
    fileprivate func changes<C: OwnedCollection>(
        _ names: () throws(RealmError) -> [[String]] = { [] }
    ) -> CollectionChanges<C> {
        if managed == nil, nested == nil {
            return ChangeStream(failing: .changesOfUnmanagedCollection)
        }
        return frozenSource.changes(names)
    }
}

extension Results: KeyPathChangeSource {
    /// The changes of the results. They begin with the newest version, even if the live realm shows
    /// an older one.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResults<Model>> {
        freeze()._changes(watched.failing(invalidation))
    }

    /// Why there are no changes to deliver, when the realm was invalidated.
    var invalidation: RealmError? {
        isInvalidated
            ? .invalidated(className: _plan.model.className, key: "results of a query") : nil
    }
}

extension LinkingObjects: KeyPathChangeSource {
    /// The changes of the objects that link here. When this object is deleted, all of them are
    /// delivered as deleted and the stream ends.
    public func _changes(
        _ watched: WatchedKeyPaths<Element>
    ) -> CollectionChanges<FrozenResults<Element>> {
        if place.managed == nil { return ChangeStream(failing: .changesOfUnmanagedCollection) }
        return freeze()._changes(watched.failing(invalidation))
    }
}

extension List: ChangeSource, KeyPathChangeSource where Element: ObjectBase {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenList<Frozen<Element>>>

    /// The changes of the list of objects.
    public func _changes(_ watched: WatchedKeyPaths<Element>) -> ChangeStream<Change> {
        place.changes(watched.names)
    }
}

extension MutableSet: ChangeSource, KeyPathChangeSource where Element: Object {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenSet<Frozen<Element>>>

    /// The changes of the set of objects.
    public func _changes(_ watched: WatchedKeyPaths<Element>) -> ChangeStream<Change> {
        place.changes(watched.names)
    }
}

extension Map: ChangeSource, KeyPathChangeSource where Value: ObjectLink {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenMap<Frozen<Value.Linked>?>>

    /// The changes of the map of objects.
    public func _changes(_ watched: WatchedKeyPaths<Value.Linked>) -> ChangeStream<Change> {
        place.changes(watched.names)
    }
}

// Not requirements of the protocol: a type conforms to it once, here for collections of objects.

extension List where Element: FrozenElement {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<Element>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the list is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenList<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension List where Element == AnyRealmValue {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<FrozenValue>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the list is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenList<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension MutableSet where Element: FrozenElement {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<Element>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the set is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenSet<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension MutableSet where Element == AnyRealmValue {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<FrozenValue>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the set is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenSet<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension Map where Value: FrozenElement {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<Value>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the map is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenMap<Value>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension Map where Value == AnyRealmValue {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<FrozenValue>> { place.changes() }

    /// Calls `block` on `actor` with what `changes()` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the map is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, CollectionChange<FrozenMap<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}
