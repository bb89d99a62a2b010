import Storage

extension Realm {
    /// The schema version and the classes of the store at `path`, without opening it.
    ///
    ///     let stored = try await Realm.storedSchema(at: "kennel.realm")
    ///     print(stored.version, stored.schema["Dog"]?.properties ?? [])
    ///
    /// No models are needed, and nothing is written. The store may be open in this process and in
    /// others. To read and write its objects, open it with ``Configuration/usesStoredSchema``.
    ///
    /// Runs on a separate thread. Linear in the log after the last checkpoint.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - encryptionKey: the key of an encrypted store.
    /// - Throws: ``RealmError/fileNotFound(path:)`` when there is no store; ``RealmError`` when it
    ///   cannot be read, or the key is missing or wrong.
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
