import Storage

extension Snapshot {
    /// All objects of the class with this name, in the order of their creation. It may be one that
    /// the realm was not opened with.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func dynamicObjects(
        _ className: String
    ) throws(RealmError) -> FrozenResults<DynamicObject> {
        FrozenResults(context: context, model: try models.dynamicBinding(named: className))
    }

    /// The object of the class with this name that has a primary key; nil when there is none.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class,
    ///   ``RealmError/noPrimaryKey(className:)`` when the class has no primary key.
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: some PersistedValue
    ) throws(RealmError) -> Frozen<DynamicObject>? {
        let model = try models.dynamicBinding(named: className)
        guard let column = model.primaryKeyIndex else { throw .noPrimaryKey(className: className) }
        guard
            let row = view.classRoot(model.classID).first(column, equalTo: key._storable.value)
        else { return nil }
        return context.frozen(DynamicObject.self, model, row.key)
    }
}

extension Realm {
    /// All objects of the class with this name in the newest version.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func dynamicObjects(
        _ className: String
    ) throws(RealmError) -> FrozenResults<DynamicObject> {
        try snapshot().dynamicObjects(className)
    }

    /// The object of the class with this name that has a primary key, in the newest version.
    ///
    /// - Throws: as ``Snapshot/dynamicObject(ofType:forPrimaryKey:)``.
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: some PersistedValue
    ) throws(RealmError) -> Frozen<DynamicObject>? {
        try snapshot().dynamicObject(ofType: className, forPrimaryKey: key)
    }
}
