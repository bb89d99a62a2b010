// What the values behind a path through a collection, or the elements of one, come to. Null and not
// a number do not count.

extension Query where T: PersistableScalar & Comparable {
    /// The least of the values that a path through a collection leads to.
    public var min: Query<T> { reduced(.minimum) }

    /// The greatest of the values that a path through a collection leads to.
    public var max: Query<T> { reduced(.maximum) }
}

extension Query where T: PersistableScalar & Numeric {
    /// The sum of the values that a path through a collection leads to; zero without any.
    public var sum: Query<T> { reduced(.sum) }

    /// The average of the values that a path through a collection leads to; nil without any.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// The least of the values that a path through a collection leads to; nil without any.
    public var min: Query<T> { reduced(.minimum) }

    /// The greatest of the values that a path through a collection leads to; nil without any.
    public var max: Query<T> { reduced(.maximum) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric {
    /// The sum of the values that a path through a collection leads to; zero without any.
    public var sum: Query<T> { reduced(.sum) }

    /// The average of the values that a path through a collection leads to; nil without any.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Comparable {
    /// The least of the elements; nil without any.
    public var min: Query<T.QueryElement?> { reduced(.minimum) }

    /// The greatest of the elements; nil without any.
    public var max: Query<T.QueryElement?> { reduced(.maximum) }

    /// All of the elements lie in the range, whose upper bound does not belong to it.
    public func contains(_ range: Range<T.QueryElement>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }

    /// All of the elements lie in the range, whose upper bound belongs to it.
    public func contains(_ range: ClosedRange<T.QueryElement>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Numeric {
    /// The sum of the elements; zero without any.
    public var sum: Query<T.QueryElement> { reduced(.sum) }

    /// The average of the elements; nil without any.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Comparable
{
    /// The least of the elements; nil without any.
    public var min: Query<T.QueryElement> { reduced(.minimum) }

    /// The greatest of the elements; nil without any.
    public var max: Query<T.QueryElement> { reduced(.maximum) }

    /// All of the elements that are not nil, of which there is one, lie in the range, whose upper
    /// bound does not belong to it.
    public func contains(_ range: Range<T.QueryElement.QueryWrapped>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }

    /// All of the elements that are not nil, of which there is one, lie in the range, whose upper
    /// bound belongs to it.
    public func contains(_ range: ClosedRange<T.QueryElement.QueryWrapped>) -> Query<Bool> {
        Query<T.QueryElement>(.path(path)).contains(range)
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Numeric
{
    /// The sum of the elements; zero without any.
    public var sum: Query<T.QueryElement> { reduced(.sum) }

    /// The average of the elements; nil without any.
    public var avg: Query<Double?> { reduced(.average) }
}

// How many different values there are, as queries tell values apart.

extension Query where T: PersistableScalar {
    /// The number of different values that a path through a collection leads to:
    /// `$0.dogs.age.distinctCount > 2`.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryOptional {
    /// The number of different values that a path through a collection leads to; nil is none.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryAnyValue {
    /// The number of different values that a path through a collection leads to; nil is none.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar {
    /// The number of different elements.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryOptional {
    /// The number of different elements; nil is none.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryAnyValue {
    /// The number of different elements; nil is none.
    public var distinctCount: Query<Int> { reduced(.distinctCount) }
}

extension Query {
    /// What the values of a property come to, and a refusal of one of what is computed.
    func reduced<Result>(_ aggregate: CollectionAggregate) -> Query<Result> {
        Query<Result>(
            node.path.map { QueryNode.aggregate($0, aggregate) }
                ?? .arithmetic(.refused(QueryNode.refusalOfComputed)))
    }
}
