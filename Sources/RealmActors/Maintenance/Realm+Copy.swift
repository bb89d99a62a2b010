import Storage

extension Realm {
    /// Copies the newest version into a new store at `path`, without anything that is unused.
    ///
    /// Reads and writes continue meanwhile; what is committed after the call is not in the copy.
    /// The copy can be opened at once, by this process or another:
    ///
    ///     try await realm.writeCopy(to: backups + "/kennel.realm")
    ///
    /// The copy is encrypted when there is a key, whether this realm is encrypted or not: **the
    /// copy of an encrypted realm without a key is not encrypted**. It is encrypted again, so that
    /// two copies with one key have nothing in common that could be seen.
    ///
    /// Runs on a thread of its own. O(size of the version), which is read into memory for it. When
    /// it fails or the task is cancelled, what was written is removed; what a crash cut off stays
    /// beside `path`, as a folder whose name has `.copying-` after that of the copy, until the next
    /// copy to there.
    ///
    /// - Parameters:
    ///   - path: where the copy goes; nothing may be there yet, but the folder around it, which is
    ///     not the realm's own.
    ///   - encryptionKey: what the copy is to be opened with; nil for one that is not encrypted.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Returns: the version of this realm that was copied. The copy counts versions of its own.
    /// - Throws: ``RealmError``: something is at `path` already, the realm is closed or damaged, or
    ///   a disk failed or is full; `CancellationError` when the task is cancelled.
    @discardableResult
    public func writeCopy(
        to path: String, encryptionKey: EncryptionKey? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Version {
        if store.isClosed { throw RealmError.closed }
        if path.isEmpty {
            throw RealmError.invalidValue(
                "The path of the copy is empty. Give the path of a folder that does not exist.")
        }
        let store = store
        let directory = store.currentConfiguration.absolute(path)
        let snapshot = store.engine.latest
        try await CancellableReading.run(progress: progress) { monitor in
            try StoreCopy(
                of: snapshot, to: store.currentConfiguration.fileSystem, directory: directory,
                key: encryptionKey?.userKey, monitor: monitor
            ).write()
        }
        progress?(1)
        return Version(snapshot.version)
    }
}
