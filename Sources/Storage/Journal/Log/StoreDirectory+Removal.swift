/// Creating, moving and removing the files of a store as a whole.
///
/// Only the holder of the lock removes and replaces them. The lock's file is removed last: from
/// then on another process may use the folder.
extension StoreDirectory {
    /// Whether there is a store, complete or damaged, that is not being removed.
    package func holdsStore() throws(StorageError) -> Bool {
        let names = try names()
        return names.contains { Self.mainNames.contains($0) } && !Self.isPartiallyRemoved(names)
    }

    /// Whether a removal was interrupted: there is no store, and the next process that holds the
    /// lock removes the remaining files.
    package func isBeingRemoved() throws(StorageError) -> Bool {
        Self.isPartiallyRemoved(try names())
    }

    /// Whether the store that was open here has been removed, or is being removed.
    func hasNoSuperblock() throws(StorageError) -> Bool {
        try !names().contains(Self.superblockName)
    }

    private static func isPartiallyRemoved(_ names: [String]) -> Bool {
        names.contains(removedSuperblockName) && !names.contains(superblockName)
    }

    /// The names in the folder; none if it does not exist.
    private func names() throws(StorageError) -> [String] {
        do throws(StorageError) {
            return try fileSystem.list(path)
        } catch .fileNotFound {
            return []
        } catch .io(_, _, let number) where number == Platform.notADirectory {
            throw isFile
        }
    }

    /// Removes every file of the store, if there is one, and the folder if nothing else is in it.
    /// The store must not be open; another process that writes it is detected by its lock.
    ///
    /// `condition` is evaluated under that lock, without which its outcome could change.
    package func removeStore(
        if condition: () throws(StorageError) -> Bool = { true }
    ) throws(StorageError) {
        guard try names().contains(where: isOwn) else { return }
        let lock: (any FileLock)?
        do throws(StorageError) {
            lock = try takeLock(LogOptions())
        } catch .fileNotFound {
            // Another process has removed it.
            return
        }
        defer { withExtendedLifetime(lock) {} }
        if try condition() { try removeFiles() }
    }

    /// As ``removeStore(if:)``, for the holder of the lock, whose file is removed as well.
    func removeFiles() throws(StorageError) {
        try removeContents()
        try removeLeftovers()
    }

    /// Completes an interrupted removal. The caller has the lock, and keeps it.
    func finishRemoval() throws(StorageError) {
        try removeContents()
        try removeSideFiles()
    }

    /// Removes the log and the page files. On a copy-on-write file system, removing and renaming
    /// may need space as well: the reserve is freed first then.
    private func removeContents() throws(StorageError) {
        do throws(StorageError) {
            return try removeMainFiles()
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
        }
        makeReserve(LogOptions()).spend()
        do throws(StorageError) {
            try removeMainFiles()
        } catch {
            throw error.claimingSpace
        }
    }

    /// First renames the superblock, durably: from then on there is no store, and after a crash the
    /// remaining files are not taken for a damaged one.
    private func removeMainFiles() throws(StorageError) {
        guard try names().contains(where: Self.mainNames.contains) else { return }
        // The folder may just have been renamed, to be replaced by another store: the rename must
        // be durable first.
        try? fileSystem.syncDirectory(parent)
        do throws(StorageError) {
            try fileSystem.rename(superblockPath, to: removedSuperblockPath)
        } catch .fileNotFound {
            // It was lost, or an earlier removal was interrupted.
            _ = try fileSystem.open(removedSuperblockPath, .create)
        }
        try fileSystem.syncDirectory(path)
        try empty(logPath) { name in
            SegmentIndex(fileName: name) != nil || logPath + "/" + name == horizonPath
        }
        try empty(pagesPath) { PageIndex(fileName: $0) != nil }
        try fileSystem.syncDirectory(path)
    }

    /// Whether the store has a format that this library does not read.
    package func isOfUnsupportedFormat() throws(StorageError) -> Bool {
        do throws(StorageError) {
            _ = try readSuperblock()
            _ = try SegmentList.read(
                from: fileSystem, directory: logPath, database: nil, first: nil)
            return false
        } catch .unsupportedFormat {
            return true
        }
    }

