/// What an import does with keys of the JSON for which the class has no property.
public enum UnknownKeys: Sendable, Hashable, CaseIterable {
    /// Ignores them.
    case ignore
    /// Throws an error that names them.
    case refuse
}

/// What an import does with links to objects that do not exist.
public enum ImportedLinks: Sendable, Hashable, CaseIterable {
    /// Creates the objects.
    case create
    /// Links to existing objects, by their primary keys, and throws an error if there is none.
    /// Embedded objects are created nevertheless.
    case existing
}
