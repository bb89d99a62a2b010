import Storage

/// The objects of results in groups with a common value. Lazy: each call iterates over the objects
/// once, and keeps nothing.
///
///     let cities = realm.objects(City.self).grouped(by: \.continent)
///     for group in cities.sum(of: \.population) { print(group.key, group.value) }
///
/// Groups are in the order of their keys, as in a sort: nil first. Objects are in one group if
/// their values are equal in an index: strings with equal bytes, and all NaN. If a link on the path
/// is nil, the key is nil. Groups of frozen results are Sendable; those of live results belong to
/// the actor of their realm, and show its state at the time of the call.
///
/// A key path to a property that is not persisted traps, here and in aggregates.
public struct GroupedResults<Key: Hashable & Sendable, Base: QueryableResults> {
    /// The objects of all groups.
    public let results: Base
    let keying: GroupKeying<Key>

    init(_ results: Base, _ keying: GroupKeying<Key>) {
        self.results = results
        self.keying = keying
    }

    /// Several measures of each group, all in one pass.
    ///
    ///     for group in cities.aggregates(.count, .average(of: \.population)) {
    ///         let (count, average) = group.value
    ///     }
    ///
    /// A key path with a link names its class, which the compiler does not infer among several
    /// measures: `.max(of: \City.country?.area)`.
    public func aggregates<each Value: Sendable>(
        _ aggregate: repeat Aggregate<Base.Model, each Value>
    ) -> [Group<Key, (repeat each Value)>] {
        table(repeat each aggregate).groups(keying, repeat each aggregate)
    }

    private func table<each Value: Sendable>(
        _ aggregate: repeat Aggregate<Base.Model, each Value>
    ) -> GroupTable {
        let plan = results._plan
        return GroupTable(
            results._rows.query, by: plan.orderedPath(keying.names),
            plan.measures(repeat each aggregate), plan.context.view)
    }

    /// One measure, without parameter packs, which would dominate the cost of a group. Inlinable,
    /// to be specialized for known types.
    @inlinable
    func groups<Value: Sendable>(
        _ aggregate: Aggregate<Base.Model, Value>
    ) -> [Group<Key, Value>] {
        var groups: [Group<Key, Value>] = []
        forEachPart(aggregate) { count, keys, values in
            groups.reserveCapacity(count)
            for index in keys.indices { groups.append(Group(keys[index], values[index])) }
        }
        return groups
    }

    /// Calls `body` with the number of groups, and the keys and values of a part of them.
    @usableFromInline
    func forEachPart<Value: Sendable>(
        _ aggregate: Aggregate<Base.Model, Value>, _ body: (Int, [Key], [Value]) -> Void
    ) {
        let table = table(aggregate)
        for (keys, columns) in table.parts() {
            body(table.count, keying.keys(of: keys), aggregate.values(columns[0]))
        }
    }

    /// The number of objects in each group.
    @inlinable
    public func count() -> [Group<Key, Int>] { groups(.count) }

    /// The sum of a property in each group: zero if there are no values. Nil and NaN do not count.
    @inlinable
    public func sum<Value: SummableValue>(
        of keyPath: KeyPath<Base.Model, Value>
    ) -> [Group<Key, Value.Sum>] where Value.Sum: Sendable { groups(.sum(of: keyPath)) }

    /// The average of a property in each group; nil if there is none. Nil and NaN do not count.
    @inlinable
    public func average<Value: SummableValue>(
        of keyPath: KeyPath<Base.Model, Value>
    ) -> [Group<Key, Double?>] { groups(.average(of: keyPath)) }

    /// The minimum of a property in each group; nil if there is none. Nil and NaN do not count.
    @inlinable
    public func min<Value: AggregatableValue>(
        of keyPath: KeyPath<Base.Model, Value>
    ) -> [Group<Key, Value.AggregateValue?>] where Value.AggregateValue: Sendable {
        groups(.min(of: keyPath))
    }

    /// The maximum of a property in each group; nil if there is none. Nil and NaN do not count.
    @inlinable
    public func max<Value: AggregatableValue>(
        of keyPath: KeyPath<Base.Model, Value>
    ) -> [Group<Key, Value.AggregateValue?>] where Value.AggregateValue: Sendable {
        groups(.max(of: keyPath))
    }
}

extension GroupedResults: Sendable where Base: Sendable {}

extension QueryableResults {
    /// The objects grouped by the value of a property, possibly of a linked object.
    ///
    ///     realm.objects(Dog.self).grouped(by: \.owner?.city).count()
    public func grouped<Key: PersistableScalar>(
        by keyPath: KeyPath<Model, Key>
    ) -> GroupedResults<Key, Self> { GroupedResults(self, GroupKeying(keyPath)) }

    /// The objects grouped by the value of an optional property; nil is a key as well.
    public func grouped<Wrapped: PersistableScalar>(
        by keyPath: KeyPath<Model, Wrapped?>
    ) -> GroupedResults<Wrapped?, Self> { GroupedResults(self, GroupKeying(keyPath)) }

    /// Several measures of all objects, in one pass.
    ///
    ///     let (count, oldest) = dogs.aggregates(.count, .max(of: \.age))
    public func aggregates<each Value: Sendable>(
        _ aggregate: repeat Aggregate<Model, each Value>
    ) -> (repeat each Value) {
        let table = GroupTable(
            _rows.query, by: nil, _plan.measures(repeat each aggregate), _plan.context.view)
        var results = table.results(0).makeIterator()
        return (repeat (each aggregate).value(results.next() ?? .count(0)))
    }
}

extension ResultsPlan {
    /// The measures of aggregates, bound to the schema.
    func measures<Model: ObjectBase, each Value: Sendable>(
        _ aggregate: repeat Aggregate<Model, each Value>
    ) -> [GroupMeasure] {
        var measures: [GroupMeasure] = []
        repeat measures.append((each aggregate).measure(path))
        return measures
    }
}

extension GroupTable {
    /// The public groups, with the result of each measure.
    func groups<Key, Model: ObjectBase, each Value: Sendable>(
        _ keying: GroupKeying<Key>, _ aggregate: repeat Aggregate<Model, each Value>
    ) -> [Group<Key, (repeat each Value)>] {
        var groups: [Group<Key, (repeat each Value)>] = []
        groups.reserveCapacity(count)
        for (values, columns) in parts() {
            let groupKeys = keying.keys(of: values)
            for index in values.indices {
                var results = columns.lazy.map { $0[index] }.makeIterator()
                let value = (repeat (each aggregate).value(results.next() ?? .count(0)))
                groups.append(Group(groupKeys[index], value))
            }
        }
        return groups
    }
}
