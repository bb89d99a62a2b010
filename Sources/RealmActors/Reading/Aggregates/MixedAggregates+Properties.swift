import Storage

// Properties of any type: types have an order, and numbers are compared and added up numerically,
// as in collections of such values.

extension Results {
    /// The minimum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func min(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue? {
        extremeOfAnyType(.minimum, keyPath)
    }

    /// The maximum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func max(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue? {
        extremeOfAnyType(.maximum, keyPath)
    }

    /// The sum of the numbers among the values of a property of any type: an integer, a double, or
    /// a decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue {
        sumOfAnyType(keyPath).erasedValue
    }

    private func extremeOfAnyType(
        _ aggregate: CollectionAggregate, _ keyPath: KeyPath<Model, AnyRealmValue>
    ) -> AnyRealmValue? {
        let aggregation = aggregation(keyPath)
        guard let row = aggregation.extreme(aggregate),
            case .value(let column, let schema) = aggregation.path.end,
            let model = context.models.linkedBinding(aggregation.endClassID, like: _plan.model)
        else { return nil }
        let owner = model.makeAccessor(live: context, row.key)
        return AnyRealmValue(row.value(column, schema), ElementPlace(owner, column))
    }
}

extension FrozenResults {
    /// The minimum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func min(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue? {
        extremeOfAnyType(.minimum, keyPath)
    }

    /// The maximum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func max(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue? {
        extremeOfAnyType(.maximum, keyPath)
    }

    /// The sum of the numbers among the values of a property of any type: an integer, a double, or
    /// a decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue {
        sumOfAnyType(keyPath)
    }

    private func extremeOfAnyType(
        _ aggregate: CollectionAggregate, _ keyPath: KeyPath<Model, AnyRealmValue>
    ) -> FrozenValue? {
        let aggregation = aggregation(keyPath)
        guard let row = aggregation.extreme(aggregate),
            case .value(let column, let schema) = aggregation.path.end
        else { return nil }
        return FrozenValue(row.value(column, schema), target: nil, _plan.frozenContext)
    }
}

extension QueryableResults {
    /// The average of the numbers among the values of a property of any type; nil if there is none.
    /// NaN does not count.
    public func average(of keyPath: KeyPath<Model, AnyRealmValue>) -> Double? {
        aggregation(keyPath).total().average
    }

    fileprivate func sumOfAnyType(_ keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue {
        FrozenValue(scalar: aggregation(keyPath).total().sum) ?? .int(0)
    }
}

extension ObjectCollection {
    /// The minimum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func min(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue? {
        _isLive ? _results.min(of: keyPath) : values(of: keyPath).min()
    }

    /// The maximum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func max(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue? {
        _isLive ? _results.max(of: keyPath) : values(of: keyPath).max()
    }

    /// The sum of the numbers among the values of a property of any type: an integer, a double, or
    /// a decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum(of keyPath: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue {
        _isLive ? _results.sum(of: keyPath) : values(of: keyPath).sum()
    }

    /// The average of the numbers among the values of a property of any type; nil if there is none.
    /// NaN does not count.
    public func average(of keyPath: KeyPath<Model, AnyRealmValue>) -> Double? {
        _isLive ? _results.average(of: keyPath) : values(of: keyPath).average()
    }

    private func values(of keyPath: KeyPath<Model, AnyRealmValue>) -> List<AnyRealmValue> {
        List(_objects.map { $0[keyPath: keyPath] })
    }
}

extension FrozenObjectCollection {
    /// The minimum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func min(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue? {
        _results.min(of: keyPath)
    }

    /// The maximum of a property of any type, in the order of all types; nil if there is none. No
    /// value and NaN do not count.
    public func max(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue? {
        _results.max(of: keyPath)
    }

    /// The sum of the numbers among the values of a property of any type: an integer, a double, or
    /// a decimal number if one of them is. Zero if there are no numbers; NaN does not count.
    public func sum(of keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue {
        _results.sum(of: keyPath)
    }

    /// The average of the numbers among the values of a property of any type; nil if there is none.
    /// NaN does not count.
    public func average(of keyPath: KeyPath<Model, AnyRealmValue>) -> Double? {
        _results.average(of: keyPath)
    }
}
