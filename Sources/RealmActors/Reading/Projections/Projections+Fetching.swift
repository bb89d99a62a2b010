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

extension ObjectWriting {
    /// The projections of all objects of a class, live: they follow every change.
    public func objects<P: ProjectionObservable>(
        _ type: P.Type
    ) -> ProjectionResults<P> where P.Root: Object {
        ProjectionResults(projecting: objects(P.Root.self))
    }

    /// The projection of the object with a primary key; nil when there is none. O(log n).
    public func object<P: ProjectionObservable>(
        _ type: P.Type, forPrimaryKey key: some PersistedValue
    ) -> P? where P.Root: Object {
        object(P.Root.self, forPrimaryKey: key).map { P(projecting: $0) }
    }
}

extension LiveRealm {
    /// The live projection of what a frozen one shows; nil when its object is gone. Moves to that
    /// version first when this realm is behind it.
    public func resolve<P: ProjectionObservable>(_ frozen: FrozenProjection<P>) -> P? {
        frozen.thaw(in: self)
    }
}

extension WriteTransaction {
    /// The projection, in this transaction, of what a frozen one shows; nil when its object was
    /// deleted.
    public func resolve<P: ProjectionObservable>(_ frozen: FrozenProjection<P>) -> P? {
        resolve(frozen.reference).map { P(projecting: $0) }
    }
}
