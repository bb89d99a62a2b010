// The change streams of live collections: those of their frozen twins. Their objects must be there.

extension List where Element: ObjectBase {
    /// The changes of the list, as ``FrozenList/changes()`` tells them.
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
    /// The changes of the list, as ``FrozenList/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenList<Element>> { freeze().changes() }
}

extension List where Element == AnyRealmValue {
    /// The changes of the list, as ``FrozenList/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenList<FrozenValue>> { freeze().changes() }
}

extension MutableSet where Element: Object {
    /// The changes of the set, as ``FrozenSet/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenSet<Frozen<Element>>> { freeze().changes() }
}

extension MutableSet where Element: FrozenElement {
    /// The changes of the set, as ``FrozenSet/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenSet<Element>> { freeze().changes() }
}

extension MutableSet where Element == AnyRealmValue {
    /// The changes of the set, as ``FrozenSet/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenSet<FrozenValue>> { freeze().changes() }
}

extension Map {
    /// The changes of the map, as ``FrozenMap/changes()`` tells them.
    public func changes<Model: ObjectBase>() -> CollectionChanges<FrozenMap<Frozen<Model>?>>
    where Value == Model? {
        freeze().changes()
    }
}

extension Map where Value: FrozenElement {
    /// The changes of the map, as ``FrozenMap/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenMap<Value>> { freeze().changes() }
}

extension Map where Value == AnyRealmValue {
    /// The changes of the map, as ``FrozenMap/changes()`` tells them.
    public func changes() -> CollectionChanges<FrozenMap<FrozenValue>> { freeze().changes() }
}

extension LinkingObjects {
    /// The changes of the objects that link here, as ``FrozenResults/changes(keyPaths:)`` tells
    /// them.
    public func changes(
        keyPaths: [PartialKeyPath<Element>] = []
    ) -> CollectionChanges<FrozenResults<Element>> {
        freeze().changes(keyPaths: keyPaths)
    }
}
