import Storage
import Synchronization

extension Realm {
    /// Changes the key that the realm is opened with.
    ///
    ///     try await realm.rekey(to: newKey)
    ///
    /// No data is rewritten: the data key stays, and is wrapped with `key` from now on. After a
    /// crash at any time one of the two keys opens the realm. Open handles continue, also those
    /// of other processes. If the old key was leaked together with a copy of the files, make a copy
    /// with ``writeCopy(to:encryptionKey:progress:)`` instead, which is encrypted anew.
    ///
    /// Waits for the write turn. O(1). Not for a realm on a shared log, whose entries are sealed
    /// with the key of all hosts.
    ///
    /// - Throws: ``RealmError``: the realm is not encrypted, read-only, in memory or closed, or
    ///   there is no space, and the old key stays; when a disk failed, which also ends writing,
    ///   either key may be the realm's: keep both until one has opened it. `CancellationError` when
    ///   the task is cancelled before it has the turn.
    public func rekey(to key: EncryptionKey) async throws {
        try await store.rekey(to: key)
    }
}

extension RealmStore {
    @concurrent
    fileprivate func rekey(to key: EncryptionKey) async throws {
        let engine = try await takeTurn("rekey(to:)")
        defer { releaseTurn() }
        guard encryptionKey.withLock({ $0 }) != nil, configuration.path != nil else {
            throw RealmError.notEncrypted(path: configuration.path ?? "A realm in memory")
        }
        if open.isOnSharedLog {
            throw RealmError.invalidValue(
                "The key of a realm on a shared log cannot be changed: its entries are sealed "
                    + "with it. Import the realm into one with another key.")
        }
        try await BlockingWork.run {
            try RealmError.translating { try engine.rekey(to: key.userKey) }
        }
        encryptionKey.withLock { $0 = key }
    }
}
