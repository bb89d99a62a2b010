// The minimum and the maximum of enums and custom types, by their stored values, and the sum of
// types that are stored as numbers. They are disfavored, so that they are not ambiguous for types
// that are Comparable in Swift. For the average, which is a number, use `persistableValue.avg`.

extension Query where T: PersistableEnum, T.RawValue: Comparable {
    /// The minimum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T> { reduced(.maximum) }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: PersistableEnum, T.QueryWrapped.RawValue: Comparable
{
    /// The minimum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T> { reduced(.maximum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: PersistableEnum, T.QueryElement.RawValue: Comparable
{
    /// The minimum of the elements; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T.QueryElement?> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T.QueryElement?> { reduced(.maximum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional, T.QueryElement.QueryWrapped: PersistableEnum,
    T.QueryElement.QueryWrapped.RawValue: Comparable
{
    /// The minimum of the elements; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T.QueryElement> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T.QueryElement> { reduced(.maximum) }
}

extension Query
where
    T: FailableCustomPersistable, T.PersistedType: PersistableScalar & Comparable
{
    /// The minimum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T> { reduced(.maximum) }
}

extension Query where T: FailableCustomPersistable, T.PersistedType: PersistableScalar & Numeric {
    /// The sum of the values of a path through a collection; zero if there is none.
    @_disfavoredOverload
    public var sum: Query<T> { reduced(.sum) }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType: PersistableScalar & Comparable
{
    /// The minimum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T> { reduced(.minimum) }

    /// The maximum of the values of a path through a collection; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T> { reduced(.maximum) }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType: PersistableScalar & Numeric
{
    /// The sum of the values of a path through a collection; zero if there is none.
    @_disfavoredOverload
    public var sum: Query<T> { reduced(.sum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: FailableCustomPersistable,
    T.QueryElement.PersistedType: PersistableScalar & Comparable
{
    /// The minimum of the elements; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T.QueryElement?> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T.QueryElement?> { reduced(.maximum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: FailableCustomPersistable,
    T.QueryElement.PersistedType: PersistableScalar & Numeric
{
    /// The sum of the elements; zero if there is none.
    @_disfavoredOverload
    public var sum: Query<T.QueryElement> { reduced(.sum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: FailableCustomPersistable,
    T.QueryElement.QueryWrapped.PersistedType: PersistableScalar & Comparable
{
    /// The minimum of the elements; nil if there is none.
    @_disfavoredOverload
    public var min: Query<T.QueryElement> { reduced(.minimum) }

    /// The maximum of the elements; nil if there is none.
    @_disfavoredOverload
    public var max: Query<T.QueryElement> { reduced(.maximum) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: FailableCustomPersistable,
    T.QueryElement.QueryWrapped.PersistedType: PersistableScalar & Numeric
{
    /// The sum of the elements; zero if there is none.
    @_disfavoredOverload
    public var sum: Query<T.QueryElement> { reduced(.sum) }
}
