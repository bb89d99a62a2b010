extension StoreDirectory {
    /// Throws if `other` is inside the store's folder: a copy there could conflict with the store's
    /// files, and would be removed together with them.
    func requireOutside(_ other: String) throws(StorageError) {
        guard commonPath(other).hasPrefix(commonPath(path) + "/") else { return }
        throw .invalid(
            "'\(other)' is in the folder of the realm itself. Choose a path outside of that.")
    }

    /// The canonical form of a path, if the file system is shared.
    private func commonPath(_ path: String) -> String {
        fileSystem.shared == nil ? path : Platform.canonicalPath(path)
    }
}
