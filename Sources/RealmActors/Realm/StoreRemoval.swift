import Storage

/// Removes the files of a store.
enum StoreRemoval {
    /// Removes the store that a configuration names if its format is still one that cannot be read:
    /// another process may have put one in its place.
    static func removeUnsupported(_ configuration: Realm.Configuration) throws {
        guard let path = configuration.path else { return }
        try RealmError.translating {
            let directory = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
            try directory.removeStore { () throws(StorageError) in
                try directory.isOfUnsupportedFormat()
            }
        }
    }

    /// Removes the store at `path`, or what a removal that was cut off has left; false when there
    /// is none.
    fileprivate static func remove(
        _ fileSystem: any FileSystem, _ path: String
    ) throws -> Bool {
        try RealmError.translating {
            let directory = StoreDirectory(fileSystem: fileSystem, path: path)
            guard try directory.holdsStore() || directory.isBeingRemoved() else { return false }
            try directory.removeStore()
            return true
        }
    }
}

extension Realm {
    /// Whether there is a realm at `path`. Says nothing of whether it can be opened.
    public static func exists(at path: String) -> Bool {
        (try? StoreDirectory(fileSystem: POSIXFileSystem(), path: path).holdsStore()) ?? false
    }

    /// Whether there is a realm where `configuration` has its path; false for one in memory.
    public static func exists(for configuration: Configuration) -> Bool {
        configuration.placed.path.map { exists(at: $0) } ?? false
    }

    /// Deletes the files of the realm at `path`, and its folder when nothing else is in there.
    ///
    /// There is no realm any more from the first change on: what a crash leaves of it is deleted by
    /// the next opening or deletion.
    ///
    /// Another process that only reads is not detected, and keeps the files that it has open. A
    /// realm whose last handle was released closes by itself; the call waits for that.
    ///
    /// - Returns: false when there is no realm.
    /// - Throws: ``RealmError/alreadyOpen(path:difference:)`` when it is open here, or another
    ///   process has the writer lease; ``RealmError/outOfSpace`` where removing takes space that
    ///   the disk has not; ``RealmError/io(operation:path:code:)``.
    @discardableResult
    public static func deleteFiles(at path: String) throws -> Bool {
        var configuration = Configuration()
        configuration.path = path
        return try deleteFiles(for: configuration)
    }

    /// Deletes the files of the realm that `configuration` names, as ``deleteFiles(at:)`` does.
    ///
    /// - Returns: false when there is no realm, and for one in memory, which has no files.
    /// - Throws: as ``deleteFiles(at:)``.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let configuration = configuration.placed
        guard let path = configuration.path else { return false }
        return try StoreRegistry.shared.withoutStore(at: path) {
            try StoreRemoval.remove(configuration.fileSystem, path)
        }
    }
}
