extension Query where T: FailableCustomPersistable, T.PersistedType: PersistableScalar {
    /// What is stored for the value.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}