    /// Creates a store here, if there is none, from what `fill` writes to a folder beside it: it
    /// appears atomically and durably. Other processes that create a store here meanwhile are
    /// refused, or wait with ``LogOptions/waitsForLock``.
    ///
    /// The leftovers of an earlier attempt are removed.
    package func makeStore(
        _ options: LogOptions, _ fill: (StoreDirectory) throws -> Void
    ) throws {
        while true {
            var folder = self
            let lock = try folder.takeFolder(options)
            defer { withExtendedLifetime(lock) {} }
            if try holdsStore() { return }
            if try isBeingRemoved() { try finishRemoval() }
            let growing = StoreDirectory(
                fileSystem: fileSystem, path: SiblingPath.make(path, ".seeding"))
            do {
                // A folder with other files is not replaced.
                guard try names().allSatisfy({ isOwn($0) || Self.imageNames.contains($0) }) else {
                    throw hasOtherFiles
                }
                try growing.removeStore()
                try fill(growing)
            } catch {
                try? growing.removeStore()
                try? removeLeftovers()
                if let error = error as? StorageError { throw error.claimingSpace }
                throw error
            }
            if try growing.move(to: self) { return }
        }
    }

    /// Moves the store to the path of a folder without one. The caller holds that folder's lock,
    /// which is released by this. False when another process has begun to use the folder.
    private func move(to other: StoreDirectory) throws(StorageError) -> Bool {
        try removeIfPresent(waitingPath)
        try removeIfPresent(lockPath)
        try other.removeLeftovers()
        do throws(StorageError) {
            try fileSystem.rename(path, to: other.path)
        } catch {
            switch error {
            case .io(_, _, let number) where Platform.isNotEmpty(number): return false
            // The process that now holds the lock of the folder begins by removing this one.
            case .fileNotFound: return false
            default: throw error
            }
        }
        try fileSystem.syncDirectory(other.parent)
        return true
    }

    /// Removes the files of a store that is incomplete or removed, and the folder if nothing else
    /// is in it. The caller holds the lock, whose file is removed as well.
    private func removeLeftovers() throws(StorageError) {
        try removeSideFiles()
        try removeIfPresent(lockPath)
        // A folder with other files stays.
        try? fileSystem.remove(path)
    }

    /// The file that marks the store as being removed is removed last: until then the next opening,
    /// or the next removal, continues with what is left.
    private func removeSideFiles() throws(StorageError) {
        for name in Self.sideNames where name != Self.removedSuperblockName {
            try removeIfPresent(path + "/" + name)
        }
        let names = try names()
        for name in names where Self.imageNames.contains(name) {
            let image = path + "/" + name
            if fileSystem.isLink(image) {
                try removeIfPresent(image)
            } else {
                try StoreDirectory(fileSystem: fileSystem, path: image).removeFiles()
            }
        }
        guard names.contains(Self.removedSuperblockName) else { return }
        try fileSystem.syncDirectory(path)
        try removeIfPresent(removedSuperblockPath)
    }

    /// Removes the files of a folder that have names of the store, and the folder if nothing else
    /// is in it. Of a symbolic link, only the link is removed.
    private func empty(
        _ folder: String, of isOwn: (String) -> Bool
    ) throws(StorageError) {
        if fileSystem.isLink(folder) { return try removeIfPresent(folder) }
        let names: [String]
        do throws(StorageError) {
            names = try fileSystem.list(folder)
        } catch .fileNotFound {
            return
        }
        for name in names where isOwn(name) { try removeIfPresent(folder + "/" + name) }
        do throws(StorageError) {
            try removeIfPresent(folder)
        } catch .io(_, _, let number) where Platform.isNotEmpty(number) {
            // The folder has other files and stays. The removed ones must not reappear after a
            // crash.
            try fileSystem.syncDirectory(folder)
        }
    }

    func removeIfPresent(_ name: String) throws(StorageError) {
        do throws(StorageError) {
            try fileSystem.remove(name)
        } catch .fileNotFound {}
    }
}
