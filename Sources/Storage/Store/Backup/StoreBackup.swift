/// Makes an incremental backup: copies the files of a store, while it is in use, to a folder that
/// is itself a store. What the previous backup already has is not copied.
///
/// A new folder is created beside the previous one, with hard links to its unchanged files, and
/// replaces it at the end: after an interruption, the folder has the previous state. Between two
/// renames it has the name of ``previousPath(of:)``, from which the next backup restores it.
package struct StoreBackup {
    /// The outcome of a backup.
    package struct Outcome: Sendable, Hashable {
        package var version: Version
        /// Bytes that were copied.
        package var copied = 0
        /// Bytes that the previous backup had already.
        package var kept = 0
        /// Whether there was a previous backup.
        package var isIncremental: Bool
        /// Whether the key was changed since the previous backup.
        package var hasNewKey = false
    }

    private let log: Log
    private let checkpointer: Checkpointer?
    private let fileSystem: any FileSystem
    private let directory: String
    private let monitor: ReadingMonitor
    private let target: StoreDirectory

    /// A backup of the store of `log` to `directory`, which does not exist, or has the previous
    /// backup.
    ///
    /// `checkpointer`: that of this process; nil if it may not write.
    package init(
        of log: Log, _ checkpointer: Checkpointer?, to fileSystem: any FileSystem,
        directory: String, monitor: ReadingMonitor = ReadingMonitor()
    ) {
        self.log = log
        self.checkpointer = checkpointer
        self.fileSystem = fileSystem
        // With a trailing slash, files created beside the folder would be inside it.
        self.directory = directory.withoutTrailingSlashes
        self.monitor = monitor
        target = StoreDirectory(fileSystem: fileSystem, path: self.directory)
    }

    /// Makes the backup. O(new bytes, and the log after the latest checkpoint). Blocks on the disk:
    /// not for the cooperative pool.
    package func write() throws -> Outcome {
        try target.requirePath()
        try log.store.requireOutside(directory)
        do {
            return try makeOrContinue()
        } catch {
            throw monitor.isCancelled ? CancellationError() : error
        }
    }

    private func makeOrContinue() throws(StorageError) -> Outcome {
        StoreCopy.removeAbandoned(of: directory, in: fileSystem)
        guard try exists() else {
            let source = try PinnedStore.pin(log, checkpointer)
            return try replace(nil, by: source)
        }
        // A lock creates a file, and a folder that is no backup has to stay as it is.
        try Former.requireStore(target)
        let lock = try lock(target)
        defer { withExtendedLifetime(lock) {} }
        let before = try Former(target, of: log.database)
        try removeFormerLeftover()
        let source = try PinnedStore.pin(log, checkpointer)
        try before.requireBeginning(of: source)
        if before.isSame(as: source) {
            // The previous backup may have ended in a crash before its name was durable.
            try fileSystem.syncDirectory(target.parent)
            return Outcome(
                version: source.version, kept: source.byteCount, isIncremental: true)
        }
        return try replace(before, by: source)
    }

    // MARK: The folder

    /// The name of the previous folder while it is replaced.
    static func previousPath(of directory: String) -> String {
        SiblingPath.make(directory, ".previous")
    }

    private var previous: StoreDirectory {
        StoreDirectory(fileSystem: fileSystem, path: Self.previousPath(of: directory))
    }

    /// Whether there is anything at the path. First restores the previous folder that an
    /// interrupted backup has left under its other name.
    private func exists() throws(StorageError) -> Bool {
        do throws(StorageError) {
            _ = try fileSystem.list(directory)
            return true
        } catch .fileNotFound {}
        guard try previous.holdsStore() else { return false }
        // A concurrent backup may be between its two renames.
        let lock = try lock(previous)
        defer { withExtendedLifetime(lock) {} }
        try fileSystem.rename(previous.path, to: directory)
        try fileSystem.syncDirectory(target.parent)
        return true
    }

    /// The lock of a folder that a backup continues, under either of its names.
    private func lock(_ folder: StoreDirectory) throws(StorageError) -> any FileLock {
        if let lock = try fileSystem.lock(folder.lockPath) { return lock }
        throw .alreadyOpen(
            path: directory, process: fileSystem.shared?.lockHolder(folder.lockPath))
    }

    /// Removes the previous folder that an interrupted backup had replaced already. Other files in
    /// it stay, under a name that no backup uses, since a folder with files cannot be replaced by a
    /// rename.
    private func removeFormerLeftover() throws(StorageError) {
        try previous.removeStore()
        // Only the folder may be left.
        try? fileSystem.remove(previous.path)
        do throws(StorageError) {
            if try fileSystem.list(previous.path).isEmpty { return }
        } catch .fileNotFound {
            return
        }
        let number = String(UInt64.random(in: 0 ... .max), radix: 16)
        try fileSystem.rename(previous.path, to: "\(previous.path)-\(number)")
        try fileSystem.syncDirectory(target.parent)
    }

    /// How often it recreates a draft that another process has removed as abandoned.
    private static let attemptsMax = 100

    /// An empty folder with its lock, which marks it as in use. Until the lock is held, another
    /// backup may remove the folder.
    private func makeDraft() throws(StorageError) -> (StoreDirectory, any FileLock) {
        var attempts = 0
        while true {
            attempts += 1
            let draft = StoreDirectory(
                fileSystem: fileSystem, path: StoreCopy.makeDraftPath(of: directory))
            try fileSystem.createDirectory(draft.path)
            do throws(StorageError) {
                if let lock = try fileSystem.lock(draft.lockPath) { return (draft, lock) }
            } catch {
                guard case .fileNotFound = error, attempts < Self.attemptsMax else { throw error }
            }
        }
    }

    private func replace(
        _ before: Former?, by source: PinnedStore
    ) throws(StorageError) -> Outcome {
        let (draft, lock) = try makeDraft()
        // Held until the draft is renamed.
        defer { withExtendedLifetime(lock) {} }
        var outcome = Outcome(version: source.version, isIncremental: before != nil)
        do throws(StorageError) {
            try fill(draft, with: source, before, &outcome)
            guard before != nil else {
                try fileSystem.rename(draft.path, to: directory)
                try fileSystem.syncDirectory(target.parent)
                return outcome
            }
            try fileSystem.rename(directory, to: previous.path)
        } catch {
            try? draft.removeFiles()
            // The realm and the previous backup are unchanged.
            throw error.claimingSpace
        }
        do throws(StorageError) {
            try fileSystem.syncDirectory(target.parent)
            try fileSystem.rename(draft.path, to: directory)
        } catch {
            // If this fails, the next backup restores the folder, as after a crash here.
            try? fileSystem.rename(previous.path, to: directory)
            try? draft.removeFiles()
            throw error.claimingSpace
        }
        try fileSystem.syncDirectory(target.parent)
        try? previous.removeFiles()
        return outcome
    }

    // MARK: The files

    private func fill(
        _ folder: StoreDirectory, with source: PinnedStore, _ before: Former?,
        _ outcome: inout Outcome
    ) throws(StorageError) {
        var folder = folder
        var source = source
        let total = source.byteCount
        folder.cipher = log.store.cipher
        if let key = source.key {
            let file = try fileSystem.open(folder.keyPath, .create)
            try write(key, to: file)
            outcome.hasNewKey = before?.wholeKey.map { $0 != key } ?? false
        }
        try folder.create(source.superblock)
        try takeLog(of: &source, to: folder, before, total: total, &outcome)
        for page in source.pages {
            let name = "/" + page.index.fileName
            try take(
                try source.open(page), before?.length(of: page) ?? 0, to: folder.pagesPath + name,
                from: target.pagesPath + name, total: total, &outcome)
        }
        if source.end.position > .zero {
            let horizon = Horizon(
                visible: source.end.position, synced: source.end.position,
                syncedHash: source.end.hash)
            let buffer = AlignedBuffer(capacity: Horizon.size)
            horizon.encode(into: buffer.bytes, database: source.superblock.database)
            try write(Array(buffer.bytes), to: try fileSystem.open(folder.horizonPath, .create))
        }
        try BackupManifest(of: source).write(to: folder)
        for path in [folder.logPath, folder.pagesPath, folder.path] {
            try fileSystem.syncDirectory(path)
        }
    }

    /// Copies or links the log, and the remaining history.
    private func takeLog(
        of source: inout PinnedStore, to folder: StoreDirectory, _ before: Former?, total: Int,
        _ outcome: inout Outcome
    ) throws(StorageError) {
        for segment in source.log {
            try take(segment, to: folder, before, total: total, &outcome)
        }
        // From the newest on, since the oldest are removed first: the copied ones are contiguous.
        for past in source.history.reversed() {
            guard let segment = try source.open(past) else {
                return source.dropHistory(through: past.header.index)
            }
            try take(segment, to: folder, before, total: total, &outcome)
        }
    }

    private func take(
        _ segment: PinnedStore.Pinned<SegmentIndex>, to folder: StoreDirectory,
        _ before: Former?, total: Int, _ outcome: inout Outcome
    ) throws(StorageError) {
        let isKept = try before?.has(segment) ?? false
        try take(
            segment, isKept ? segment.length : 0, to: folder.path(of: segment.index),
            from: target.path(of: segment.index), total: total, &outcome)
    }

    /// Copies or links a file; the previous backup has its first `known` bytes.
    private func take<Index>(
        _ pinned: PinnedStore.Pinned<Index>, _ known: Int, to path: String, from former: String,
        total: Int, _ outcome: inout Outcome
    ) throws(StorageError) {
        var start = 0
        if known > 0, try link(former, to: path) {
            start = known
            outcome.kept += known
        }
        guard start < pinned.length else { return }
        let file = try fileSystem.open(path, .create)
        var copied = outcome.copied
        let kept = outcome.kept
        try file.copy(start..<pinned.length, of: pinned.file, at: pinned.path) {
            (count) throws(StorageError) in
            if monitor.isCancelled { throw .invalid("The backup was cancelled.") }
            copied += count
            monitor.report(min(Double(copied + kept) / Double(max(total, 1)), 0.99))
        }
        outcome.copied = copied
        try file.sync()
    }

    /// False if the file system has no hard links: then the file is copied.
    private func link(_ path: String, to newPath: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try fileSystem.link(path, to: newPath)
            return true
        } catch .io(.link, _, let number) where Platform.cannotLink(number) {
            return false
        }
    }

    private func write(_ bytes: [UInt8], to file: any File) throws(StorageError) {
        let buffer = AlignedBuffer(capacity: bytes.count)
        buffer.bytes.copyBytes(from: bytes)
        try file.write(UnsafeRawBufferPointer(buffer.bytes).slice(0..<bytes.count), at: 0)
        try file.sync()
    }
}

extension BackupManifest {
    fileprivate init(of source: PinnedStore) {
        let history = source.history.map { ($0.header.index, $0.length) }
        let log = history + source.log.map { ($0.index, $0.length) }
        self.init(
            database: source.superblock.database, end: source.end,
            log: Dictionary(uniqueKeysWithValues: log),
            pages: Dictionary(uniqueKeysWithValues: source.pages.map { ($0.index, $0.length) }))
    }
}
