import Storage

/// Removes the files of a store.
enum StoreRemoval {
    /// Removes the store of a configuration if its format is still unsupported: another process may
    /// have replaced it.
    static func removeUnsupported(_ configuration: Realm.Configuration) throws {
        guard let path = configuration.path else { return }
        try RealmError.translating {
            let directory = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
            try directory.removeStore { () throws(StorageError) in
                try directory.isOfUnsupportedFormat()
            }
        }
    }

    /// Removes the store at `path`, or the remains of an interrupted removal; false when there is
    /// none.
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
    /// Whether there is a realm at `path`, which need not be one that can be opened.
    public static func exists(at path: String) -> Bool {
        (try? StoreDirectory(fileSystem: POSIXFileSystem(), path: path).holdsStore()) ?? false
    }

    /// Whether there is a realm where `configuration` has its path; false for one in memory.
    public static func exists(for configuration: Configuration) -> Bool {
        configuration.placed.path.map { exists(at: $0) } ?? false
    }

    /// Deletes the files of the realm at `path`, and its folder when nothing else is in there.
    ///
    /// The first change to the disk makes the realm nonexistent: if a crash interrupts the call,
    /// the next opening or deletion removes the rest.
    ///
    /// Another process that only reads is not detected, and keeps the files that it has open. A
    /// realm whose last handle was released closes by itself; the call waits for that.
    ///
    /// - Returns: false when there is no realm.
    /// - Throws: ``RealmError/alreadyOpen(path:difference:)`` when it is open here, or another
    ///   process has the writer lease; ``RealmError/notARealm(path:reason:)`` for a file;
    ///   ``RealmError/outOfSpace`` where removal needs space that the disk lacks;
    ///   ``RealmError/io(operation:path:code:)``.
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
