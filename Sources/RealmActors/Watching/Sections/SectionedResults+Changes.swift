// The change streams of live sections: those of their frozen twins. When the realm was invalidated,
// they throw `RealmError.invalidated`.

extension SectionedResults {
    /// The changes of what the sections stand for, as
    /// ``FrozenSectionedResults/changes(keyPaths:)`` delivers them.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        if let error = results.invalidation { return freeze().changes(failing: error) }
        return freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of what the sections stand for, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        if let error = results.invalidation { return freeze().changes(failing: error) }
        return freeze().changes(keyPaths: keyPaths)
    }
}

extension ResultsSection {
    /// The changes of the section, as ``FrozenResultsSection/changes(keyPaths:)`` delivers them.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        if let invalidation { return freeze().changes(.failure(invalidation)) }
        return freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of the section, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        if let invalidation { return freeze().changes(.failure(invalidation)) }
        return freeze().changes(keyPaths: keyPaths)
    }
}
