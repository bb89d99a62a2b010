/// What an opening has found incomplete in the folder of a store. One for writing completes it.
struct StoreRepairs: Sendable {
    /// The folder of the page files is missing.
    var needsPageFolder = false
    /// One of the two copies of the key is damaged or cannot be read.
    var needsKeyCopy = false
}

extension StoreDirectory {
    /// Completes what the opening has found incomplete. The caller has the lock.
    func complete() {
        if repairs.needsKeyCopy { completeKeyCopies() }
        if repairs.needsPageFolder { completePageFolder() }
    }

    /// Creates the folder of the page files if it is missing: tools that copy a store may leave out
    /// a folder that is empty. An error is ignored: the first checkpoint reports that the folder is
    /// missing.
    private func completePageFolder() {
        // A store that was created since has it.
        if (try? fileSystem.list(pagesPath)) != nil { return }
        do throws(StorageError) {
            try noteUnsyncedNames()
            try fileSystem.createDirectory(pagesPath)
        } catch {
            return
        }
        do throws(StorageError) {
            try fileSystem.syncDirectory(path)
            noteSyncedNames()
        } catch {
            // A checkpoint in a folder whose name is not durable would be lost.
            try? fileSystem.remove(pagesPath)
        }
    }
}
