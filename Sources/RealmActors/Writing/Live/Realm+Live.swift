extension Realm {
    /// A realm with live objects for the caller's actor.
    public func live(isolation: isolated any Actor = #isolation) async throws -> LiveRealm {
        if store.isClosed { throw RealmError.closed }
        return LiveRealm(store, isolation: isolation)
    }
}
