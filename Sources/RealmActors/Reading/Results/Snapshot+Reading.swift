import Storage

extension Snapshot {
    /// All objects of a class, in the order of their creation.
    ///
    /// For a class that is not among the realm's `objectTypes` the results are empty;
    /// `evaluated()`, query strings and change streams of them throw.
    public func objects<Model: Object>(_ type: Model.Type) -> FrozenResults<Model> {
        guard let model = models.binding(for: type) else {
            let absent = AbsentClass(type, in: models)
            return FrozenResults(
                context: FrozenContext(handle, without: absent), model: absent.model)
        }
        return FrozenResults(context: context, model: model)
    }

    /// The object with a primary key; nil when there is none. O(log n).
    public func object<Model: Object>(
        _ type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? {
        guard let object = context.object(type, forPrimaryKey: key._storable.value) else {
            return nil
        }
        // Unsafe: it is an accessor of the binding of `type`, which are instances of it.
        return Frozen(frozen: unsafeDowncast(object, to: type))
    }

    /// The object of a reference, as it is in this version; nil when this version does not have it.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Frozen<Model>? {
        guard let model = models.binding(of: reference), !context.hasReused(keyOf: reference)
        else { return nil }
        return context.frozen(Model.self, model, reference.key)
    }

    /// The object of a frozen one in another version, as it is in this one; nil when this version
    /// does not have it.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Frozen<Model>? {
        resolve(frozen.reference)
    }
}

extension FrozenContext {
    /// A frozen object of this version; nil when the version does not have its row.
    func frozen<Model: ObjectBase>(
        _ type: Model.Type, _ model: ModelBinding, _ key: RowKey
    ) -> Frozen<Model>? {
        guard let object = object(model, key) else { return nil }
        // Unsafe: callers give the binding of `type`, whose accessors are instances of it.
        return Frozen(frozen: unsafeDowncast(object, to: type))
    }
}
