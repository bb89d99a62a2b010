/// Copies one version of a store into a new one, while the store is in use.
///
/// The copy has its own database identity, contains only what the version uses, and needs no replay
/// to be opened.
package struct StoreCopy {
    private let snapshot: SnapshotRoot
    private let fileSystem: any FileSystem
    private let directory: String
    private let key: UserKey?
    private let monitor: ReadingMonitor
    /// See ``LogOptions/preparesInBackground``.
    var preparesInBackground = true

    /// A copy of `snapshot` in `directory`, which must not exist yet, encrypted when there is a
    /// key. Its files are sealed with a data key of their own.
    package init(
        of snapshot: SnapshotRoot, to fileSystem: any FileSystem, directory: String,
        key: UserKey? = nil, monitor: ReadingMonitor = ReadingMonitor()
    ) {
        self.snapshot = snapshot
        self.fileSystem = fileSystem
        // With a trailing slash, files created beside the folder would be inside it.
        self.directory = directory.withoutTrailingSlashes
        self.key = key
        self.monitor = monitor
    }

    /// Makes the copy, or removes it after a failure. O(size of the version). Blocks on the disk:
    /// not for the cooperative pool.
    ///
    /// It is written beside `directory` and renamed when it is complete: concurrent copies to one
    /// path do not interfere, and the first to complete wins. Copies that a crash has interrupted
    /// are removed.
    package func write() throws {
        if let pages = snapshot.account.pages {
            let source = StoreDirectory(
                fileSystem: pages.fileSystem, path: pages.directory.parentPath)
            try source.requireOutside(directory)
        }
        try Self.requireNothing(at: directory, in: fileSystem)
        Self.removeAbandoned(of: directory, in: fileSystem)
        let draft = Self.makeDraftPath(of: directory)
        do {
            // Its lock marks it as in use until it is renamed.
            let lock = try copy(to: draft)
            defer { withExtendedLifetime(lock) {} }
            try StoreDirectory(fileSystem: fileSystem, path: draft).noteUnsyncedNames()
            try rename(draft)
        } catch {
            removeAll(of: draft)
            if monitor.isCancelled { throw CancellationError() }
            if let error = error as? StorageError { throw error.claimingSpace }
            throw error
        }
        // It is complete, and perhaps open already: a crash can only lose its name.
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        try fileSystem.syncDirectory(store.parent)
        store.noteSyncedNames()
    }

    /// Makes the copy directly in `directory`, which may exist if it is empty, for a caller that
    /// renames it, and that removes the files after a failure.
    package func fill() throws { _ = try copy(to: directory) }

    /// The prefix of the name of an unfinished copy, before a number.
    private static func draftPrefix(_ directory: String) -> String {
        SiblingPath.make(directory, ".copying-")
    }

    /// The path of a temporary folder. Unless its lock is held, the next copy to the same path
    /// removes it.
    static func makeDraftPath(of directory: String) -> String {
        draftPrefix(directory) + String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// Removes abandoned copies to the same path: those that are not locked.
    static func removeAbandoned(of directory: String, in fileSystem: any FileSystem) {
        let parent = StoreDirectory(fileSystem: fileSystem, path: directory).parent
        let folder = directory.folderPrefix
        let prefix = draftPrefix(directory)
        for name in (try? fileSystem.list(parent)) ?? [] {
            let draft = StoreDirectory(fileSystem: fileSystem, path: folder + name)
            guard draft.path.hasPrefix(prefix) else { continue }
            // Skips copies that are in use or cannot be removed.
            try? draft.removeStore()
            // Only the folder exists. A process that is about to use it creates it again.
            try? fileSystem.remove(draft.path)
        }
    }

    private func rename(_ draft: String) throws(StorageError) {
        do {
            try fileSystem.rename(draft, to: directory)
        } catch {
            // Another copy may have completed first.
            try Self.requireNothing(at: directory, in: fileSystem)
            throw error
        }
    }

    /// Throws unless a copy can be made at a path.
    static func requireNothing(
        at directory: String, in fileSystem: any FileSystem
    ) throws(StorageError) {
        do {
            _ = try fileSystem.list(directory)
        } catch .fileNotFound {
            return
        }
        throw .invalid(
            "'\(directory)' exists already. Remove it, or copy to another path.")
    }

    /// Makes and closes the copy; returns its lock.
    private func copy(to draft: String) throws -> (any FileLock)? {
        var opening = StoreOpening(fileSystem: fileSystem, directory: draft)
        opening.options.encryptionKey = key
        opening.options.preparesInBackground = preparesInBackground
        let opened = try opening.open(account: NodeAccount()) { _ in snapshot.schema }
        let lock = opened.log.lock
        defer { try? opened.log.close() }
        // A store without classes has an empty log, and nothing to copy.
        guard !snapshot.schema.classes.isEmpty, let end = opened.log.end else { return lock }
        let tree = try opened.checkpointer.writeCopy(of: snapshot, pace: pace)
        let record = CheckpointRecord(
            version: opened.version, replayStart: end, root: tree.root, contents: tree.contents)
        // Its history begins here, without a first version that has only the schema.
        try opened.log.append(record, .erasure)
        try opened.log.removeSegmentsBeforeCheckpoint(keepingHistory: false)
        return lock
    }

    /// Reports the progress of the bytes written, and throws once it is cancelled.
    private func pace(_ bytes: Int) throws(StorageError) {
        if monitor.isCancelled { throw .invalid("The copy was cancelled.") }
        let account = snapshot.account
        let total = max(account.budget.storedBytes, account.byteCount)
        monitor.report(min(Double(bytes) / Double(max(total, 1)), 0.99))
    }

    private func removeAll(of directory: String) {
        for folder in ["/log", "/pages", ""] {
            for name in (try? fileSystem.list(directory + folder)) ?? [] {
                try? fileSystem.remove("\(directory)\(folder)/\(name)")
            }
            try? fileSystem.remove(directory + folder)
        }
    }
}
