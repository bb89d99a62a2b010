/// Copies the files of a store as they are, while it is in use, into a folder that is a store by
/// itself; what the folder has from the time before is not copied again.
///
/// A whole new folder is made beside the one before, with files of that by another name of theirs,
/// and takes its place at the end: whenever this is cut off, the folder has the state of before. In
/// between two renames it has the name of ``previousPath(of:)``, from which the next backup puts it
/// back.
package struct StoreBackup {
    /// What a backup did.
    package struct Outcome: Sendable, Hashable {
        package var version: Version
        /// Bytes that were copied.
        package var copied = 0
        /// Bytes of the backup that were there from the one before.
        package var kept = 0
        /// Whether there was one before.
        package var isIncremental: Bool
        /// Whether the realm has had another key since.
        package var hasNewKey = false
    }

    private let log: Log
    private let fileSystem: any FileSystem
    private let directory: String
    private let monitor: ReadingMonitor
    private let target: StoreDirectory

    /// A backup of the store that `log` is of to `directory`, where nothing is or what the last one
    /// has left.
    package init(
        of log: Log, to fileSystem: any FileSystem, directory: String,
        monitor: ReadingMonitor = ReadingMonitor()
    ) {
        self.log = log
        self.fileSystem = fileSystem
        self.directory = directory
        self.monitor = monitor
        target = StoreDirectory(fileSystem: fileSystem, path: directory)
    }

    /// Makes it. O(what is new, and the log behind the latest checkpoint). Blocks on the disk: not
    /// for the cooperative pool.
    package func write() throws -> Outcome {
        try target.requirePath()
        do {
            return try makeOrContinue()
        } catch {
            throw monitor.isCancelled ? CancellationError() : error
        }
    }

    private func makeOrContinue() throws(StorageError) -> Outcome {
        StoreCopy.removeAbandoned(of: directory, in: fileSystem)
        guard try isThere() else {
            let source = try PinnedStore.pin(log)
            return try replace(nil, by: source)
        }
        guard let lock = try fileSystem.lock(target.lockPath) else {
            throw .alreadyOpen(
                path: directory, process: fileSystem.shared?.lockHolder(target.lockPath))
        }
        defer { withExtendedLifetime(lock) {} }
        let before = try Former(target, of: log.database)
        try removeFormerLeftover()
        let source = try PinnedStore.pin(log)
        try before.requireBeginning(of: source)
        if before.isSame(as: source) {
            return Outcome(
                version: source.version, kept: source.byteCount, isIncremental: true)
        }
        return try replace(before, by: source)
    }

    // MARK: The folder

    /// What the folder of before is named while another takes its place.
    static func previousPath(of directory: String) -> String { "\(directory).previous" }

    private var previous: StoreDirectory {
        StoreDirectory(fileSystem: fileSystem, path: Self.previousPath(of: directory))
    }

    /// Whether there is anything at the path, where the folder of before is put back that a backup
    /// which was cut off has left under another name.
    private func isThere() throws(StorageError) -> Bool {
        do throws(StorageError) {
            _ = try fileSystem.list(directory)
            return true
        } catch .fileNotFound {}
        guard try previous.holdsStore() else { return false }
        try fileSystem.rename(previous.path, to: directory)
        try fileSystem.syncDirectory(target.parent)
        return true
    }

    /// Removes the folder of before that a backup which was cut off had replaced already.
    private func removeFormerLeftover() throws(StorageError) {
        try previous.removeStore()
        // The folder alone may be left. One with files of others stays.
        try? fileSystem.remove(previous.path)
    }

    private func replace(
        _ before: Former?, by source: PinnedStore
    ) throws(StorageError) -> Outcome {
        let draft = StoreDirectory(
            fileSystem: fileSystem, path: StoreCopy.makeDraftPath(of: directory))
        var outcome = Outcome(version: source.version, isIncremental: before != nil)
        do throws(StorageError) {
            try fileSystem.createDirectory(draft.path)
            // It says that the draft is not abandoned, until it has its name.
            let lock = try fileSystem.lock(draft.lockPath)
            defer { withExtendedLifetime(lock) {} }
            try fill(draft, with: source, before, &outcome)
            guard before != nil else {
                try fileSystem.rename(draft.path, to: directory)
                try fileSystem.syncDirectory(target.parent)
                return outcome
            }
            try fileSystem.rename(directory, to: previous.path)
            try fileSystem.syncDirectory(target.parent)
        } catch {
            try? draft.removeFiles()
            throw error
        }
        // From here on the next backup ends what this one cannot.
        try fileSystem.rename(draft.path, to: directory)
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
        folder.cipher = log.store.cipher
        if let key = source.key {
            let file = try fileSystem.open(folder.keyPath, .create)
            try write(key, to: file)
            outcome.hasNewKey = before.map { $0.key != key } ?? false
        }
        try folder.create(source.superblock)
        for segment in source.log {
            let isKept = try before?.has(segment) ?? false
            try take(
                segment, isKept ? segment.length : 0, to: folder.path(of: segment.index),
                from: target.path(of: segment.index), total: source.byteCount, &outcome)
        }
        for page in source.pages {
            let name = "/" + page.index.fileName
            try take(
                page, try before?.length(of: page) ?? 0, to: folder.pagesPath + name,
                from: target.pagesPath + name, total: source.byteCount, &outcome)
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

    /// Takes a file over, of which the folder of before has the first `known` bytes.
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

    /// False where a file can have one name only: then it is copied.
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
        self.init(
            database: source.superblock.database, end: source.end,
            log: Dictionary(uniqueKeysWithValues: source.log.map { ($0.index, $0.length) }),
            pages: Dictionary(uniqueKeysWithValues: source.pages.map { ($0.index, $0.length) }))
    }
}
