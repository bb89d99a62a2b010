import Storage

// Aggregates of values that are stored as numbers or dates: enums by their raw values, custom types
// by their stored values. Stored values that the type rejects do not count.

extension AggregatableCollection
where AggregatedValue: PersistableEnum, AggregatedValue.RawValue: AggregatableValue {
    /// The case with the least raw value; nil if there is none.
    public func min() -> AggregatedValue? { extremeOfStored { $0 < $1 } }

    /// The case with the greatest raw value; nil if there is none.
    public func max() -> AggregatedValue? { extremeOfStored { $1 < $0 } }
}

extension AggregatableCollection
where
    AggregatedValue: FailableCustomPersistable, AggregatedValue.PersistedType: AggregatableValue
{
    /// The value whose stored form is the minimum; nil if there is none. NaN does not count.
    public func min() -> AggregatedValue? { extremeOfStored { $0 < $1 } }

    /// The value whose stored form is the maximum; nil if there is none. NaN does not count.
    public func max() -> AggregatedValue? { extremeOfStored { $1 < $0 } }
}

extension AggregatableCollection
where AggregatedValue: FailableCustomPersistable, AggregatedValue.PersistedType: SummableValue {
    /// The sum of the stored values: zero if there are none. NaN does not count; a sum of integers
    /// is clamped to the range of `Int`.
    public func sum() -> AggregatedValue.PersistedType.Sum {
        AggregatedValue.PersistedType._sum(totalOfStored)
    }

    /// The average of the stored values; nil if there are none. NaN does not count.
    public func average() -> Double? { totalOfStored.average }

    private var totalOfStored: AggregateTotal {
        var total = AggregateTotal()
        forEachStored(AggregatedValue.self) { total.add($0) }
        return total
    }
}

extension AggregatableCollection {
    /// The case with the least raw value; nil if there is none. Nil does not count.
    public func min<Wrapped: PersistableEnum>() -> Wrapped?
    where AggregatedValue == Wrapped?, Wrapped.RawValue: AggregatableValue {
        extremeOfStored { $0 < $1 }
    }

    /// The case with the greatest raw value; nil if there is none. Nil does not count.
    public func max<Wrapped: PersistableEnum>() -> Wrapped?
    where AggregatedValue == Wrapped?, Wrapped.RawValue: AggregatableValue {
        extremeOfStored { $1 < $0 }
    }

    /// The value whose stored form is the minimum; nil if there is none. Nil and NaN do not count.
    public func min<Wrapped: FailableCustomPersistable>() -> Wrapped?
    where AggregatedValue == Wrapped?, Wrapped.PersistedType: AggregatableValue {
        extremeOfStored { $0 < $1 }
    }

    /// The value whose stored form is the maximum; nil if there is none. Nil and NaN do not count.
    public func max<Wrapped: FailableCustomPersistable>() -> Wrapped?
    where AggregatedValue == Wrapped?, Wrapped.PersistedType: AggregatableValue {
        extremeOfStored { $1 < $0 }
    }

    fileprivate func extremeOfStored<Value: PersistableScalar>(
        _ isBetter: (StoredValue, StoredValue) -> Bool
    ) -> Value? {
        var extreme = StoredExtreme()
        forEachStored(Value.self) { extreme.add($0, isBetter) }
        return extreme.best.flatMap { Value._from(StorableValue($0)) }
    }

    /// Visits the stored values that the type accepts.
    fileprivate func forEachStored<Value: PersistableScalar>(
        _ type: Value.Type, _ body: (StoredValue) -> Void
    ) {
        _forEachStored { stored in
            if Value._from(stored) != nil { body(stored.value) }
        }
    }
}
