import Storage

extension Realm {
    /// Opens a realm, and creates it when there is none. May be called from any isolation.
    ///
    /// - Throws: ``RealmError``: the models are not a valid schema, or differ from the stored one;
    ///   the path is not that of a realm; the realm is damaged or open elsewhere; the disk failed.
    ///   `CancellationError` when the task is cancelled while it waits for another process, for the
    ///   engine of a shared log, or for another call that opens or closes the realm.
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        Realm(try await StoreRegistry.shared.open(configuration))
    }

    /// Waits for the running writes and releases the lock of this process on the files, until
    /// ``resume()``. For app extensions and apps that are about to be suspended: the system
    /// terminates a suspended process that holds a lock. Meanwhile writes wait, for `writeTimeout`
    /// at most; reads and change streams continue. Has no effect on a suspended store.
    ///
    /// - Throws: ``RealmError/closed``; `CancellationError` when the task is cancelled before the
    ///   writes have ended.
    public func suspend() async throws {
        try await RealmError.translating { try await store.open.suspend() }
    }

    /// Lets writes continue after ``suspend()``: the next one takes the lock again.
    public func resume() { store.open.resume() }

    /// Waits for the running writes and closes the store, for every handle.
    ///
    /// A write that a live realm has begun with ``LiveRealm/beginWrite(isolation:)`` is one of
    /// them: commit or cancel it before this call, or in another task meanwhile.
    ///
    /// Snapshots stay readable; writes throw ``RealmError/closed``.
    public func close() async throws { try await store.close() }

    /// Opens the store again after it failed or was closed, with what is durable on disk.
    ///
    /// An open store is closed first, after the writes that have begun; later ones wait. Change
    /// streams end, live realms continue. When reopening fails, the store stays closed, and can be
    /// reopened later. Cancelling the task does not interrupt it.
    ///
    /// It opens the same database with its present key, and never creates, migrates or deletes one:
    /// for another database at the path, or for other classes, open a new handle.
    ///
    /// - Throws: as ``open(_:)``; ``RealmError/alreadyOpen(path:difference:)`` when the path was
    ///   opened again since this store was closed; ``RealmError/closed`` for a realm in memory.
    public func reopen() async throws { try await store.reopen() }
}
