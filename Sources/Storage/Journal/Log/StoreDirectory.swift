/// The directory of a store and the names in it.
///
///     superblock            see `Superblock`
///     superblock.new        the same, while it is being created
///     superblock.removed    in its place while the store is being removed: there is none any more
///     key, key.new          of an encrypted store: see `KeyFile`
///     log/0000000001.log    segments, see `SegmentHeader` and `FrameHeader`
///     log/horizon           see `Horizon`
///     pages/0000000001.pages  tree nodes, see `PageSegmentHeader` and `NodeImage`
///     shared, shared.new    of a realm on a shared log: see `SharedRealmFile`
///     backup                of a backup that others continue: see `BackupManifest`
///     unsynced              empty; names were changed, and may not be durable yet
///     image, image.new     an image of a shared log, while it is read or made
///     reserve, reserve.new  see `SpaceReserve`; reserve-deletion and reserve-checkpoint before
///     writer.lock           advisory lock of the one process that writes, with its number
///     writer.waiting        advisory lock of the first process that waits to write
///
package struct StoreDirectory: Sendable {
    package let fileSystem: any FileSystem
    package let path: String
    /// The cipher of the store's files; nil for a plain store, and until the key was checked.
    var cipher: StoreCipher?
    /// Determined when the folder and the key are read by an opening.
    var repairs = StoreRepairs()

    package init(fileSystem: any FileSystem, path: String) {
        self.fileSystem = fileSystem
        // With a trailing slash the path would be its own parent, and files created beside it would
        // be inside it.
        self.path = path.withoutTrailingSlashes
    }

    package var superblockPath: String { path + "/" + Self.superblockName }
    private var newSuperblockPath: String { superblockPath + ".new" }
    var removedSuperblockPath: String { path + "/" + Self.removedSuperblockName }
    package var logPath: String { path + "/" + Self.logName }
    package var horizonPath: String { path + "/log/horizon" }
    package var pagesPath: String { path + "/" + Self.pagesName }
    package var lockPath: String { path + "/" + Self.lockName }
    var waitingPath: String { path + "/writer.waiting" }
    private var unsyncedPath: String { path + "/" + Self.unsyncedName }

    func path(of segment: SegmentIndex) -> String { logPath + "/" + segment.fileName }

    func makeReserve(_ options: LogOptions) -> SpaceReserve {
        SpaceReserve(
            fileSystem: fileSystem, path: path + "/reserve",
            targetSize: DeletionSpace.reserve(
                classes: 0, bytes: 0, segmentSize: options.pages.segmentSizeMin))
    }

    /// The file whose presence says that there is a store, and the other names in the folder.
    static let superblockName = "superblock"
    static let removedSuperblockName = "superblock.removed"
    private static let logName = "log"
    private static let pagesName = "pages"
    static let folderNames = [logName, pagesName]
    // Without a concatenation, which an initializer would run at the first opening.
    static let mainNames = [superblockName, logName, pagesName]
    static let sideNames = [
        "superblock.new", "key", "key.new", "reserve", "reserve.new", "reserve-deletion",
        "reserve-checkpoint", "writer.waiting", removedSuperblockName, SharedRealmFile.name,
        SharedRealmFile.newName, BackupManifest.name, unsyncedName,
    ]
    /// Folders that hold a temporary store, obsolete after a crash.
    static let imageName = "image"
    static let newImageName = "image.new"
    static let imageNames = [imageName, newImageName]
    private static let lockName = "writer.lock"
    private static let unsyncedName = "unsynced"

    /// The directory that holds the store.
    var parent: String { path.parentPath }

    /// An empty path would resolve to the root of the file system.
    func requirePath() throws(StorageError) {
        if path.isEmpty {
            throw .invalid("The path of a realm is empty. Give the path of a folder.")
        }
    }

    func isOwn(_ name: String) -> Bool {
        Self.mainNames.contains(name) || Self.sideNames.contains(name) || name == Self.lockName
    }

    /// Creates the directory, or checks that the existing one is empty or a store. Hidden files,
    /// such as file managers leave, are ignored. Returns whether its names are marked as unsynced.
    private mutating func prepare(_ options: LogOptions) throws(StorageError) -> Bool {
        try requirePath()
        do throws(StorageError) {
            let names = try fileSystem.list(path)
            guard names.contains(where: isOwn) || names.allSatisfy({ $0.hasPrefix(".") }) else {
                throw hasOtherFiles
            }
            try requireFolders(in: names)
            makeNamesDurable(names, readOnly: options.readOnly)
            repairs.needsPageFolder = !names.contains(Self.pagesName)
            return names.contains(Self.unsyncedName)
        } catch .fileNotFound(let missing) {
            if options.readOnly { throw .fileNotFound(path: missing) }
            if options.known != nil { throw .replaced(path: path) }
            try fileSystem.createDirectory(path)
            return false
        } catch .io(_, _, let number) where number == Platform.notADirectory {
            throw isFile
        }
    }

    /// Syncs the name of a store that was never opened for writing: a crash may have come between
    /// the rename that created it and the sync of the parent. Likewise syncs all names of a store
    /// that a killed process has marked as unsynced. Errors are ignored, since the store can be
    /// read anyway.
    private func makeNamesDurable(_ names: [String], readOnly: Bool) {
        let isUnsynced = names.contains(Self.unsyncedName)
        let isNew = !readOnly && !names.contains(Self.lockName)
        guard names.contains(Self.superblockName), isUnsynced || isNew else { return }
        do throws(StorageError) {
            if isUnsynced { try fileSystem.syncDirectory(path) }
            try fileSystem.syncDirectory(parent)
        } catch {}
    }

    /// As ``makeNamesDurable(_:readOnly:)``, and removes the mark. The caller has the lock: without
    /// it, another process may be about to change a name that the mark is for.
    private func endUnsyncedNames() {
        do throws(StorageError) {
            try fileSystem.syncDirectory(path)
            try fileSystem.syncDirectory(parent)
            noteSyncedNames()
        } catch {}
    }

    /// Marks that the folder, or a file in it, is about to get a name that is not synced at once.
    /// If this process is killed before ``noteSyncedNames()``, the next opening syncs the names.
    func noteUnsyncedNames() throws(StorageError) {
        do throws(StorageError) {
            _ = try fileSystem.open(unsyncedPath, .create)
        } catch {
            throw error.claimingSpace
        }
    }

    /// Removes the mark of ``noteUnsyncedNames()``: all names are durable.
    func noteSyncedNames() { try? fileSystem.remove(unsyncedPath) }

    var isFile: StorageError {
        .notARealm(
            path: path,
            reason: "it is a file, and a realm is a directory. A .realm file is imported into one "
                + "by Realm.importRealmFile(at:into:)")
    }

    var hasOtherFiles: StorageError {
        .notARealm(path: path, reason: "it is a directory with other files in it")
    }

    /// Throws if one of the folders is a symbolic link: the files that it refers to are not the
    /// store's, to write or to remove.
    private func requireFolders(in names: [String]) throws(StorageError) {
        for name in Self.folderNames + Self.imageNames
        where names.contains(name) && fileSystem.isLink(path + "/" + name) {
            throw .notARealm(
                path: path, reason: "\(name) in it is a symbolic link, and has to be a folder")
        }
    }

    /// The directory, which is created if it is missing, and the writer lease as returned by
    /// ``takeLock(_:)``. Another process may remove the directory in between.
    mutating func takeFolder(_ options: LogOptions) throws(StorageError) -> (any FileLock)? {
        var attempts = 0
        while true {
            let isUnsynced = try prepare(options)
            if options.readOnly { return nil }
            do throws(StorageError) {
                let lock = try takeLock(options)
                if isUnsynced, lock != nil { endUnsyncedNames() }
                return lock
            } catch {
                guard case .fileNotFound = error, attempts < Self.attemptsMax else { throw error }
                attempts += 1
            }
        }
    }

    /// How often a directory is created again that other processes have removed.
    private static let attemptsMax = 100

    /// The writer lease; nil if another process holds it and `options` permit to follow that
    /// process.
    func takeLock(_ options: LogOptions) throws(StorageError) -> (any FileLock)? {
        if let lock = try fileSystem.lock(lockPath) { return lock }
        let shared = fileSystem.shared
        guard options.isShared, let shared else {
            throw .alreadyOpen(path: path, process: shared?.lockHolder(lockPath))
        }
        guard options.waitsForLock else { return nil }
        do throws(StorageError) {
            return try LockQueue(shared, self).wait(
                upTo: options.lockTimeout, options.monitor)
        } catch .busy(let process) {
            throw .alreadyOpen(path: path, process: process)
        }
    }

    /// The superblock, or nil when there is none or it was torn in its creation.
    func readSuperblock() throws(StorageError) -> Superblock? {
        let file: any File
        do {
            file = try fileSystem.open(superblockPath, .readOnly)
        } catch .fileNotFound {
            return nil
        }
        switch try SuperblockSlots(file).reading() {
        case .valid(let superblock): return superblock
        case .lost: return nil
        case .unsupported(let format):
            throw .unsupportedFormat(found: format, supported: StoreFormat.version)
        case .foreign:
            throw .notARealm(path: superblockPath, reason: "its superblock is something else")
        }
    }

    /// Durably creates the directories and the superblock. Every step is repeatable: an earlier
    /// attempt may have failed between any two of them. The superblock gets its name when it is
    /// complete: a file that was extended and not written yet may have any contents, and be taken
    /// for the superblock of another store.
    func create(_ superblock: Superblock) throws(StorageError) {
        do {
            try fileSystem.createDirectory(logPath)
            try fileSystem.createDirectory(pagesPath)
            let file = try fileSystem.open(newSuperblockPath, .create)
            let buffer = AlignedBuffer(capacity: 2 * Superblock.slotSize)
            superblock.encode(into: buffer.bytes, cipher: cipher)
            try file.writeZeros(from: 0, to: Superblock.fileSize)
            try file.write(UnsafeRawBufferPointer(buffer.bytes), at: superblock.offset)
            try file.sync()
            // After a crash it may exist again.
            try removeIfPresent(removedSuperblockPath)
            try fileSystem.rename(newSuperblockPath, to: superblockPath)
            try fileSystem.syncDirectory(path)
            try fileSystem.syncDirectory(parent)
        } catch {
            throw error.claimingSpace
        }
    }

    /// Throws if a superblock was not written with the store's key.
    func requireAuthentic(_ superblock: Superblock) throws(StorageError) {
        if superblock.isAuthentic(cipher) { return }
        throw .corrupted(
            segment: superblockPath, offset: 0, reason: "it was not written with the store's key")
    }

    /// Syncs names in the folder after a change that cannot be undone: a failure, also the lack of
    /// a descriptor, must latch.
    func syncChangedNames() throws(StorageError) {
        do throws(StorageError) {
            try fileSystem.syncDirectory(path)
        } catch {
            if error.lacksDescriptors { throw .durabilityLost(cause: error) }
            throw error
        }
    }

    /// The superblock's file for writing.
    func openSuperblock() throws(StorageError) -> any File {
        try fileSystem.open(superblockPath, .readWrite)
    }

    /// Durably writes `superblock` as the newest; the previous generation stays intact. With
    /// `inSteps`, one slot after the other: on a copy-on-write file system, the second can use
    /// the space that the first has freed. Returns whether both copies were written.
    func write(
        _ superblock: Superblock, to file: any File, inSteps: Bool = false
    ) throws(StorageError) -> Bool {
        let buffer = AlignedBuffer(capacity: 2 * Superblock.slotSize)
        superblock.encode(into: buffer.bytes, cipher: cipher)
        let bytes = UnsafeRawBufferPointer(buffer.bytes)
        if inSteps {
            let size = Superblock.slotSize
            try file.write(bytes.slice(0..<size), at: superblock.offset)
            try file.sync()
            // It is the newest from here on, also if there is no space for its second copy.
            do throws(StorageError) {
                try file.write(bytes.slice(size..<2 * size), at: superblock.offset + size)
                try file.sync()
            } catch {
                guard case .outOfSpace = error.claimingSpace else { throw error }
                return false
            }
        } else {
            try file.write(bytes, at: superblock.offset)
            try file.sync()
        }
        return true
    }

    /// Throws if another database was found than the one that `options` require.
    func require(_ database: Bits128, _ options: LogOptions) throws(StorageError) {
        if let known = options.known, known.database != database { throw .replaced(path: path) }
    }

    /// The state that every writer changes before it removes what readers may be reading.
    struct Trace: Hashable {
        fileprivate var superblock: Superblock?
        fileprivate var horizon: Horizon?
    }

    /// The current state, for a reader without the lock to detect a writer.
    func readTrace() throws(StorageError) -> Trace {
        guard let superblock = try readSuperblock() else { return Trace() }
        return Trace(
            superblock: superblock, horizon: try readHorizon(database: superblock.database))
    }

    func readHorizon(database: Bits128) throws(StorageError) -> Horizon? {
        let file: any File
        do {
            file = try fileSystem.open(horizonPath, .readOnly)
        } catch .fileNotFound {
            return nil
        }
        let buffer = AlignedBuffer(capacity: Horizon.size)
        // A read during a write may be torn.
        for _ in 0..<Self.horizonReadingsMax {
            let count = try file.read(into: buffer.bytes, at: 0)
            let bytes = UnsafeRawBufferPointer(buffer.bytes).slice(0..<count)
            if let horizon = Horizon(bytes, database: database) { return horizon }
        }
        return nil
    }

    private static let horizonReadingsMax = 3

    /// Overwrites a horizon that the disk could not read: its whole block, so that the disk need
    /// not read the rest of the block.
    func renewHorizon() {
        let file = try? fileSystem.open(horizonPath, .readWrite)
        try? file?.writeZeros(from: 0, to: DiskBlock.size)
    }

    /// The horizon's file for writing, with its block allocated.
    func openHorizon() throws(StorageError) -> any File {
        do {
            let file = try fileSystem.open(horizonPath, .create)
            if try file.size().length < Horizon.size {
                try file.writeZeros(from: 0, to: Horizon.size)
            }
            return file
        } catch {
            throw error.claimingSpace
        }
    }

    func requireWritable(_ state: Log.State, _ options: LogOptions) throws(StorageError) {
        if state.isClosed { throw .closed(path: path) }
        if let failure = state.failure { throw .durabilityLost(cause: failure) }
        if options.readOnly {
            throw .invalid("'\(path)' is open read-only. Open it for writing.")
        }
        if state.writer == nil {
            throw .busy(process: fileSystem.shared?.lockHolder(lockPath))
        }
        // Before the first write opens the horizon, or removes a manifest, of another store. And
        // before each that is synced, which takes far longer than this: without the file of this
        // lock, another process may have taken the lock of a new one, and write to the same log. A
        // folder that was moved still has the file, and excludes other processes where it is now.
        let isFirst = state.writer?.key == nil || state.horizon == nil
        let isReplaced =
            if isFirst { !state.isInPlace } else {
                options.durability == .fsync && state.lock?.isRemoved == true
            }
        if isReplaced { throw .replaced(path: path) }
        // Before this writer's first write, which makes the backup's manifest invalid.
        if state.writer?.key == nil { try BackupManifest.remove(from: self) }
    }
}
