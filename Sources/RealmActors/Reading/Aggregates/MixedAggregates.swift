import Storage

// Collections of values of any type: numbers of all types are compared and added up numerically,
// and types have an order.

extension AggregatableCollection where AggregatedValue == AnyRealmValue {
    /// The minimum, in the order of all types; nil if there is none. No value and NaN do not count.
    public func min() -> AnyRealmValue? { extremeValue({ $0._storable.value }) { $0 < $1 } }

    /// The maximum, in the order of all types; nil if there is none. No value and NaN do not count.
    public func max() -> AnyRealmValue? { extremeValue({ $0._storable.value }) { $1 < $0 } }

    /// The sum of the numbers, exact for integers and decimal numbers: an integer, a double, or a
    /// decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum() -> AnyRealmValue { sumOfNumbers.erasedValue }

    /// The average of the numbers; nil if there is none. NaN does not count.
    public func average() -> Double? { totalOfNumbers.average }
}

extension AggregatableCollection where AggregatedValue == FrozenValue {
    /// The minimum, in the order of all types; nil if there is none. No value and NaN do not count.
    public func min() -> FrozenValue? { extremeValue({ $0._frozenStorable.value }) { $0 < $1 } }

    /// The maximum, in the order of all types; nil if there is none. No value and NaN do not count.
    public func max() -> FrozenValue? { extremeValue({ $0._frozenStorable.value }) { $1 < $0 } }

    /// The sum of the numbers, exact for integers and decimal numbers: an integer, a double, or a
    /// decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum() -> FrozenValue { sumOfNumbers }

    /// The average of the numbers; nil if there is none. NaN does not count.
    public func average() -> Double? { totalOfNumbers.average }
}

extension AggregatableCollection {
    fileprivate func extremeValue(
        _ stored: (AggregatedValue) -> StoredValue, _ isBetter: (StoredValue, StoredValue) -> Bool
    ) -> AggregatedValue? {
        var best: (value: AggregatedValue, stored: StoredValue)?
        _forEachValue { value in
            let candidate = stored(value)
            if candidate.isNull || candidate.isNotANumber { return }
            if let best, !isBetter(candidate, best.stored) { return }
            best = (value, candidate)
        }
        return best?.value
    }

    fileprivate var totalOfNumbers: AggregateTotal {
        var total = AggregateTotal()
        _forEachStored { total.add($0.value) }
        return total
    }

    fileprivate var sumOfNumbers: FrozenValue {
        FrozenValue(scalar: totalOfNumbers.sum) ?? .int(0)
    }
}
