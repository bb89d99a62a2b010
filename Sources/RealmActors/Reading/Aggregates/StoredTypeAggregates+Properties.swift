import Storage

// The minimum and the maximum of enum properties by their raw values, and of properties of custom
// types by their stored values; nil also if the type rejects the stored value.

extension QueryableResults {
    /// The case of a property with the least raw value; nil if there is none.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue { extreme(.minimum, keyPath) }

    /// The case of a property with the greatest raw value; nil if there is none.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue { extreme(.maximum, keyPath) }

    /// The case of a property with the least raw value; nil if there is none. Nil does not count.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue { extreme(.minimum, keyPath) }

    /// The case of a property with the greatest raw value; nil if there is none. Nil does not
    /// count.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue { extreme(.maximum, keyPath) }

    /// The value of a property whose stored form is the minimum; nil if there is none. NaN does not
    /// count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue { extreme(.minimum, keyPath) }

    /// The value of a property whose stored form is the maximum; nil if there is none. NaN does not
    /// count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue { extreme(.maximum, keyPath) }

    /// The value of a property whose stored form is the minimum; nil if there is none. Nil and NaN
    /// do not count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue { extreme(.minimum, keyPath) }

    /// The value of a property whose stored form is the maximum; nil if there is none. Nil and NaN
    /// do not count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue { extreme(.maximum, keyPath) }
}

extension ObjectCollection {
    /// The case of a property with the least raw value; nil if there is none.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue {
        _isLive ? _results.min(of: keyPath) : extreme(keyPath) { $0 < $1 }
    }

    /// The case of a property with the greatest raw value; nil if there is none.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue {
        _isLive ? _results.max(of: keyPath) : extreme(keyPath) { $1 < $0 }
    }

    /// The case of a property with the least raw value; nil if there is none. Nil does not count.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue {
        _isLive ? _results.min(of: keyPath) : extreme(keyPath) { $0 < $1 }
    }

    /// The case of a property with the greatest raw value; nil if there is none. Nil does not
    /// count.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue {
        _isLive ? _results.max(of: keyPath) : extreme(keyPath) { $1 < $0 }
    }

    /// The value of a property whose stored form is the minimum; nil if there is none. NaN does not
    /// count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue {
        _isLive ? _results.min(of: keyPath) : extreme(keyPath) { $0 < $1 }
    }

    /// The value of a property whose stored form is the maximum; nil if there is none. NaN does not
    /// count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue {
        _isLive ? _results.max(of: keyPath) : extreme(keyPath) { $1 < $0 }
    }

    /// The value of a property whose stored form is the minimum; nil if there is none. Nil and NaN
    /// do not count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue {
        _isLive ? _results.min(of: keyPath) : extreme(keyPath) { $0 < $1 }
    }

    /// The value of a property whose stored form is the maximum; nil if there is none. Nil and NaN
    /// do not count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue {
        _isLive ? _results.max(of: keyPath) : extreme(keyPath) { $1 < $0 }
    }
}

extension FrozenObjectCollection {
    /// The case of a property with the least raw value; nil if there is none.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue { _results.min(of: keyPath) }

    /// The case of a property with the greatest raw value; nil if there is none.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.RawValue: AggregatableValue { _results.max(of: keyPath) }

    /// The case of a property with the least raw value; nil if there is none. Nil does not count.
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue { _results.min(of: keyPath) }

    /// The case of a property with the greatest raw value; nil if there is none. Nil does not
    /// count.
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.RawValue: AggregatableValue { _results.max(of: keyPath) }

    /// The value of a property whose stored form is the minimum; nil if there is none. NaN does not
    /// count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue { _results.min(of: keyPath) }

    /// The value of a property whose stored form is the maximum; nil if there is none. NaN does not
    /// count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value>) -> Value?
    where Value.PersistedType: AggregatableValue { _results.max(of: keyPath) }

    /// The value of a property whose stored form is the minimum; nil if there is none. Nil and NaN
    /// do not count.
    public func min<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue { _results.min(of: keyPath) }

    /// The value of a property whose stored form is the maximum; nil if there is none. Nil and NaN
    /// do not count.
    public func max<Value: FailableCustomPersistable>(of keyPath: KeyPath<Model, Value?>) -> Value?
    where Value.PersistedType: AggregatableValue { _results.max(of: keyPath) }
}
