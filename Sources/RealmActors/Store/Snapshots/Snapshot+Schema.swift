extension Snapshot {
    /// The classes of the realm.
    public var schema: Schema { models.schema }
}

extension Realm {
    /// The classes that the realm was opened with.
    public var schema: Schema { store.models.schema }
}
