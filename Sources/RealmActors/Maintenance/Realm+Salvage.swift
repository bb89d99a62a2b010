import Storage

extension Realm {
    /// Copies the readable contents of a damaged realm into a new one, and reports what was kept
    /// and what was lost.
    ///
    /// Use it when opening throws ``RealmError/corrupted(segment:offset:reason:)`` and there is no
    /// backup. The damaged realm is only read. Every part of its log that verifies is used; each
    /// object has the state after the last commit that could be read. If commits are missing,
    /// objects may be older than they were, or exist although they were deleted; the report counts
    /// the known gaps. Links to lost objects become null. Files that are missing or cannot be
    /// opened are lost as well; the others are read nevertheless.
    ///
    ///     let report = try await Realm.salvage(from: "kennel.realm", to: "rescued.realm")
    ///     let realm = try await Realm.open(.init(path: "rescued.realm", objectTypes: [Dog.self]))
    ///
    /// Needs memory for all of the contents. The new realm is written beside `destination` and
    /// renamed when it is complete. Its history begins with the salvaged objects.
    ///
    /// - Parameters:
    ///   - path: the folder of the damaged realm. No one may be writing to it.
    ///   - destination: the folder of the new realm, which must not exist.
    ///   - objectTypes: the models, in the order in which the realm was first opened with them.
    ///     They are used only if the stored schema is lost.
    ///   - encryptionKey: the key of an encrypted realm. The new realm is encrypted with it, too.
    ///   - progress: called with the fraction that is done, from 0 to 1, on a separate thread.
    /// - Throws: ``RealmError``: the destination exists, nothing shows that there was a realm at
    ///   `path`, its key is wrong or lost, there are too many open files, or the new realm cannot
    ///   be written; `CancellationError` when the task is cancelled. In both cases nothing is left
    ///   at the destination.
    @discardableResult
    public static func salvage(
        from path: String, to destination: String, objectTypes: [ObjectBase.Type] = [],
        encryptionKey: EncryptionKey? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> SalvageReport {
        try await CancellableReading.run(progress: progress) { monitor in
            var salvage = StoreSalvage(
                fileSystem: POSIXFileSystem(), directory: path, destination: destination)
            salvage.options.encryptionKey = encryptionKey?.userKey
            if !objectTypes.isEmpty {
                salvage.fallbackSchema = try SchemaDiscovery.discover(objectTypes).0
            }
            return SalvageReport(try salvage.run(monitor))
        }
    }
}
