import Storage

extension Realm {
    /// Gives the space that the store's files no longer use back to the disk.
    ///
    /// A store does this by itself while it is written, as soon as more than a third of its files
    /// is unused. Call it to have everything at once: after much was deleted, before a backup, or
    /// when deleted values must leave the disk for good. Readers and writers go on meanwhile; a
    /// write waits for a few milliseconds at most. Snapshots that are held keep the space of what
    /// only they need until they go, and a `history` of `.keep` keeps what commits wrote, also of
    /// what was deleted since.
    ///
    /// On a disk without the space for that it empties as much as it can, and says then that the
    /// disk is full. On one where hardly a few megabytes are free it also gives up history that
    /// `.keep` would keep, the oldest first and no more than it takes, but for what someone
    /// follows.
    ///
    /// Runs off the caller's actor. O(size of the store).
    ///
    /// - Parameter progress: told how much is done, from 0 to 1, on any thread.
    /// - Throws: ``RealmError`` when the store is closed, read-only, has failed, or its disk is
    ///   full; ``RealmError/writerBusy(holder:)`` when other processes, or `reopen()`, have come
    ///   between each time until the configuration's `writeTimeout` had passed;
    ///   `CancellationError`. What was done so far is kept.
    @concurrent
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws {
        if store.configuration.readOnly { throw RealmError.readOnly }
        try await store.compact(progress: progress)
        progress?(1)
    }
}

extension RealmStore {
    func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws {
        if isClosed { throw RealmError.closed }
        try await RealmError.translating {
            try await open.compact(isFull: true, givesUpHistory: true, progress: progress)
        }
    }
}
