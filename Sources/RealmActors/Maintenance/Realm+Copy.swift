import Storage

extension Realm {
    /// Copies the newest version into a new store at `path`, without unused space.
    ///
    /// Reads and writes continue meanwhile; later commits are not in the copy. The copy can be
    /// opened at once, by this process or another:
    ///
    ///     try await realm.writeCopy(to: backups + "/kennel.realm")
    ///
    /// The copy is encrypted when there is a key, whether this realm is encrypted or not: **the
    /// copy of an encrypted realm without a key is not encrypted**. It is encrypted anew, so that
    /// two copies with one key have no common ciphertext.
    ///
    /// Runs on a separate thread. Linear in the size of the version, which is read into memory.
    /// When it fails or the task is cancelled, the written files are removed. After a crash they
    /// remain beside `path`, in a folder named like the copy with `.copying-` appended, until the
    /// next copy to `path`.
    ///
    /// - Parameters:
    ///   - path: the folder of the copy, which must not exist yet. Its parent must exist, and must
    ///     not be the realm's own folder.
    ///   - encryptionKey: the key of the copy; nil for a copy that is not encrypted.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Returns: the version of this realm that was copied. The copy has its own version numbers.
    /// - Throws: ``RealmError``: `path` exists already, the realm is closed or damaged, or a disk
    ///   failed or is full; `CancellationError` when the task is cancelled.
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
