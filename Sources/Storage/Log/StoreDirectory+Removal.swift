/// The files of a store as a whole.
extension StoreDirectory {
    /// Whether there is a store, or what is left of one.
    package func holdsStore() throws(StorageError) -> Bool {
        do throws(StorageError) {
            let names = try fileSystem.list(path)
            return names.contains { Self.mainNames.contains($0) }
        } catch .fileNotFound {
            return false
        }
    }

    /// Removes every file of the store, and the folder when nothing else is in it. Nobody may have
    /// it open; another process that writes is found by its lock.
    ///
    /// The superblock goes last but for the lock: until then the rest is known as a store.
    package func removeStore() throws(StorageError) {
        guard try holdsStore() else { return }
        let lock = try takeLock(LogOptions())
        for folder in [logPath, pagesPath] { try empty(folder) }
        try removeIfThere(superblockPath)
        try fileSystem.syncDirectory(path)
        withExtendedLifetime(lock) {}
        try removeLeftovers()
    }

    /// Gives the whole store another name, at once and durably, where there is no store.
    package func moveStore(to other: StoreDirectory) throws(StorageError) {
        try other.removeLeftovers()
        try removeIfThere(lockPath)
        try fileSystem.rename(path, to: other.path)
        try fileSystem.syncDirectory(other.parent)
    }

    /// Removes what is not a store yet, or no longer, and the folder when nothing else is in it.
    private func removeLeftovers() throws(StorageError) {
        do throws(StorageError) {
            for name in try fileSystem.list(path) where Self.sideNames.contains(name) {
                try removeIfThere(path + "/" + name)
            }
        } catch .fileNotFound {
            return
        }
        // A folder with files of others stays.
        try? fileSystem.remove(path)
    }

    private func empty(_ folder: String) throws(StorageError) {
        let names: [String]
        do throws(StorageError) {
            names = try fileSystem.list(folder)
        } catch .fileNotFound {
            return
        }
        for name in names { try removeIfThere(folder + "/" + name) }
        try removeIfThere(folder)
    }

    private func removeIfThere(_ name: String) throws(StorageError) {
        do throws(StorageError) {
            try fileSystem.remove(name)
        } catch .fileNotFound {}
    }
}
