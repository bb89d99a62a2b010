import Storage

/// What the collections of objects have in common: aggregates of a property.
///
/// The library conforms its types; do not declare other conformances.
public protocol ObjectCollection<Object>: Sequence {
    /// The class of the objects.
    associatedtype Object: ObjectBase

    /// The objects as results where they are live, so that columns are read and no objects made.
    var _liveResults: Results<Object>? { get }

    /// The objects.
    var _objects: [Object] { get }
}

extension ObjectCollection {
    /// The least value of a property; nil without any. Nil and NaN do not count.
    public func min<Value: AggregatableValue>(
        of keyPath: KeyPath<Object, Value>
    ) -> Value.AggregateValue? {
        if let results = _liveResults { return results.min(of: keyPath) }
        return extreme(keyPath) { $0 < $1 }
    }

    /// The greatest value of a property; nil without any. Nil and NaN do not count.
    public func max<Value: AggregatableValue>(
        of keyPath: KeyPath<Object, Value>
    ) -> Value.AggregateValue? {
        if let results = _liveResults { return results.max(of: keyPath) }
        return extreme(keyPath) { $1 < $0 }
    }

    /// The sum of a property: zero without any. Nil does not count; a sum of integers that does not
    /// fit stays at the end of the range.
    public func sum<Value: SummableValue>(of keyPath: KeyPath<Object, Value>) -> Value.Sum {
        if let results = _liveResults { return results.sum(of: keyPath) }
        let total = total(keyPath)
        return Value._sum(integers: total.clamped, reals: total.reals)
    }

    /// The average of a property; nil without any. Nil does not count.
    public func average<Value: SummableValue>(of keyPath: KeyPath<Object, Value>) -> Double? {
        if let results = _liveResults { return results.average(of: keyPath) }
        return total(keyPath).average
    }

    private func total<Value: SummableValue>(
        _ keyPath: KeyPath<Object, Value>
    ) -> ColumnAggregation.Total {
        var total = ColumnAggregation.Total()
        for object in _objects { total.add(object[keyPath: keyPath]._storable.value) }
        return total
    }

    private func extreme<Value: AggregatableValue>(
        _ keyPath: KeyPath<Object, Value>, _ isBetter: (StoredValue, StoredValue) -> Bool
    ) -> Value.AggregateValue? {
        var extreme = StoredExtreme()
        for object in _objects {
            extreme.add(object[keyPath: keyPath]._storable.value, isBetter)
        }
        return extreme.best.flatMap { Value.AggregateValue._from(StorableValue($0)) }
    }
}

extension CollectionPlace {
    /// As ``results(_:)``; nil where the collection is not live.
    func liveResults<Model: ObjectBase>(_ type: Model.Type) -> Results<Model>? {
        managed?.owner.__state == AccessorState.live ? results(type) : nil
    }
}

extension List: ObjectCollection where Element: ObjectBase {
    /// The objects as results where they are live.
    public var _liveResults: Results<Element>? { place.liveResults(Element.self) }
    /// The objects.
    public var _objects: [Element] { Array(self) }
}

extension MutableSet: ObjectCollection where Element: Object {
    /// The objects as results where they are live.
    public var _liveResults: Results<Element>? { place.liveResults(Element.self) }
    /// The objects.
    public var _objects: [Element] { Array(self) }
}
