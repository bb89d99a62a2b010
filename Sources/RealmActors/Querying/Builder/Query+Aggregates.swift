// What the values behind a path through a collection, or the elements of one, come to. Null and not
// a number do not count.

extension Query where T: PersistableScalar & Comparable {
    /// The least of the values that a path through a collection leads to.
    public var min: Query<T> { Query(.aggregate(path, .minimum)) }

    /// The greatest of the values that a path through a collection leads to.
    public var max: Query<T> { Query(.aggregate(path, .maximum)) }
}

extension Query where T: PersistableScalar & Numeric {
    /// The sum of the values that a path through a collection leads to; zero without any.
    public var sum: Query<T> { Query(.aggregate(path, .sum)) }

    /// The average of the values that a path through a collection leads to; nil without any.
    public var avg: Query<Double?> { Query<Double?>(.aggregate(path, .average)) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// The least of the values that a path through a collection leads to; nil without any.
    public var min: Query<T> { Query(.aggregate(path, .minimum)) }

    /// The greatest of the values that a path through a collection leads to; nil without any.
    public var max: Query<T> { Query(.aggregate(path, .maximum)) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric {
    /// The sum of the values that a path through a collection leads to; zero without any.
    public var sum: Query<T> { Query(.aggregate(path, .sum)) }

    /// The average of the values that a path through a collection leads to; nil without any.
    public var avg: Query<Double?> { Query<Double?>(.aggregate(path, .average)) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Comparable {
    /// The least of the elements; nil without any.
    public var min: Query<T.QueryElement?> {
        Query<T.QueryElement?>(.aggregate(path, .minimum))
    }

    /// The greatest of the elements; nil without any.
    public var max: Query<T.QueryElement?> {
        Query<T.QueryElement?>(.aggregate(path, .maximum))
    }

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
    public var sum: Query<T.QueryElement> { Query<T.QueryElement>(.aggregate(path, .sum)) }

    /// The average of the elements; nil without any.
    public var avg: Query<Double?> { Query<Double?>(.aggregate(path, .average)) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Comparable
{
    /// The least of the elements; nil without any.
    public var min: Query<T.QueryElement> { Query<T.QueryElement>(.aggregate(path, .minimum)) }

    /// The greatest of the elements; nil without any.
    public var max: Query<T.QueryElement> { Query<T.QueryElement>(.aggregate(path, .maximum)) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Numeric
{
    /// The sum of the elements; zero without any.
    public var sum: Query<T.QueryElement> { Query<T.QueryElement>(.aggregate(path, .sum)) }

    /// The average of the elements; nil without any.
    public var avg: Query<Double?> { Query<Double?>(.aggregate(path, .average)) }
}
