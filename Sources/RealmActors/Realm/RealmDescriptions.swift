import Storage

extension Realm: CustomStringConvertible {
    /// The path or identifier of the realm, and its newest version.
    public var description: String { "Realm(\(store.place), version \(latestVersion))" }
}

extension LiveRealm: CustomStringConvertible {
    /// The path or identifier of the realm, and the version that it shows.
    public var description: String {
        let shown = context.snapshot.map { "version \($0.version)" } ?? "invalidated"
        return "LiveRealm(\(store.place), \(isInWriteTransaction ? "in a write" : shown))"
    }
}

extension Snapshot: CustomStringConvertible {
    /// The version, and the path or identifier of its realm.
    public var description: String { "Snapshot(\(handle.store.place), version \(version))" }
}

extension WriteTransaction: CustomStringConvertible {
    /// The version that the transaction will make.
    public var description: String {
        context.isInvalidated ? "WriteTransaction(ended)" : "WriteTransaction(version \(version))"
    }
}

extension RealmStore {
    /// The path or identifier of the store, as text.
    fileprivate var place: String {
        if let path = configuration.path { return path }
        return configuration.inMemoryIdentifier.map { "in memory: \($0)" } ?? "in memory"
    }
}
