import Storage

extension Realm {
    /// Reads what can be read of a damaged realm into a new one, and reports what was kept and what
    /// is lost.
    ///
    /// Use it when opening throws ``RealmError/corrupted(segment:offset:reason:)`` and there is no
    /// backup. The damaged realm is only read. Every part of its log that verifies on its own is
    /// taken, wherever it is; each object comes out as the last commit that could be read left it.
    /// Where commits are missing, objects can be older than they were, or be there although they
    /// were deleted; the report counts what is known to be missing. Links to objects that are lost
    /// become null. Files that are missing, or cannot be opened, are lost as well, and the others
    /// are read nevertheless.
    ///
    ///     let report = try await Realm.salvage(from: "kennel.realm", to: "rescued.realm")
    ///     let realm = try await Realm.open(.init(path: "rescued.realm", objectTypes: [Dog.self]))
    ///
    /// Needs memory for all of the contents. The new realm is written beside `destination` and gets
    /// that name when it is whole. Its history begins with what was rescued.
    ///
    /// - Parameters:
    ///   - path: the folder of the damaged realm. No one may be writing to it.
    ///   - destination: where the new realm is made; nothing may be there.
    ///   - objectTypes: the models, in the order in which the realm was first opened with them.
    ///     They are used only when the realm's own description of its classes is lost.
    ///   - encryptionKey: the key of an encrypted realm. The new realm is encrypted with it, too.
    ///   - progress: called with the fraction that is done, from 0 to 1, on a thread of its own.
    /// - Throws: ``RealmError``: something is at the destination, nothing shows that there was a
    ///   realm at `path`, or the new realm cannot be written; `CancellationError` when the task is
    ///   cancelled. Neither leaves a part of a realm at the destination.
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
