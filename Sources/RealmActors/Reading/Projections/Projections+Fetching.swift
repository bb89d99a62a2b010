extension Realm {
    /// The projections of all objects of a class in the newest version.
    public func objects<P: ProjectionObservable>(
        _ type: P.Type
    ) -> FrozenProjectionResults<P> where P.Root: Object {
        snapshot().objects(type)
    }

    /// The projection of the object with a primary key in the newest version; nil when there is
    /// none. O(log n).
    public func object<P: ProjectionObservable>(
        _ type: P.Type, forPrimaryKey key: some PersistedValue
    ) -> FrozenProjection<P>? where P.Root: Object {
        snapshot().object(type, forPrimaryKey: key)
    }
}

extension Snapshot {
    /// The projections of all objects of a class, in the order of their creation.
    public func objects<P: ProjectionObservable>(
        _ type: P.Type
    ) -> FrozenProjectionResults<P> where P.Root: Object {
        FrozenProjectionResults(projecting: objects(P.Root.self))
    }

    /// The projection of the object with a primary key; nil when there is none. O(log n).
    public func object<P: ProjectionObservable>(
        _ type: P.Type, forPrimaryKey key: some PersistedValue
    ) -> FrozenProjection<P>? where P.Root: Object {
        object(P.Root.self, forPrimaryKey: key).map { FrozenProjection(projecting: $0) }
    }
}
