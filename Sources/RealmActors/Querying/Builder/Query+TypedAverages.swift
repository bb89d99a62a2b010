// Averages for comparisons with variables of the type of the values, as in Realm. An average is a
// double nevertheless, and the overloads that return doubles are preferred.

extension Query where T: PersistableScalar & Numeric & Comparable {
    /// The average of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T> { reduced(.average) }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric & Comparable {
    /// The average of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Numeric & Comparable {
    /// The average of the elements; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T.QueryElement> { reduced(.average) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Numeric & Comparable
{
    /// The average of the elements; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T.QueryElement> { reduced(.average) }
}
