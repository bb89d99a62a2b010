// The change streams of live collections: those of their frozen twins. When the object of a list,
// set or map was deleted, its stream ends at once; when the realm was invalidated, each throws
// `RealmError.invalidated`.

extension List where Element: ObjectBase {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<Frozen<Element>>> { freeze().changes() }

    /// The changes of the list; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> CollectionChanges<FrozenList<Frozen<Element>>> {
        freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of the list, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenList<Frozen<Element>>> {
        freeze().changes(keyPaths: keyPaths)
    }
}

extension List where Element: FrozenElement {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<Element>> { freeze().changes() }
}

extension List where Element == AnyRealmValue {
    /// The changes of the list, as ``FrozenList/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenList<FrozenValue>> { freeze().changes() }
}

extension MutableSet where Element: Object {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<Frozen<Element>>> { freeze().changes() }

    /// The changes of the set; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> CollectionChanges<FrozenSet<Frozen<Element>>> {
        freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of the set, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenSet<Frozen<Element>>> {
        freeze().changes(keyPaths: keyPaths)
    }
}

extension MutableSet where Element: FrozenElement {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<Element>> { freeze().changes() }
}

extension MutableSet where Element == AnyRealmValue {
    /// The changes of the set, as ``FrozenSet/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenSet<FrozenValue>> { freeze().changes() }
}

extension Map {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes<Model: ObjectBase>() -> CollectionChanges<FrozenMap<Frozen<Model>?>>
    where Value == Model? {
        freeze().changes()
    }

    /// The changes of the map; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>]
    ) -> CollectionChanges<FrozenMap<Frozen<Model>?>> where Value == Model? {
        freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of the map, with key paths as text.
    @_disfavoredOverload
    public func changes<Model: ObjectBase>(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenMap<Frozen<Model>?>> where Value == Model? {
        freeze().changes(keyPaths: keyPaths)
    }
}

extension Map where Value: FrozenElement {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<Value>> { freeze().changes() }
}

extension Map where Value == AnyRealmValue {
    /// The changes of the map, as ``FrozenMap/changes()`` delivers them.
    public func changes() -> CollectionChanges<FrozenMap<FrozenValue>> { freeze().changes() }
}

extension LinkingObjects {
    /// The changes of the objects that link here, as ``FrozenResults/changes(keyPaths:)`` tells
    /// them.
    public func changes(
        keyPaths: [PartialKeyPath<Element>] = []
    ) -> CollectionChanges<FrozenResults<Element>> {
        let frozen = freeze()
        if let invalidation { return frozen.changes(.failure(invalidation)) }
        return frozen.changes(keyPaths: keyPaths)
    }

    /// The changes of the objects that link here, with key paths as text.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> CollectionChanges<FrozenResults<Element>> {
        let frozen = freeze()
        if let invalidation { return frozen.changes(.failure(invalidation)) }
        return frozen.changes(keyPaths: keyPaths)
    }
}

extension Results {
    /// The changes of what the results stand for, as ``FrozenResults/changes(keyPaths:)`` tells
    /// them: they begin with the newest version, whatever the live realm shows. When the realm was
    /// invalidated, the stream throws ``RealmError/invalidated(className:key:)``.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenResults<Model>> {
        if let invalidation { return freeze().changes(.failure(invalidation)) }
        return freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of what the results stand for, with key paths as text.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> CollectionChanges<FrozenResults<Model>> {
        if let invalidation { return freeze().changes(.failure(invalidation)) }
        return freeze().changes(keyPaths: keyPaths)
    }

    /// Why there are no changes to tell, when the realm was invalidated.
    var invalidation: RealmError? {
        isInvalidated
            ? .invalidated(className: _plan.model.className, key: "results of a query") : nil
    }
}
