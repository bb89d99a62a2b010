import Storage

extension Realm {
    /// Opens a realm, making it when there is none.
    ///
    /// - Throws: ``RealmError``: the models are no valid schema, or differ from the stored one; the
    ///   path is no realm, is damaged, or is open elsewhere; the disk failed.
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        Realm(try await StoreRegistry.shared.open(configuration))
    }

    /// Waits for the writes that are under way, and gives up the lock that this process has on the
    /// files, until ``resume()``: for an app extension, or an app that is about to be suspended,
    /// which the system ends when it keeps a lock. Writes wait meanwhile, for no longer than
    /// `writeTimeout`; reads and change streams go on. Does nothing in a suspended store.
    ///
    /// - Throws: ``RealmError/closed``; `CancellationError` when the task is cancelled before the
    ///   writes have ended.
    public func suspend() async throws {
        try await RealmError.translating { try await store.open.suspend() }
    }

    /// Lets writes go on after ``suspend()``: the next one takes the lock again.
    public func resume() { store.open.resume() }

    /// Waits for the writes that are under way and closes the store, for every handle.
    ///
    /// One of them is what a live realm has begun with ``LiveRealm/beginWrite(isolation:)``: commit
    /// or cancel it, here before the call or in another task meanwhile.
    ///
    /// Snapshots stay readable; writes throw ``RealmError/closed``.
    public func close() async throws { try await store.close() }

    /// Opens the store again after it failed or was closed: what is proven on disk is replayed.
    ///
    /// An open store is closed first, behind the writes that have begun; those that come meanwhile
    /// wait. Change streams end, live realms go on. When it fails, the store is closed, and it can
    /// be tried again. Goes through although the task is cancelled meanwhile.
    ///
    /// It opens the database that was open, whatever key that has by now, and makes, migrates and
    /// deletes none: where another one stands there, or other classes, open a new handle.
    ///
    /// - Throws: as ``open(_:)``; ``RealmError/alreadyOpen(path:difference:)`` when the path was
    ///   opened again since this store was closed; ``RealmError/closed`` for a realm in memory.
    public func reopen() async throws { try await store.reopen() }
}
