import Storage

/// A store that was open, and is to be opened again under handles that know its classes by number.
struct FormerStore: Sendable {
    let path: String
    let database: KnownDatabase?
    /// What its models are bound to.
    let schema: StoreSchema

    /// The schema to go on with.
    ///
    /// - Throws: when classes and properties have other numbers by now, or would have to be
    ///   migrated: only who opens the realm anew has models that fit.
    func goesOn(with decision: SchemaDecision) throws -> StoreSchema {
        switch decision {
        case .open(let schema) where schema.extends(self.schema): return schema
        case .refuse(let error): throw error
        case .open, .migrate, .delete: throw RealmError(StorageError.migrated(path: path))
        }
    }
}
