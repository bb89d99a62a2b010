import Storage

extension Realm {
    /// Returns unused space of the store's files to the file system.
    ///
    /// A store does this by itself while it is written, as soon as more than a third of its files
    /// is unused. Call it to return all unused space: after many deletions, before a backup, or
    /// when deleted values must be erased from the disk. Readers and writers continue meanwhile; a
    /// write waits for a few milliseconds at most. Held snapshots keep the space that only they
    /// need until they are released, and a `history` of `.keep` keeps the values in the log,
    /// including deleted ones.
    ///
    /// On a disk without enough space it compacts as much as it can, and then throws
    /// ``RealmError/outOfSpace``. On one with only a few free megabytes it also trims history that
    /// `.keep` would keep, the oldest first and no more than necessary, except history that a
    /// consumer follows.
    ///
    /// Runs off the caller's actor. Linear in the size of the store.
    ///
    /// - Parameter progress: called with the fraction that is done, from 0 to 1, on any thread.
    /// - Throws: ``RealmError`` when the store is closed, read-only, has failed, or its disk is
    ///   full; ``RealmError/writerBusy(holder:)`` when other processes, or `reopen()`, keep
    ///   interrupting it until the configuration's `writeTimeout` has passed; `CancellationError`.
    ///   The space returned so far stays returned.
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
            try await open.compact(isFull: true, dropsHistory: true, progress: progress)
        }
    }
}
