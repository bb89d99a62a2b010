import Storage

/// One element of a projection's change stream.
public enum ProjectionChange<P: ProjectionObservable>: Sendable {
    /// Properties that the projection shows were written; the projection as it is now, and its
    /// properties that may show something else, by their projected names and in the order of their
    /// declaration. All that begin with the same property of the object are delivered together,
    /// also those that show what they did before.
    case change(FrozenProjection<P>, [PropertyChange])
    /// The object was deleted. The stream ends after this.
    case deleted
}

/// The changes of one projection, as they become visible.
///
/// Subscriptions, their beginning and their end are those of ``ObjectChanges``.
public struct ProjectionChanges<P: ProjectionObservable>: AsyncSequence, Sendable {
    /// What the stream delivers.
    public typealias Element = ProjectionChange<P>
    /// What the stream fails with.
    public typealias Failure = RealmError

    /// Names the stream to a write that does not notify it.
    public let token: ChangeStreamToken
    private var buffering = ChangeBuffering.latest
    private let hub: CommitHub<Snapshot>
    private let producer: ProjectionProducer<P>

    init(_ projection: FrozenProjection<P>, _ watched: Result<ProjectionPaths, RealmError>) {
        hub = projection.snapshot.hub
        token = ChangeStreamToken(hub.id)
        producer = ProjectionProducer(projection, watched)
    }

    /// Subscribes; commits from here on are not missed. Inside the write that the object's state is
    /// of, which may never come to be, the stream throws ``RealmError/invalidObject(_:)``.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            subscription: ChangeStreamSubscription(
                hub: hub, producer: producer, token: token, buffering: buffering))
    }

    /// The same stream, with the same token, that does otherwise with commits which its consumer
    /// has not asked for yet.
    ///
    ///     for try await change in stream.buffering(.everyVersion(bufferLimit: 100)) { ... }
    public func buffering(_ buffering: ChangeBuffering) -> Self {
        var stream = self
        stream.buffering = buffering
        return stream
    }

    /// Delivers the changes of one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What the stream delivers.
        public typealias Element = ProjectionChange<P>
        /// What the stream fails with.
        public typealias Failure = RealmError

        let subscription: ChangeStreamSubscription<ProjectionProducer<P>>

        /// The next change; nil after the object was deleted, the task was cancelled or the realm
        /// was closed.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RealmError) -> ProjectionChange<P>? {
            try await subscription.storage.next()
        }

        /// The next change; nil at the end.
        ///
        /// - Throws: ``RealmError`` when a key path is invalid or the realm failed.
        public mutating func next() async throws(RealmError) -> ProjectionChange<P>? {
            try await subscription.storage.next()
        }
    }
}

extension FrozenProjection {
    /// The changes of the projection from this version on.
    ///
    ///     for try await change in person.changes(keyPaths: [\.name, \.homeCity]) { ... }
    ///
    /// Only what the projection shows is watched; with key paths, only that of it. A key path to
    /// what is not projected, or not persisted, makes the stream throw
    /// ``RealmError/invalidKeyPath(_:)``.
    public func changes(keyPaths: [PartialKeyPath<P>] = []) -> ProjectionChanges<P> {
        ProjectionChanges(
            self,
            Result { () throws(RealmError) in
                try ProjectionSchema.of(P.self).watched(keyPaths)
            })
    }

    /// The changes of the projection, with the names of projected properties.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ProjectionChanges<P> {
        ProjectionChanges(
            self,
            Result { () throws(RealmError) in
                try ProjectionSchema.of(P.self).watched(names: keyPaths)
            })
    }
}

extension ProjectionObservable {
    /// The changes of a live projection from its present state on; see
    /// ``FrozenProjection/changes(keyPaths:)``.
    ///
    /// The object must be managed. When it was deleted the stream tells that and ends; when its
    /// realm was invalidated, the stream throws ``RealmError/invalidated(className:key:)``.
    public func changes(keyPaths: [PartialKeyPath<Self>] = []) -> ProjectionChanges<Self> {
        let frozen = freeze()
        if let error = rootObject._invalidation {
            return ProjectionChanges(frozen, .failure(error))
        }
        return frozen.changes(keyPaths: keyPaths)
    }

    /// The changes of a live projection, with the names of projected properties.
    @_disfavoredOverload
    public func changes(keyPaths: [String]) -> ProjectionChanges<Self> {
        let frozen = freeze()
        if let error = rootObject._invalidation {
            return ProjectionChanges(frozen, .failure(error))
        }
        return frozen.changes(keyPaths: keyPaths)
    }
}
