import Storage

/// Queries and aggregates of lists, sets and maps of objects.
///
/// Queries need the collection of a live object, and return results that follow it. For any other
/// collection, methods that can throw do so, and the others trap. Aggregates accept any collection.
/// The library conforms its types; do not declare other conformances.
public protocol ObjectCollection<Model>: Sequence {
    /// The class of the objects.
    associatedtype Model: ObjectBase

    /// The objects of a live collection as results; traps if it is not live.
    var _results: Results<Model> { get }

    /// Whether the collection belongs to a live object.
    var _isLive: Bool { get }

    /// Whether the collection belongs to a live object, or to one that was live and was deleted.
    var _isQueryable: Bool { get }

    /// The objects.
    var _objects: [Model] { get }
}

extension ObjectCollection {
    /// The objects of a live collection as results.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for any other.
    func liveResults() throws(RealmError) -> Results<Model> {
        guard _isQueryable else {
            throw .invalidObject(
                "Only a collection of a live object can be queried. The elements of an unmanaged "
                    + "one are ordinary Swift values; a frozen one has FrozenResults.")
        }
        return _results
    }

    /// The objects for which the condition holds, in the order of the collection.
    public func `where`(_ isIncluded: (Query<Model>) -> Query<Bool>) -> Results<Model> {
        _results.where(isIncluded)
    }

    /// The objects ordered by a property, as ``QueryableResults/sorted(by:ascending:)`` orders
    /// them.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> Results<Model> {
        _results.sorted(by: keyPath, ascending: ascending)
    }

    /// The objects ordered by a string property in a collation, as
    /// ``QueryableResults/sorted(by:collation:ascending:)`` orders them.
    public func sorted<Value: CollatableValue>(
        by keyPath: KeyPath<Model, Value>, collation: Collation, ascending: Bool = true
    ) -> Results<Model> {
        _results.sorted(by: keyPath, collation: collation, ascending: ascending)
    }

    /// The objects ordered by the distance of an embedded point from `point`, as
    /// ``QueryableResults/sorted(byDistanceFrom:on:ascending:)`` orders them.
    public func sorted<Value: GeoQueryable>(
        byDistanceFrom point: GeoPoint, on keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> Results<Model> {
        _results.sorted(byDistanceFrom: point, on: keyPath, ascending: ascending)
    }

    /// The objects ordered by several properties: the first decides, the others break ties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   collection is not live.
    public func sorted(by descriptors: [SortDescriptor]) throws(RealmError) -> Results<Model> {
        try liveResults().sorted(by: descriptors)
    }

    /// The first object for each combination of values.
    public func distinct(by keyPaths: [PartialKeyPath<Model>]) -> Results<Model> {
        _results.distinct(by: keyPaths)
    }

    /// The first object for each value.
    public func distinct<Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>
    ) -> Results<Model> {
        _results.distinct(by: keyPath)
    }
}

extension ObjectCollection {
    /// The minimum of a property; nil if there is none. Nil and NaN do not count.
    public func min<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? {
        if _isLive { return _results.min(of: keyPath) }
        return extreme(keyPath) { $0 < $1 }
    }

    /// The maximum of a property; nil if there is none. Nil and NaN do not count.
    public func max<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? {
        if _isLive { return _results.max(of: keyPath) }
        return extreme(keyPath) { $1 < $0 }
    }

    /// The sum of a property: zero if there are no values. Nil and NaN do not count; a sum of
    /// integers is clamped to the range of `Int`.
    public func sum<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Value.Sum {
        if _isLive { return _results.sum(of: keyPath) }
        return Value._sum(total(keyPath))
    }

    /// The average of a property; nil if there is none. Nil and NaN do not count.
    public func average<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Double? {
        if _isLive { return _results.average(of: keyPath) }
        return total(keyPath).average
    }

    private func total<Value: SummableValue>(
        _ keyPath: KeyPath<Model, Value>
    ) -> AggregateTotal {
        var total = AggregateTotal()
        for object in _objects { total.add(object[keyPath: keyPath]._storable.value) }
        return total
    }

    func extreme<Value: PersistedValue, Found: PersistableScalar>(
        _ keyPath: KeyPath<Model, Value>, _ isBetter: (StoredValue, StoredValue) -> Bool
    ) -> Found? {
        var extreme = StoredExtreme()
        for object in _objects {
            extreme.add(object[keyPath: keyPath]._storable.value, isBetter)
        }
        return extreme.best.flatMap { Found._from(StorableValue($0)) }
    }
}

// Not for maps, where `value(forKey:)` gives the value of an entry.
extension ObjectCollection where Self: Collection {
    /// The property with this name of every object, links and collections unchanged; the objects
    /// themselves for `"self"`. For a ``MutableSet``, as in Realm, each value once.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has the name; the
    ///   error when a node could not be read.
    public func value(forKey name: String) throws(RealmError) -> [Any?] {
        var values: [Any?] = []
        for object in _objects { values.append(try object.value(forKey: name)) }
        try requireReadable()
        return Self.self is any DistinctCollection.Type ? distinctValues(values) : values
    }

    /// Sets the property with this name of every object.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidValue(_:)``.
    public func setValue(_ value: Any?, forKey name: String) throws(RealmError) {
        for object in _objects { try object.setValue(value, forName: name) }
    }
}

extension List: ObjectCollection where Element: ObjectBase {
    /// The objects as results.
    public var _results: Results<Element> { place.results(Element.self) }
    /// Whether the list belongs to a live object.
    public var _isLive: Bool { place.isLive }
    /// Whether the list belongs to a live object, or to one that was live and was deleted.
    public var _isQueryable: Bool { place.isQueryable }
    /// The objects.
    public var _objects: [Element] { Array(IteratorSequence(makeIterator())) }

    /// The position of the first object for which the condition holds; nil if there is none. The
    /// list must be live.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        `where`(isIncluded).first.flatMap { index(of: $0) }
    }
}

/// A collection for which key-value coding returns each value once.
protocol DistinctCollection {}

extension MutableSet: DistinctCollection {}

extension MutableSet: ObjectCollection where Element: Object {
    /// The objects as results, in the order of their creation.
    public var _results: Results<Element> { place.results(Element.self) }
    /// Whether the set belongs to a live object.
    public var _isLive: Bool { place.isLive }
    /// Whether the set belongs to a live object, or to one that was live and was deleted.
    public var _isQueryable: Bool { place.isQueryable }
    /// The objects.
    public var _objects: [Element] { Array(IteratorSequence(makeIterator())) }
}

extension Map: ObjectCollection where Key == String, Value: ObjectLink {
    /// The objects among the values as results, in the order of their keys.
    public var _results: Results<Value.Linked> { place.results(Value.Linked.self) }
    /// Whether the map belongs to a live object.
    public var _isLive: Bool { place.isLive }
    /// Whether the map belongs to a live object, or to one that was live and was deleted.
    public var _isQueryable: Bool { place.isQueryable }
    /// The objects among the values.
    public var _objects: [Value.Linked] { values.compactMap(\._linked) }
}
