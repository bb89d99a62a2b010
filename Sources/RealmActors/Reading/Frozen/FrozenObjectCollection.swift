import Storage

/// Queries and aggregates of frozen lists, sets and maps of objects.
///
/// The library conforms its types; do not declare other conformances.
public protocol FrozenObjectCollection<Model>: Collection {
    /// The class of the objects.
    associatedtype Model: ObjectBase

    /// The objects as results of their version.
    var _results: FrozenResults<Model> { get }
}

extension FrozenObjectCollection {
    /// The objects for which the condition holds, in the order of the collection.
    public func `where`(_ isIncluded: (Query<Model>) -> Query<Bool>) -> FrozenResults<Model> {
        _results.where(isIncluded)
    }

    /// The objects ordered by a property, as ``QueryableResults/sorted(by:ascending:)`` orders
    /// them.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> FrozenResults<Model> {
        _results.sorted(by: keyPath, ascending: ascending)
    }

    /// The objects ordered by a string property in a collation, as
    /// ``QueryableResults/sorted(by:collation:ascending:)`` orders them.
    public func sorted<Value: CollatableValue>(
        by keyPath: KeyPath<Model, Value>, collation: Collation, ascending: Bool = true
    ) -> FrozenResults<Model> {
        _results.sorted(by: keyPath, collation: collation, ascending: ascending)
    }

    /// The objects ordered by the distance of an embedded point from `point`, as
    /// ``QueryableResults/sorted(byDistanceFrom:on:ascending:)`` orders them.
    public func sorted<Value: GeoQueryable>(
        byDistanceFrom point: GeoPoint, on keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> FrozenResults<Model> {
        _results.sorted(byDistanceFrom: point, on: keyPath, ascending: ascending)
    }

    /// The objects ordered by several properties: the first decides, the others break ties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func sorted(
        by descriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenResults<Model> {
        try _results.sorted(by: descriptors)
    }

    /// The first object for each combination of values.
    public func distinct(by keyPaths: [PartialKeyPath<Model>]) -> FrozenResults<Model> {
        _results.distinct(by: keyPaths)
    }

    /// The first object for each value.
    public func distinct<Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>
    ) -> FrozenResults<Model> {
        _results.distinct(by: keyPath)
    }

    /// The values of a property in the order of the objects, read directly from its column.
    public func values<Value: PersistedValue & Sendable>(
        of keyPath: KeyPath<Model, Value>
    ) -> [Value] {
        _results.values(of: keyPath)
    }

    /// The minimum of a property; nil if there is none. Nil and NaN do not count.
    public func min<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? {
        _results.min(of: keyPath)
    }

    /// The maximum of a property; nil if there is none. Nil and NaN do not count.
    public func max<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? {
        _results.max(of: keyPath)
    }

    /// The sum of a property: zero if there are no values. Nil does not count; a sum of integers is
    /// clamped to the range of `Int`.
    public func sum<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Value.Sum {
        _results.sum(of: keyPath)
    }

    /// The average of a property; nil if there is none. Nil does not count.
    public func average<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Double? {
        _results.average(of: keyPath)
    }
}

/// A frozen object, which in a map may be nil. The library conforms its types.
public protocol FrozenObjectElement: FrozenElement {
    /// The class of the object.
    associatedtype Model: ObjectBase
}

extension Frozen: FrozenObjectElement {}

extension Optional: FrozenObjectElement where Wrapped: FrozenObjectElement {
    /// The class of the object.
    public typealias Model = Wrapped.Model
}

extension FrozenList: FrozenObjectCollection where Element: FrozenObjectElement {
    /// The objects as results of their version.
    public var _results: FrozenResults<Element.Model> { source.results(Element.Model.self) }
}

extension FrozenSet: FrozenObjectCollection where Element: FrozenObjectElement {
    /// The objects as results of their version.
    public var _results: FrozenResults<Element.Model> { source.results(Element.Model.self) }
}

extension FrozenMap: FrozenObjectCollection where Value: FrozenObjectElement {
    /// The objects among the values as results of their version, in the order of their keys.
    public var _results: FrozenResults<Value.Model> { source.results(Value.Model.self) }
}

extension FrozenSource {
    /// The rows of a collection of links as results of its version.
    func results<Model: ObjectBase>(_ type: Model.Type) -> FrozenResults<Model> {
        guard let context = owner.__context as? FrozenContext,
            let model = owner._target(type, column, context.models)
        else { preconditionFailure("A frozen collection belongs to a frozen object.") }
        let results = FrozenResults<Model>(
            context: context, model: model,
            query: ResultsQuery(collection: owner, column, of: model.classID))
        return owner._hasLostRow ? results.withoutRows : results
    }
}
