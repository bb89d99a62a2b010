import Storage

/// A store that is reopened. Its handles refer to classes by number, so the numbers must not
/// change.
struct FormerStore: Sendable {
    let path: String
    let database: KnownDatabase?
    /// The schema that its models are bound to.
    let schema: StoreSchema

    /// The schema to continue with.
    ///
    /// - Throws: when the numbers of classes and properties have changed, or a migration is needed:
    ///   both require a new handle.
    func schema(for decision: SchemaDecision) throws -> StoreSchema {
        switch decision {
        case .open(let schema) where schema.extends(self.schema): return schema
        case .refuse(let error): throw error
        case .open, .migrate, .delete: throw RealmError(StorageError.migrated(path: path))
        }
    }
}
