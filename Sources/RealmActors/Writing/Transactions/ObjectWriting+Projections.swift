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

extension WriteTransaction {
    /// The projection, in this transaction, of the same object as a frozen one; nil when the object
    /// was deleted.
    public func resolve<P: ProjectionObservable>(_ frozen: FrozenProjection<P>) -> P? {
        resolve(frozen.reference).map { P(projecting: $0) }
    }
}
