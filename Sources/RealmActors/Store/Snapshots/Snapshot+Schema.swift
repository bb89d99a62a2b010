import Storage

extension Snapshot {
    /// The classes that the realm was opened with; without any, those that the store had then.
    public var schema: Schema { models.schema }

    /// The schema as stored in this version, including classes that the realm was opened without
    /// and those that another process has added since.
    public var storedSchema: StoredSchema { StoredSchema(view.schema) }
}

extension Realm {
    /// The classes that the realm was opened with; without any, those that the store had then.
    public var schema: Schema { store.models.schema }
}
