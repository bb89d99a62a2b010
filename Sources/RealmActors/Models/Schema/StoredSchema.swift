package import Storage

/// The schema in the files of a store, whatever models the program declares.
public struct StoredSchema: Sendable, Hashable {
    /// The version that the store was given or migrated to; zero when no program gave it one.
    public let version: UInt64
    /// The classes with the names of their columns, in the order in which they were added.
    public let schema: Schema

    package init(_ stored: StoreSchema) {
        version = stored.version ?? 0
        schema = Schema(stored)
    }
}

extension StoredSchema: CustomStringConvertible {
    /// The version, the classes and their properties.
    public var description: String { "schema version \(version)\n\(schema)" }
}
