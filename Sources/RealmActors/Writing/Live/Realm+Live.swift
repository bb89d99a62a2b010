extension Realm {
    /// The actor that a live realm is opened on: that of the caller. Nonisolated code has none:
    /// call ``live(isolation:)`` in a method of an actor, or in a function of the main actor.
    public typealias CallingActor = any Actor

    /// A realm with live objects for the caller's actor, which shows the newest version.
    ///
    /// - Parameter isolation: the actor that the live realm is confined to, by default the
    ///   caller's.
    /// - Throws: ``RealmError/closed``.
    public func live(isolation: isolated CallingActor = #isolation) async throws -> LiveRealm {
        if store.isClosed { throw RealmError.closed }
        return LiveRealm(store, isolation: isolation)
    }
}
