extension Realm {
    /// All objects of a class in the newest version, in the order of their creation. Synchronous;
    /// may be called from any isolation.
    public func objects<Model: Object>(_ type: Model.Type) -> FrozenResults<Model> {
        snapshot().objects(type)
    }

    /// The object with a primary key in the newest version; nil when there is none. O(log n).
    public func object<Model: Object>(
        _ type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? {
        snapshot().object(type, forPrimaryKey: key)
    }

    /// The object of a reference, in the newest version; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Frozen<Model>? {
        snapshot().resolve(reference)
    }

    /// The newest version of an object; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Frozen<Model>? {
        snapshot().resolve(frozen)
    }
}
