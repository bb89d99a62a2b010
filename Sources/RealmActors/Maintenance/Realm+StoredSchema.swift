import Storage

extension Realm {
    /// The schema version and the classes of the store at `path`, without opening it.
    ///
    ///     let stored = try await Realm.storedSchema(at: "kennel.realm")
    ///     print(stored.version, stored.schema["Dog"]?.properties ?? [])
    ///
    /// No models are needed, and nothing is written. Other processes may have the store open, and
    /// this one too. To read and write its objects, open it with
    /// ``Configuration/usesStoredSchema``.
    ///
    /// Runs on a thread of its own. O(what the log has after its last checkpoint).
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - encryptionKey: the key of an encrypted store.
    /// - Throws: ``RealmError/fileNotFound(path:)`` when there is no store; when it cannot be read,
    ///   and those of a key that does not fit.
    public static func storedSchema(
        at path: String, encryptionKey: EncryptionKey? = nil
    ) async throws -> StoredSchema {
        let configuration = Configuration(path: path, encryptionKey: encryptionKey).placed
        return try await BlockingWork.run {
            guard let opened = try MigrationForecast(configuration).stored() else {
                throw RealmError.fileNotFound(path: path)
            }
            defer { try? opened.log.close() }
            return StoredSchema(opened.tree.schema)
        }
    }
}
