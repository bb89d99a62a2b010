// Sections of results and of collections of objects.

extension FrozenResults {
    /// The objects sorted by a property, possibly of a linked object, with a section for each value
    /// of it. Objects that are equal in it keep their order. For a property that is computed from a
    /// stored one, there is a section for each computed value, in the order of the stored values.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> FrozenSectionedResults<Key, Model> {
        let keying = SectionKeying(keyPath)
        return FrozenSectionedResults(sorted(for: keying, ascending: ascending), keying)
    }

    /// The objects sorted by several properties, with a section for each value of the first.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, also when the first of `sortDescriptors` is by
    ///   another property than `keyPath`.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenSectionedResults<Key, Model> {
        let keying = SectionKeying(keyPath)
        try keying.check(sortDescriptors)
        return FrozenSectionedResults(try sorted(by: sortDescriptors), keying)
    }

    /// The objects in sections with the same result of `key`.
    ///
    ///     people.sorted(by: \.name).sectioned { String($0.name.prefix(1)) }
    ///
    /// - Parameter key: receives an object as the closure of ``Frozen/withObject(_:)`` does. It is
    ///   called on any thread, and its result must depend only on the object and the objects that
    ///   it links to.
    /// - Parameter sortDescriptors: an order of the objects; without any they keep theirs.
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenSectionedResults<Key, Model> {
        FrozenSectionedResults(try sorted(by: sortDescriptors), SectionKeying(key))
    }

    /// The objects in sections with the same result of `key`, in their present order.
    @_disfavoredOverload
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key
    ) -> FrozenSectionedResults<Key, Model> {
        FrozenSectionedResults(self, SectionKeying(key))
    }
}

extension Results {
    /// The objects sorted by a property, possibly of a linked object, with a section for each value
    /// of it. Objects that are equal in it keep their order. For a property that is computed from a
    /// stored one, there is a section for each computed value, in the order of the stored values.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Model> {
        let keying = SectionKeying(keyPath)
        return SectionedResults(sorted(for: keying, ascending: ascending), keying)
    }

    /// The objects sorted by several properties, with a section for each value of the first.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, also when the first of `sortDescriptors` is by
    ///   another property than `keyPath`.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> SectionedResults<Key, Model> {
        let keying = SectionKeying(keyPath)
        try keying.check(sortDescriptors)
        return SectionedResults(try sorted(by: sortDescriptors), keying)
    }

    /// The objects in sections with the same result of `key`; see
    /// ``FrozenResults/sectioned(by:sortDescriptors:)-(KeyPath<Model,Key>,_)``.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> SectionedResults<Key, Model> {
        SectionedResults(try sorted(by: sortDescriptors), SectionKeying(key))
    }

    /// The objects in sections with the same result of `key`, in their present order.
    @_disfavoredOverload
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key
    ) -> SectionedResults<Key, Model> {
        SectionedResults(self, SectionKeying(key))
    }
}

extension ObjectCollection {
    /// The objects of a live collection sorted by a property, with a section for each value of it.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Model> {
        _results.sectioned(by: keyPath, ascending: ascending)
    }

    /// The objects of a live collection sorted by several properties, with a section for each value
    /// of the first.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, also when the first of `sortDescriptors` is by
    ///   another property than `keyPath`.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> SectionedResults<Key, Model> {
        try liveResults().sectioned(by: keyPath, sortDescriptors: sortDescriptors)
    }

    /// The objects of a live collection in sections with the same result of `key`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> SectionedResults<Key, Model> {
        try liveResults().sectioned(by: key, sortDescriptors: sortDescriptors)
    }

    /// The objects of a live collection in sections with the same result of `key`, in their present
    /// order.
    @_disfavoredOverload
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key
    ) -> SectionedResults<Key, Model> {
        _results.sectioned(by: key)
    }
}

extension FrozenObjectCollection {
    /// The objects sorted by a property, with a section for each value of it.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> FrozenSectionedResults<Key, Model> {
        _results.sectioned(by: keyPath, ascending: ascending)
    }

    /// The objects sorted by several properties, with a section for each value of the first.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, also when the first of `sortDescriptors` is by
    ///   another property than `keyPath`.
    public func sectioned<Key: PersistedValue & Hashable & Sendable>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenSectionedResults<Key, Model> {
        try _results.sectioned(by: keyPath, sortDescriptors: sortDescriptors)
    }

    /// The objects in sections with the same result of `key`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key, sortDescriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenSectionedResults<Key, Model> {
        try _results.sectioned(by: key, sortDescriptors: sortDescriptors)
    }

    /// The objects in sections with the same result of `key`, in their present order.
    @_disfavoredOverload
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Model) -> Key
    ) -> FrozenSectionedResults<Key, Model> {
        _results.sectioned(by: key)
    }
}
