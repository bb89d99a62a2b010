// The stored values of custom types.

extension Query where T: FailableCustomPersistable, T.PersistedType: PersistableScalar {
    /// The stored value.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType: PersistableScalar
{
    /// The stored value; nil for a property that is nil.
    public var persistableValue: Query<T.QueryWrapped.PersistedType?> {
        Query<T.QueryWrapped.PersistedType?>(node)
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: FailableCustomPersistable,
    T.QueryElement.PersistedType: PersistableScalar
{
    /// The stored value of any of the elements.
    public var persistableValue: Query<T.QueryElement.PersistedType> {
        Query<T.QueryElement.PersistedType>(.path(path))
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: FailableCustomPersistable,
    T.QueryElement.QueryWrapped.PersistedType: PersistableScalar
{
    /// The stored value of any of the elements.
    public var persistableValue: Query<T.QueryElement.QueryWrapped.PersistedType?> {
        Query<T.QueryElement.QueryWrapped.PersistedType?>(.path(path))
    }
}
