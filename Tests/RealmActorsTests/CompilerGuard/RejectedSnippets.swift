extension Snippet {
    /// Everything that must not compile.
    static let rejectedSnippets =
        escapesFromWrites + escapesFromActors + sharedModels + frozenMisuse + queryMisuse
        + unsupportedModels + projectionMisuse + collectionMisuse + unsupportedElements
        + valueMisuse + unavailableDeclarations
}
