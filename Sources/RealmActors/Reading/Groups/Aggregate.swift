import Storage

/// An aggregate of a group of objects: their number, or the sum, average, minimum or maximum of a
/// property, possibly of a linked object.
///
///     let cities = realm.objects(City.self).grouped(by: \.country?.continent)
///     for group in cities.aggregates(.count, .sum(of: \.population), .max(of: \.elevation)) {
///         let (count, population, highest) = group.value
///     }
public struct Aggregate<Model: ObjectBase, Value: Sendable>: Sendable {
    /// The measure to compute, bound to the properties of a class.
    let measure: @Sendable (_ path: ([String]) -> ValuePath) -> GroupMeasure
    let value: @Sendable (GroupResult) -> Value
    /// For many results at once: unspecialized code looks the type up for each call.
    let values: @Sendable ([GroupResult]) -> [Value]

    private init(
        _ measure: @escaping @Sendable (_ path: ([String]) -> ValuePath) -> GroupMeasure,
        _ value: @escaping @Sendable (GroupResult) -> Value,
        all values: (@Sendable ([GroupResult]) -> [Value])? = nil
    ) {
        self.measure = measure
        self.value = value
        self.values = values ?? { $0.map(value) }
    }
}

extension Aggregate where Value == Int {
    /// The number of objects.
    public static var count: Aggregate {
        Aggregate { _ in
            .count
        } _: {
            $0.count
        } all: { results in
            results.map { $0.count }
        }
    }

    /// The number of different values of a property. Nil and NaN do not count. Embedded objects,
    /// and custom types that are stored as such, differ by their properties.
    public static func distinctCount<Property: PersistedValue>(
        of keyPath: KeyPath<Model, Property>
    ) -> Aggregate {
        let names = Tracer.names(of: keyPath)
        return Aggregate {
            .distinctCount($0(names))
        } _: {
            $0.count
        }
    }
}

extension Aggregate {
    /// The sum of a property: zero if there are no values. Nil and NaN do not count; a sum of
    /// integers is clamped to the range of `Int`.
    public static func sum<Property: SummableValue>(
        of keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Property.Sum == Value {
        let names = Tracer.names(of: keyPath)
        return Aggregate {
            .total($0(names))
        } _: {
            Property._sum($0.total)
        }
    }

    /// The average of a property; nil if there is none. Nil and NaN do not count.
    public static func average<Property: SummableValue>(
        of keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Double? {
        let names = Tracer.names(of: keyPath)
        return Aggregate {
            .total($0(names))
        } _: {
            $0.total.average
        }
    }

    /// The minimum of a property; nil if there is none. Nil and NaN do not count.
    public static func min<Property: AggregatableValue>(
        of keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Property.AggregateValue? { extreme(.minimum, keyPath) }

    /// The maximum of a property; nil if there is none. Nil and NaN do not count.
    public static func max<Property: AggregatableValue>(
        of keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Property.AggregateValue? { extreme(.maximum, keyPath) }

    private static func extreme<Property: AggregatableValue>(
        _ aggregate: CollectionAggregate, _ keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Property.AggregateValue? {
        let names = Tracer.names(of: keyPath)
        return Aggregate {
            .extreme(aggregate, $0(names))
        } _: { result in
            guard case .value(let value) = result, !value.isNull else { return nil }
            return Property.AggregateValue._from(StorableValue(value))
        }
    }
}

extension GroupResult {
    fileprivate var count: Int { if case .count(let count) = self { count } else { 0 } }

    fileprivate var total: AggregateTotal {
        if case .total(let total) = self { total } else { AggregateTotal() }
    }
}
