import Storage

// The values of a collection in their order, and each once. Values have no results type: these are
// arrays of the present values. What is stored as an embedded object has no order: equal values
// come together, in the order of the first of them.

extension AggregatableCollection where AggregatedValue: PersistableScalar {
    /// The values in their order: strings and bytes by their bytes.
    public func sorted(ascending: Bool = true) -> [AggregatedValue] { ordered.sorted(ascending) }

    /// Each value once, where it comes first.
    public func distinct() -> [AggregatedValue] { ordered.distinct() }

    private var ordered: OrderedValues<AggregatedValue> {
        AggregatedValue.isStoredAsObject
            ? OrderedValues(ofObjects: self)
            : OrderedValues(self) { AggregatedValue._ofStored($0) }
    }
}

extension AggregatableCollection {
    /// The values in their order, nil before all others: strings and bytes by their bytes.
    public func sorted<Wrapped: PersistableScalar>(ascending: Bool = true) -> [Wrapped?]
    where AggregatedValue == Wrapped? { orderedOptionals().sorted(ascending) }

    /// Each value once, where it comes first.
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
    /// The values in their order: no value, booleans, numbers, strings, bytes, dates, identifiers.
    public func sorted(ascending: Bool = true) -> [AnyRealmValue] { ordered.sorted(ascending) }

    /// Each value once, where it comes first.
    public func distinct() -> [AnyRealmValue] { ordered.distinct() }

    private var ordered: OrderedValues<AnyRealmValue> {
        OrderedValues(pairs: map { ($0, $0._storable.value) })
    }
}

extension AggregatableCollection where AggregatedValue == FrozenValue, Element == FrozenValue {
    /// The values in their order: no value, booleans, numbers, strings, bytes, dates, identifiers.
    public func sorted(ascending: Bool = true) -> [FrozenValue] { ordered.sorted(ascending) }

    /// Each value once, where it comes first.
    public func distinct() -> [FrozenValue] { ordered.distinct() }

    private var ordered: OrderedValues<FrozenValue> {
        OrderedValues(pairs: map { ($0, $0._frozenStorable.value) })
    }
}

extension PersistableScalar {
    /// The value of a stored one; the zero where there is none.
    static func _ofStored(_ stored: StoredValue) -> Self {
        _from(StorableValue(stored)) ?? _zero()
    }

    /// Whether values are stored as embedded objects, of which a stored link says nothing.
    fileprivate static var isStoredAsObject: Bool { _scalarShape.kind == .link }
}

/// Values beside their stored forms, which have an order.
private struct OrderedValues<Value> {
    var pairs: [(value: Value, stored: StoredValue)] = []

    init(pairs: [(value: Value, stored: StoredValue)]) { self.pairs = pairs }

    init(_ collection: some AggregatableCollection, _ value: (StoredValue) -> Value) {
        collection._forEachStored { pairs.append((value($0.value), $0.value)) }
    }

    /// Values that have no order: each has the place of the first that is equal to it.
    init<Values: AggregatableCollection>(ofObjects collection: Values)
    where Values.AggregatedValue == Value, Value: Hashable {
        var places: [Value: Int64] = [:]
        collection._forEachValue { value in
            let place = places[value] ?? Int64(places.count)
            places[value] = place
            pairs.append((value, .int(place)))
        }
    }

    /// Equal values stay as they are.
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
