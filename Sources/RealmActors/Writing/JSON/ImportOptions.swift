/// What an import does about names in the JSON that the class has no property for.
public enum UnknownKeys: Sendable, Hashable, CaseIterable {
    /// Passes over them.
    case ignore
    /// Throws an error that names them.
    case refuse
}

/// What an import does about links to objects that are not there.
public enum ImportedLinks: Sendable, Hashable, CaseIterable {
    /// Makes the objects.
    case create
    /// Links to objects that exist, by their primary keys, and throws an error where there is none.
    /// Embedded objects are made all the same.
    case existing
}
