// Sorting by the name of a property, as in Realm's API.

extension QueryableResults {
    /// The objects ordered by the property with this name, which may lead across to-one links:
    /// `"owner.name"`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have, or for
    ///   a path through a collection.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(RealmError) -> Self {
        try sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension ObjectCollection {
    /// The objects ordered by the property with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   collection is not live.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(RealmError) -> Results<Model> {
        try sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension FrozenObjectCollection {
    /// The objects ordered by the property with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(RealmError) -> FrozenResults<Model> {
        try _results.sorted(byKeyPath: keyPath, ascending: ascending)
    }
}

extension ProjectionResults {
    /// The projections ordered by the property of their objects that has this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(RealmError) -> ProjectionResults {
        try sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension FrozenProjectionResults {
    /// The projections ordered by the property of their objects that has this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(RealmError) -> FrozenProjectionResults {
        try sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}
