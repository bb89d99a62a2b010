import Storage

extension FrozenList {
    /// The first position of an element; nil when it is not in the list. Objects are the same when
    /// they are the same row, in whatever version. O(n).
    public func index(of element: Element) -> Int? {
        element._frozenSought(in: source).flatMap { view.position(of: $0.value) }
    }

    /// The first position of an element; nil when it is not in the list. O(n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The last position of an element; nil when it is not in the list. O(n).
    public func lastIndex(of element: Element) -> Int? {
        guard let sought = element._frozenSought(in: source)?.value else { return nil }
        return indices.last { view[$0] == sought }
    }

    /// Whether an element is in the list. O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }
}

extension FrozenList: AggregatableCollection {
    /// The type of the elements.
    public typealias AggregatedValue = Element

    /// Visits the elements as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        view.forEach { body(StorableValue($0)) }
    }
}

extension FrozenList {
    /// The objects for which the condition holds, in the order of the list.
    public func `where`<Model: ObjectBase>(
        _ isIncluded: (Query<Model>) -> Query<Bool>
    ) -> FrozenResults<Model> where Element == Frozen<Model> {
        source.results(Model.self).where(isIncluded)
    }

    /// The objects ordered by a property.
    public func sorted<Model: ObjectBase, Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> FrozenResults<Model> where Element == Frozen<Model> {
        source.results(Model.self).sorted(by: keyPath, ascending: ascending)
    }

    /// The objects ordered by several properties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted<Model: ObjectBase>(
        by descriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenResults<Model> where Element == Frozen<Model> {
        try source.results(Model.self).sorted(by: descriptors)
    }

    /// The first object for each value.
    public func distinct<Model: ObjectBase, Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>
    ) -> FrozenResults<Model> where Element == Frozen<Model> {
        source.results(Model.self).distinct(by: keyPath)
    }

    /// The values of a property in the order of the list, read straight from its column.
    public func values<Model: ObjectBase, Value: PersistedValue & Sendable>(
        of keyPath: KeyPath<Model, Value>
    ) -> [Value] where Element == Frozen<Model> {
        source.results(Model.self).values(of: keyPath)
    }

    /// The least value of a property; nil without any. Nil and NaN do not count.
    public func min<Model: ObjectBase, Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? where Element == Frozen<Model> {
        source.results(Model.self).min(of: keyPath)
    }

    /// The greatest value of a property; nil without any. Nil and NaN do not count.
    public func max<Model: ObjectBase, Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? where Element == Frozen<Model> {
        source.results(Model.self).max(of: keyPath)
    }

    /// The sum of a property; zero without any. Nil does not count.
    public func sum<Model: ObjectBase, Value: SummableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.Sum where Element == Frozen<Model> {
        source.results(Model.self).sum(of: keyPath)
    }

    /// The average of a property; nil without any. Nil does not count.
    public func average<Model: ObjectBase, Value: SummableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Double? where Element == Frozen<Model> {
        source.results(Model.self).average(of: keyPath)
    }
}

extension FrozenSource {
    /// The rows of a collection of links as results of its version.
    func results<Model: ObjectBase>(_ type: Model.Type) -> FrozenResults<Model> {
        guard let context = owner.__context as? FrozenContext,
            let model = context.models.binding(for: type)
        else { preconditionFailure("A frozen collection belongs to a frozen object.") }
        return FrozenResults(
            context: context, model: model,
            query: ResultsQuery(collection: owner, column, of: model.classID))
    }
}
