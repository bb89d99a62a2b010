import Foundation
import Storage

/// Takes the files of a store from the disk.
enum StoreRemoval {
    /// Removes the store that a configuration names, with nothing of it open.
    static func remove(_ configuration: Realm.Configuration) throws {
        guard let path = configuration.path else { return }
        try RealmError.translating {
            try StoreDirectory(fileSystem: configuration.fileSystem, path: path).removeStore()
        }
    }
}

extension Realm {
    /// Whether there is a realm at `path`. Says nothing of whether it can be opened.
    public static func exists(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/superblock")
            || FileManager.default.fileExists(atPath: path + "/log")
    }

    /// Whether there is a realm where `configuration` has its path; false for one in memory.
    public static func exists(for configuration: Configuration) -> Bool {
        configuration.placed.path.map { exists(at: $0) } ?? false
    }

    /// Deletes the files of the realm at `path`, and its folder when nothing else is in there.
    ///
    /// Another process that only reads is not noticed; it keeps what it has open.
    ///
    /// - Returns: false when there is no realm.
    /// - Throws: ``RealmError/alreadyOpen(path:difference:)`` when it is open here, or another
    ///   process has the writer lease; ``RealmError/io(operation:path:code:)``.
    @discardableResult
    public static func deleteFiles(at path: String) throws -> Bool {
        var configuration = Configuration()
        configuration.path = path
        return try deleteFiles(for: configuration)
    }

    /// Deletes the files of the realm that `configuration` names, as ``deleteFiles(at:)`` does.
    /// There are none of a realm in memory.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let configuration = configuration.placed
        guard let path = configuration.path else { return false }
        return try StoreRegistry.shared.withoutStore(at: path) {
            let directory = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
            guard try RealmError.translating({ try directory.holdsStore() }) else { return false }
            try StoreRemoval.remove(configuration)
            return true
        }
    }
}
