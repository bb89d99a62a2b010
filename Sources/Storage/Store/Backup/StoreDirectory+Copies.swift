extension StoreDirectory {
    /// Throws where `other` lies in the folder, whose names are the store's own: a copy there would
    /// be in the way of the store's files, and removed together with them.
    func requireOutside(_ other: String) throws(StorageError) {
        guard commonPath(other).hasPrefix(commonPath(path) + "/") else { return }
        throw .invalid(
            "\(other) is in the folder of the realm itself. Choose a path outside of that.")
    }

    /// The name by which others of the same file system know what is at a path.
    private func commonPath(_ path: String) -> String {
        fileSystem.shared == nil ? path : Platform.canonicalPath(path)
    }
}
