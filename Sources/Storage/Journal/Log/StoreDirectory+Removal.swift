/// The files of a store as a whole.
///
/// They are removed and replaced by who has the lock, whose file goes last: from then on the folder
/// may be another's.
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
        let lock: (any FileLock)?
        do throws(StorageError) {
            lock = try takeLock(LogOptions())
        } catch .fileNotFound {
            // Another process has removed it.
            return
        }
        defer { withExtendedLifetime(lock) {} }
        for folder in [logPath, pagesPath] { try empty(folder) }
        try removeIfThere(superblockPath)
        try fileSystem.syncDirectory(path)
        try removeLeftovers()
    }

    /// Makes a store here, if there is none, of what `fill` puts into a folder beside it: the whole
    /// of it appears at once and durably. One process at a time does so, or makes a store here in
    /// another way; with ``LogOptions/waitsForLock`` the others wait.
    ///
    /// What an earlier attempt left is made anew.
    package func makeStore(
        _ options: LogOptions, _ fill: (StoreDirectory) throws -> Void
    ) throws {
        while true {
            let lock = try takeFolder(options)
            defer { withExtendedLifetime(lock) {} }
            if try holdsStore() { return }
            let growing = StoreDirectory(fileSystem: fileSystem, path: path + ".seeding")
            do {
                try growing.removeStore()
                try fill(growing)
            } catch {
                try? removeLeftovers()
                throw error
            }
            if try growing.move(to: self) { return }
        }
    }

    /// Gives the whole store the name of a folder without one, whose lock the caller has, and which
    /// it has no more afterwards. False when another process has begun to use the folder, now that
    /// it is nobody's.
    private func move(to other: StoreDirectory) throws(StorageError) -> Bool {
        try removeIfThere(waitingPath)
        try removeIfThere(lockPath)
        try other.removeLeftovers()
        do throws(StorageError) {
            try fileSystem.rename(path, to: other.path)
        } catch {
            switch error {
            case .io(_, _, let number) where Platform.isNotEmpty(number): return false
            // Who has the lock of the folder begins with removing this one.
            case .fileNotFound: return false
            default: throw error
            }
        }
        try fileSystem.syncDirectory(other.parent)
        return true
    }

    /// Removes what is not a store yet, or no longer, and the folder when nothing else is in it.
    /// The caller has the lock, which is void afterwards.
    private func removeLeftovers() throws(StorageError) {
        for name in Self.sideNames { try removeIfThere(path + "/" + name) }
        try removeIfThere(lockPath)
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
