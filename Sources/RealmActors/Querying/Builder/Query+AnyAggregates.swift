// Aggregates of values of any type: minimum and maximum use the order of all types, sums and
// averages the numbers of every type.

extension Query where T: QueryAnyValue {
    /// The minimum of the values of a path through a collection, in the order of all types; nil if
    /// there is none.
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection, in the order of all types; nil if
    /// there is none.
    public var max: Query<T> { reduced(.maximum) }

    /// The sum of the numbers of a path through a collection; zero if there is none.
    public var sum: Query<T> { reduced(.sum) }

    /// The average of the numbers of a path through a collection; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryAnyValue {
    /// The least element, in the order of all types; nil if there is none.
    public var min: Query<T.QueryElement> { reduced(.minimum) }

    /// The greatest element, in the order of all types; nil if there is none.
    public var max: Query<T.QueryElement> { reduced(.maximum) }

    /// The sum of the numbers among the elements; zero if there is none.
    public var sum: Query<T.QueryElement> { reduced(.sum) }

    /// The average of the numbers among the elements; nil if there is none.
    public var avg: Query<Double?> { reduced(.average) }
}

// Averages, for comparisons with values of any type. The values are doubles nevertheless, and the
// overloads that return doubles are preferred.

extension Query where T: QueryAnyValue & Hashable {
    /// The average of the numbers of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T> { reduced(.average) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryAnyValue & Hashable {
    /// The average of the numbers among the elements; nil if there is none.
    @_disfavoredOverload
    public var avg: Query<T.QueryElement> { reduced(.average) }
}
