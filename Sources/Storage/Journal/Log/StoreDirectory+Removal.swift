/// The files of a store as a whole.
///
/// They are removed and replaced by who has the lock, whose file goes last: from then on the folder
/// may be another's.
extension StoreDirectory {
    /// Whether there is a store, or what is left of one that nobody has begun to remove.
    package func holdsStore() throws(StorageError) -> Bool {
        let names = try names()
        return names.contains { Self.mainNames.contains($0) } && !Self.areOfRemoval(names)
    }

    /// Whether a removal has begun and not ended: there is no store, and what is left of it is for
    /// the next process that has the lock to remove.
    package func isBeingRemoved() throws(StorageError) -> Bool {
        Self.areOfRemoval(try names())
    }

    /// Whether the store is gone that was open here, or about to go.
    func hasNoSuperblock() throws(StorageError) -> Bool {
        try !names().contains(Self.superblockName)
    }

    private static func areOfRemoval(_ names: [String]) -> Bool {
        names.contains(removedSuperblockName) && !names.contains(superblockName)
    }

    /// What is in the folder; nothing where there is none.
    private func names() throws(StorageError) -> [String] {
        do throws(StorageError) {
            return try fileSystem.list(path)
        } catch .fileNotFound {
            return []
        }
    }

    /// Removes every file of the store, if there is one, and the folder when nothing else is in it.
    /// Nobody may have it open; another process that writes is found by its lock.
    ///
    /// `condition` is asked under that lock: what was found out without it may be different by now.
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

    /// As ``removeStore(if:)``, for who has the lock, which is void afterwards.
    func removeFiles() throws(StorageError) {
        try removeContents()
        try removeLeftovers()
    }

    /// Ends a removal that was cut off. The caller has the lock, and keeps it.
    func finishRemoval() throws(StorageError) {
        try removeContents()
        try removeSideFiles()
    }

    /// Removes the log and the page files. On disks that write nothing in place, removing and
    /// renaming may take space as well: the reserve goes first then.
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

    /// The superblock loses its name first, durably: from then on there is no store, and a crash
    /// leaves nothing that passes for a damaged one.
    private func removeMainFiles() throws(StorageError) {
        guard try names().contains(where: Self.mainNames.contains) else { return }
        // It may have been renamed so that another takes its place: that is made durable first.
        try? fileSystem.syncDirectory(parent)
        do throws(StorageError) {
            try fileSystem.rename(superblockPath, to: removedSuperblockPath)
        } catch .fileNotFound {
            // It was lost, or the removal was cut off.
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
            if try isBeingRemoved() { try finishRemoval() }
            let growing = StoreDirectory(fileSystem: fileSystem, path: path + ".seeding")
            do {
                // Nothing takes the place of a folder with files of others.
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

    /// Gives the whole store the name of a folder without one, whose lock the caller has, and which
    /// it has no more afterwards. False when another process has begun to use the folder, now that
    /// its lock is free.
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
        try removeSideFiles()
        try removeIfThere(lockPath)
        // A folder with files of others stays.
        try? fileSystem.remove(path)
    }

    /// The file that marks the store as being removed is removed last: until then the next opening,
    /// or the next removal, continues with what is left.
    private func removeSideFiles() throws(StorageError) {
        for name in Self.sideNames where name != Self.removedSuperblockName {
            try removeIfThere(path + "/" + name)
        }
        let names = try names()
        for name in names where Self.imageNames.contains(name) {
            let image = path + "/" + name
            if fileSystem.isLink(image) {
                try removeIfThere(image)
            } else {
                try StoreDirectory(fileSystem: fileSystem, path: image).removeFiles()
            }
        }
        guard names.contains(Self.removedSuperblockName) else { return }
        try fileSystem.syncDirectory(path)
        try removeIfThere(removedSuperblockPath)
    }

    /// Removes the files of a folder whose names are the store's own, and the folder when nothing
    /// else is in it; of a link to a folder nothing but the link.
    private func empty(
        _ folder: String, of isOwn: (String) -> Bool
    ) throws(StorageError) {
        if fileSystem.isLink(folder) { return try removeIfThere(folder) }
        let names: [String]
        do throws(StorageError) {
            names = try fileSystem.list(folder)
        } catch .fileNotFound {
            return
        }
        for name in names where isOwn(name) { try removeIfThere(folder + "/" + name) }
        do throws(StorageError) {
            try removeIfThere(folder)
        } catch .io(_, _, let number) where Platform.isNotEmpty(number) {
            // With files of others it stays, and what was in it must not reappear after a crash.
            try fileSystem.syncDirectory(folder)
        }
    }

    func removeIfThere(_ name: String) throws(StorageError) {
        do throws(StorageError) {
            try fileSystem.remove(name)
        } catch .fileNotFound {}
    }
}
