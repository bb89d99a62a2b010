import Storage

extension LiveContext {
    /// The store that the objects belong to.
    var store: RealmStore { home.realmStore }

    /// The realm that the objects belong to.
    package var realm: Realm { Realm(store) }

    /// The version that a live realm shows outside a write.
    var snapshot: Snapshot? { shown.map { Snapshot($0) } }

    /// The state of this moment as an immutable version, also inside a write.
    package func freeze() -> Snapshot { Snapshot(captured()) }
}

extension FrozenContext {
    /// The version, with all its classes.
    package var snapshot: Snapshot { Snapshot(whole) }
}

extension AccessContext {
    /// Why a node of the store could not be read: functions that do not throw return results
    /// without its contents. Nil while every node could be read, even if the store no longer
    /// accepts writes. For a version it does not change when the store is reopened.
    var readFailure: RealmError? {
        if let frozen = self as? FrozenContext { return frozen.handle.readFailure }
        guard let live = self as? LiveContext else { return nil }
        // The store is not reopened before a write has ended.
        if live.isInWrite { return live.store.readFailure }
        return live.shown?.handle.readFailure ?? live.store.readFailure
    }

    /// Throws why a node of the store could not be read. Functions that throw call this after their
    /// reads.
    func requireReadable() throws(RealmError) {
        if let readFailure { throw readFailure }
    }
}

extension ObjectBase {
    /// Throws why a node of the object's store could not be read; never for an unmanaged object.
    final func _requireReadable() throws(RealmError) { try __context?.requireReadable() }
}

extension RealmStore {
    /// Why a node could not be read; nil while every one could.
    var readFailure: RealmError? { account.failure.map { RealmError($0) } }
}

extension SnapshotHandle {
    /// The store that the version belongs to.
    var store: RealmStore { home.realmStore }
}

extension StoreHandle {
    // Unsafe: `RealmStore` is the only class of stores.
    var realmStore: RealmStore { unsafeDowncast(self, to: RealmStore.self) }
}

extension RealmStore: ContextStore {
    func holdLatest(_ label: String?) -> SnapshotRoot { versions.take(label) { engine.latest } }

    func hold(_ root: SnapshotRoot, _ label: String?) { _ = versions.take(label) { root } }

    func release(_ version: VersionName, _ label: String?) {
        if versions.release(version, label) { pinner.resumeEligible() }
    }
}
