// Queries of live lists and sets of objects: the results follow the collection.

extension List where Element: ObjectBase {
    /// The objects for which the condition holds, in the order of the list. The list must be live.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        place.results(Element.self).where(isIncluded)
    }

    /// The objects ordered by a property, as ``QueryableResults/sorted(by:ascending:)`` orders
    /// them. The list must be live.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        place.results(Element.self).sorted(by: keyPath, ascending: ascending)
    }

    /// The objects ordered by several properties. The list must be live.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(by descriptors: [SortDescriptor]) throws(RealmError) -> Results<Element> {
        try place.results(Element.self).sorted(by: descriptors)
    }

    /// The first object for each combination of values. The list must be live.
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        place.results(Element.self).distinct(by: keyPaths)
    }

    /// The first object for each value. The list must be live.
    public func distinct<Value: PersistedValue>(
        by keyPath: KeyPath<Element, Value>
    ) -> Results<Element> {
        place.results(Element.self).distinct(by: keyPath)
    }

    /// The position of the first object for which the condition holds; nil without any. The list
    /// must be live.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        `where`(isIncluded).first.flatMap { index(of: $0) }
    }
}

extension MutableSet where Element: Object {
    /// The objects for which the condition holds. The set must be live.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        place.results(Element.self).where(isIncluded)
    }

    /// The objects ordered by a property. The set must be live.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        place.results(Element.self).sorted(by: keyPath, ascending: ascending)
    }

    /// The objects ordered by several properties. The set must be live.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(by descriptors: [SortDescriptor]) throws(RealmError) -> Results<Element> {
        try place.results(Element.self).sorted(by: descriptors)
    }

    /// The first object for each value. The set must be live.
    public func distinct<Value: PersistedValue>(
        by keyPath: KeyPath<Element, Value>
    ) -> Results<Element> {
        place.results(Element.self).distinct(by: keyPath)
    }
}

extension Map where Key == String {
    /// The objects among the values for which the condition holds, in the order of their keys. The
    /// map must be live.
    public func `where`<Model: ObjectBase>(
        _ isIncluded: (Query<Model>) -> Query<Bool>
    ) -> Results<Model> where Value == Model? {
        place.results(Model.self).where(isIncluded)
    }

    /// The objects among the values, ordered by a property. The map must be live.
    public func sorted<Model: ObjectBase, Property: PersistedValue>(
        by keyPath: KeyPath<Model, Property>, ascending: Bool = true
    ) -> Results<Model> where Value == Model? {
        place.results(Model.self).sorted(by: keyPath, ascending: ascending)
    }

    /// The objects among the values, ordered by several properties. The map must be live.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted<Model: ObjectBase>(
        by descriptors: [SortDescriptor]
    ) throws(RealmError) -> Results<Model> where Value == Model? {
        try place.results(Model.self).sorted(by: descriptors)
    }
}
