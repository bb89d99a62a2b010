// The change streams of live sections: those of their frozen twins.

extension SectionedResults {
    /// The changes of what the sections stand for, as
    /// ``FrozenSectionedResults/changes(keyPaths:)`` tells them.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of what the sections stand for, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        freeze().changes(keyPaths: keyPaths)
    }
}

extension ResultsSection {
    /// The changes of the section, as ``FrozenResultsSection/changes(keyPaths:)`` tells them.
    public func changes(
        keyPaths: [PartialKeyPath<Model>] = []
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        freeze().changes(keyPaths: keyPaths)
    }

    /// The changes of the section, with key paths as text.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        freeze().changes(keyPaths: keyPaths)
    }
}
