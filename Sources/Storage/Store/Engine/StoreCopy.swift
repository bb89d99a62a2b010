/// Copies one version of a store into a new one, while the store is in use.
///
/// The copy has a database identity of its own, holds nothing but what the version uses, and needs
/// no replay to be opened.
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
        // Behind a slash, what is made beside the folder would lie in it.
        self.directory = directory.withoutTrailingSlashes
        self.key = key
        self.monitor = monitor
    }

    /// Makes the copy; when it fails, what was written of it is removed. O(size of the version).
    /// Blocks on the disk: not for the cooperative pool.
    ///
    /// It is written beside `directory` and gets that name when it is whole: of several copies to
    /// one path none touches another's files, and the first to be ready is there. What others have
    /// left that a crash cut off is removed.
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
            // Its lock says that it is not abandoned, until it has its name.
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
        // It is whole, and perhaps open already: only its name may go with a crash.
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        try fileSystem.syncDirectory(store.parent)
        store.noteSyncedNames()
    }

    /// Makes the copy in `directory` itself, which may be there already, without anything in it,
    /// for a caller that renames it. What is left when it fails is the caller's to remove.
    package func fill() throws { _ = try copy(to: directory) }

    /// What the folder of an unfinished copy is named, but for a number.
    private static func draftPrefix(_ directory: String) -> String { "\(directory).copying-" }

    /// A folder for what is made on the way to a copy. Unless its lock is held, the next copy to
    /// the same path removes it.
    static func makeDraftPath(of directory: String) -> String {
        draftPrefix(directory) + String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// Removes the unfinished copies to the same path whose makers are gone: a copy that is being
    /// made is locked.
    static func removeAbandoned(of directory: String, in fileSystem: any FileSystem) {
        let parent = StoreDirectory(fileSystem: fileSystem, path: directory).parent
        let folder = directory.lastIndex(of: "/").map { directory[...$0] } ?? ""
        for name in (try? fileSystem.list(parent)) ?? [] {
            let draft = StoreDirectory(fileSystem: fileSystem, path: folder + name)
            guard draft.path.hasPrefix(draftPrefix(directory)) else { continue }
            // One that is in use stays, and so does what cannot be removed.
            try? draft.removeStore()
            // Nothing but the folder was made. Who is about to use it makes it again.
            try? fileSystem.remove(draft.path)
        }
    }

    private func rename(_ draft: String) throws(StorageError) {
        do {
            try fileSystem.rename(draft, to: directory)
        } catch {
            // Another copy may have been quicker.
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
            "There is something at \(directory) already. Remove it, or copy to another path.")
    }

    /// Returns the lock of the copy, which is closed.
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
        // Its history begins here: no version before it has the schema alone.
        try opened.log.append(record, .erasure)
        try opened.log.removeSegmentsBeforeCheckpoint(keepingHistory: false)
        return lock
    }

    /// Told now and then what was written; gives up when cancelled.
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
