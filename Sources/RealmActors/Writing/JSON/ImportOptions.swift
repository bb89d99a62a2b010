/// What an import does with keys of the JSON for which the class has no property.
public enum UnknownKeys: Sendable, Hashable, CaseIterable {
    /// Passes over them.
    case ignore
    /// Throws an error that names them.
    case refuse
}

/// What an import does with links to objects that do not exist.
public enum ImportedLinks: Sendable, Hashable, CaseIterable {
    /// Makes the objects.
    case create
    /// Links to objects that exist, by their primary keys, and throws an error where there is none.
    /// Embedded objects are made nevertheless.
    case existing
}
