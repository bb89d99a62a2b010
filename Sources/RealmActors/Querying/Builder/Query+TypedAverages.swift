// Averages, for comparisons with variables of the type of the values, as Realm has them. They are
// doubles all the same, which come first.

extension Query where T: PersistableScalar & Numeric & Comparable {
    /// The average of the values that a path through a collection leads to; nil without any.
    @_disfavoredOverload
    public var avg: Query<T> { reduced(.average) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric & Comparable {
    /// The average of the values that a path through a collection leads to; nil without any.
    @_disfavoredOverload
    public var avg: Query<T> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Numeric & Comparable {
    /// The average of the elements; nil without any.
    @_disfavoredOverload
    public var avg: Query<T.QueryElement> { reduced(.average) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Numeric & Comparable
{
    /// The average of the elements; nil without any.
    @_disfavoredOverload
    public var avg: Query<T.QueryElement> { reduced(.average) }
}
