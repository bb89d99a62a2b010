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

    /// A copy of `snapshot` in `directory`, which must not exist yet, encrypted when there is a
    /// key. Its files are sealed with a data key of their own.
    package init(
        of snapshot: SnapshotRoot, to fileSystem: any FileSystem, directory: String,
        key: UserKey? = nil, monitor: ReadingMonitor = ReadingMonitor()
    ) {
        self.snapshot = snapshot
        self.fileSystem = fileSystem
        self.directory = directory
        self.key = key
        self.monitor = monitor
    }

    /// Makes the copy; when it fails, what was written of it is removed. O(size of the version).
    /// Blocks on the disk: not for the cooperative pool.
    ///
    /// It is written beside `directory` and gets that name when it is whole: of several copies to
    /// one path none touches another's files, and the first to be ready is there.
    package func write() throws {
        try requireNothingThere()
        let draft = "\(directory).copying-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        do {
            try copy(to: draft)
            try rename(draft)
        } catch {
            removeAll(of: draft)
            throw monitor.isCancelled ? CancellationError() : error
        }
        // It is whole, and perhaps open already: only its name may go with a crash.
        try fileSystem.syncDirectory(
            StoreDirectory(fileSystem: fileSystem, path: directory).parent)
    }

    /// Makes the copy in `directory` itself, which may be there already, without anything in it,
    /// for a caller that renames it. What is left when it fails is the caller's to remove.
    package func fill() throws { try copy(to: directory) }

    private func rename(_ draft: String) throws(StorageError) {
        do {
            try fileSystem.rename(draft, to: directory)
        } catch {
            // Another copy may have been quicker.
            try requireNothingThere()
            throw error
        }
    }

    private func requireNothingThere() throws(StorageError) {
        do {
            _ = try fileSystem.list(directory)
        } catch .fileNotFound {
            return
        }
        throw .invalid(
            "There is something at \(directory) already. Remove it, or copy to another path.")
    }

    private func copy(to draft: String) throws {
        var opening = StoreOpening(fileSystem: fileSystem, directory: draft)
        opening.options.encryptionKey = key
        let opened = try opening.open(account: NodeAccount()) { _ in snapshot.schema }
        defer { try? opened.log.close() }
        // A store without classes has an empty log, and nothing to copy.
        guard !snapshot.schema.classes.isEmpty, let end = opened.log.end else { return }
        let tree = try opened.checkpointer.writeCopy(of: snapshot, pace: pace)
        let record = CheckpointRecord(
            version: opened.version, replayStart: end, root: tree.root, contents: tree.contents)
        try opened.log.append(record, .close)
        try opened.log.removeSegmentsBeforeCheckpoint()
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
