import Storage

// The values of a collection sorted or distinct. Values have no results type: these are arrays of
// the present values. Values that are stored as embedded objects have no order: equal ones are
// placed together, in the order of the first of them.

extension AggregatableCollection where AggregatedValue: PersistableScalar {
    /// The values sorted: strings and bytes by their bytes.
    public func sorted(ascending: Bool = true) -> [AggregatedValue] { ordered.sorted(ascending) }

    /// Each value once, at its first position.
    public func distinct() -> [AggregatedValue] { ordered.distinct() }

    private var ordered: OrderedValues<AggregatedValue> {
        AggregatedValue.isStoredAsObject
            ? OrderedValues(ofObjects: self)
            : OrderedValues(self) { AggregatedValue._ofStored($0) }
    }
}

extension AggregatableCollection {
    /// The values sorted, nil before all others: strings and bytes by their bytes.
    public func sorted<Wrapped: PersistableScalar>(ascending: Bool = true) -> [Wrapped?]
    where AggregatedValue == Wrapped? { orderedOptionals().sorted(ascending) }

    /// Each value once, at its first position.
    public func distinct<Wrapped: PersistableScalar>() -> [Wrapped?]
    where AggregatedValue == Wrapped? { orderedOptionals().distinct() }

    private func orderedOptionals<Wrapped: PersistableScalar>() -> OrderedValues<Wrapped?>
    where AggregatedValue == Wrapped? {
        Wrapped.isStoredAsObject
            ? OrderedValues(ofObjects: self)
            : OrderedValues(self) { Wrapped._from(StorableValue($0)) }
    }
}

extension AggregatableCollection where AggregatedValue == AnyRealmValue, Element == AnyRealmValue {
    /// The values sorted: no value, booleans, numbers, strings, bytes, dates, identifiers.
    public func sorted(ascending: Bool = true) -> [AnyRealmValue] { ordered.sorted(ascending) }

    /// Each value once, at its first position.
    public func distinct() -> [AnyRealmValue] { ordered.distinct() }

    private var ordered: OrderedValues<AnyRealmValue> {
        OrderedValues(pairs: map { ($0, $0._storable.value) })
    }
}

extension AggregatableCollection where AggregatedValue == FrozenValue, Element == FrozenValue {
    /// The values sorted: no value, booleans, numbers, strings, bytes, dates, identifiers.
    public func sorted(ascending: Bool = true) -> [FrozenValue] { ordered.sorted(ascending) }

    /// Each value once, at its first position.
    public func distinct() -> [FrozenValue] { ordered.distinct() }

    private var ordered: OrderedValues<FrozenValue> {
        OrderedValues(pairs: map { ($0, $0._frozenStorable.value) })
    }
}

extension PersistableScalar {
    /// The Swift value of a stored one; the zero of the type if there is none.
    static func _ofStored(_ stored: StoredValue) -> Self {
        _from(StorableValue(stored)) ?? _zero()
    }

    /// Whether values are stored as embedded objects, which cannot be compared by the stored link.
    fileprivate static var isStoredAsObject: Bool { _scalarShape.kind == .link }
}

/// Values with their stored forms, by which they are ordered.
private struct OrderedValues<Value> {
    var pairs: [(value: Value, stored: StoredValue)] = []

    init(pairs: [(value: Value, stored: StoredValue)]) { self.pairs = pairs }

    init(_ collection: some AggregatableCollection, _ value: (StoredValue) -> Value) {
        collection._forEachStored { pairs.append((value($0.value), $0.value)) }
    }

    /// Values without an order: each has the rank of the first one that equals it.
    init<Values: AggregatableCollection>(ofObjects collection: Values)
    where Values.AggregatedValue == Value, Value: Hashable {
        var places: [Value: Int64] = [:]
        collection._forEachValue { value in
            let place = places[value] ?? Int64(places.count)
            places[value] = place
            pairs.append((value, .int(place)))
        }
    }

    /// Stable for equal values, also in descending order.
    func sorted(_ ascending: Bool) -> [Value] {
        pairs.enumerated().sorted { a, b in
            let (x, y) = (a.element.stored, b.element.stored)
            if x < y { return ascending }
            if y < x { return !ascending }
            return a.offset < b.offset
        }.map(\.element.value)
    }

    func distinct() -> [Value] {
        var seen: Set<ExactValue> = []
        return pairs.filter { seen.insert(ExactValue($0.stored)).inserted }.map(\.value)
    }
}
