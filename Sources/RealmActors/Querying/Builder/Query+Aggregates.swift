// Aggregates of the values at a path through a collection, or of its elements. Null and NaN are
// ignored.

extension Query where T: PersistableScalar & Comparable {
    /// The minimum of the values that a path through a collection leads to.
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values that a path through a collection leads to.
    public var max: Query<T> { reduced(.maximum) }
}

extension Query where T: PersistableScalar & Numeric {
    /// The sum of the values of a path through a collection; zero if there is none.
    public var sum: Query<T> { reduced(.sum) }

    /// The average of the values of a path through a collection; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// The minimum of the values of a path through a collection; nil if there is none.
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection; nil if there is none.
    public var max: Query<T> { reduced(.maximum) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric {
    /// The sum of the values of a path through a collection; zero if there is none.
    public var sum: Query<T> { reduced(.sum) }

    /// The average of the values of a path through a collection; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Comparable {
    /// The minimum of the elements; nil if there is none.
    public var min: Query<T.QueryElement?> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    public var max: Query<T.QueryElement?> { reduced(.maximum) }

    /// All of the elements lie in the range, which excludes its upper bound.
    public func contains(_ range: Range<T.QueryElement>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }

    /// All of the elements lie in the range, which includes its upper bound.
    public func contains(_ range: ClosedRange<T.QueryElement>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Numeric {
    /// The sum of the elements; zero if there is none.
    public var sum: Query<T.QueryElement> { reduced(.sum) }

    /// The average of the elements; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Comparable
{
    /// The minimum of the elements; nil if there is none.
    public var min: Query<T.QueryElement> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    public var max: Query<T.QueryElement> { reduced(.maximum) }

    /// There is an element that is not nil, and all elements that are not nil lie in the range,
    /// which excludes its upper bound.
    public func contains(_ range: Range<T.QueryElement.QueryWrapped>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }

    /// There is an element that is not nil, and all elements that are not nil lie in the range,
    /// which includes its upper bound.
    public func contains(_ range: ClosedRange<T.QueryElement.QueryWrapped>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Numeric
{
    /// The sum of the elements; zero if there is none.
    public var sum: Query<T.QueryElement> { reduced(.sum) }

    /// The average of the elements; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

// The number of distinct values, as queries distinguish values.

extension Query where T: PersistableScalar {
    /// The number of distinct values of a path through a collection:
    /// `$0.dogs.age.distinctCount > 2`.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryOptional {
    /// The number of distinct values of a path through a collection; nil does not count.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryAnyValue {
    /// The number of distinct values of a path through a collection; nil does not count.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar {
    /// The number of distinct elements.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryOptional {
    /// The number of distinct elements; nil does not count.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryAnyValue {
    /// The number of distinct elements; nil does not count.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query {
    /// An aggregate of the values of a property; refused for a computed value.
    func reduced<Result>(_ aggregate: CollectionAggregate) -> Query<Result> {
        Query<Result>(
            node.path.map { QueryNode.aggregate($0, aggregate) }
                ?? .arithmetic(.refused(QueryNode.refusalOfComputed)))
    }
}
