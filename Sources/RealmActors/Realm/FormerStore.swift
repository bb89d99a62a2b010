import Storage

/// A store that was open, and is reopened under handles that know its classes by their numbers.
struct FormerStore: Sendable {
    let path: String
    let database: KnownDatabase?
    /// What its models are bound to.
    let schema: StoreSchema

    /// The schema to continue with.
    ///
    /// - Throws: when classes and properties have other numbers now, or would have to be migrated:
    ///   open a new handle for these.
    func schema(for decision: SchemaDecision) throws -> StoreSchema {
        switch decision {
        case .open(let schema) where schema.extends(self.schema): return schema
        case .refuse(let error): throw error
        case .open, .migrate, .delete: throw RealmError(StorageError.migrated(path: path))
        }
    }
}
