import Storage

/// Minimum, maximum, sum and average of collections of values.
///
/// The library conforms its types; do not declare other conformances.
public protocol AggregatableCollection<AggregatedValue>: Sequence {
    /// The type of the values.
    associatedtype AggregatedValue

    /// Visits the values as they are stored.
    func _forEachStored(_ body: (StorableValue) -> Void)

    /// Visits the values as Swift values.
    func _forEachValue(_ body: (AggregatedValue) -> Void)
}

extension AggregatableCollection where Element == AggregatedValue {
    /// Visits the values as Swift values.
    public func _forEachValue(_ body: (AggregatedValue) -> Void) { forEach(body) }
}

extension AggregatableCollection where AggregatedValue: AggregatableValue {
    /// The minimum; nil if there is none. Nil and NaN do not count.
    public func min() -> AggregatedValue.AggregateValue? { extreme { $0 < $1 } }

    /// The maximum; nil if there is none. Nil and NaN do not count.
    public func max() -> AggregatedValue.AggregateValue? { extreme { $1 < $0 } }

    private func extreme(
        _ isBetter: (StoredValue, StoredValue) -> Bool
    ) -> AggregatedValue.AggregateValue? {
        var extreme = StoredExtreme()
        _forEachStored { extreme.add($0.value, isBetter) }
        return extreme.best.flatMap { AggregatedValue.AggregateValue._from(StorableValue($0)) }
    }
}

extension AggregatableCollection where AggregatedValue: SummableValue {
    /// The sum: zero if there are no values. Nil and NaN do not count; a sum of integers is clamped
    /// to the range of `Int`.
    public func sum() -> AggregatedValue.Sum {
        AggregatedValue._sum(total)
    }

    /// The average; nil if there is none. Nil and NaN do not count.
    public func average() -> Double? { total.average }

    private var total: AggregateTotal {
        var total = AggregateTotal()
        _forEachStored { total.add($0.value) }
        return total
    }
}

/// The minimum or maximum of the values so far; null and NaN do not count.
struct StoredExtreme {
    private(set) var best: StoredValue?

    mutating func add(_ value: StoredValue, _ isBetter: (StoredValue, StoredValue) -> Bool) {
        if value.isNull || value.isNotANumber { return }
        guard let best else {
            self.best = value
            return
        }
        if isBetter(value, best) { self.best = value }
    }
}

extension List: AggregatableCollection {
    /// The type of the elements.
    public typealias AggregatedValue = Element

    /// Visits the elements as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        guard let box = place.unmanaged else {
            place.sequence?.forEach { body(StorableValue($0)) }
            return
        }
        for element in box.contents { Element._storedDirectly(element).map(body) }
    }
}

extension MutableSet: AggregatableCollection {
    /// The type of the elements.
    public typealias AggregatedValue = Element

    /// Visits the elements as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        guard let box = place.unmanaged else {
            place.sequence?.forEach { body(StorableValue($0)) }
            return
        }
        for element in box.contents.elements { Element._storedDirectly(element).map(body) }
    }
}

extension Map: AggregatableCollection where Key == String {
    /// The type of the values.
    public typealias AggregatedValue = Value

    /// Visits the values as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        guard let box = place.unmanaged else {
            place.map?.values.forEach { body(StorableValue($0)) }
            return
        }
        for value in box.contents.values { Value._storedDirectly(value).map(body) }
    }

    /// Visits the values as Swift values.
    public func _forEachValue(_ body: (Value) -> Void) { values.forEach(body) }
}
