/// What a log begins with when it is opened.
package struct LogBegin: Sendable {
    /// The UUID of the database.
    package let database: Bits128
    /// The checkpoint that replay begins at, nil for the begin of the log.
    package let checkpoint: CheckpointRecord?
    /// Whether another process may remove what the checkpoint's tree needs.
    package var isOthers = false
    /// What the store's files are sealed with; nil for a plain store.
    package var cipher: StoreCipher?
}

extension Log {
    /// Opens the log of the store at `directory`, makes the store when there is none, and replays
    /// its commits in order. Memory is bounded by the largest transaction and one segment.
    ///
    /// A log that ends in commits which are complete but not proven durable has them written again
    /// in place and synced before this returns, and the horizon says so, as it does where others
    /// follow and it was late. A copy of the superblock that a crash has kept half of is written
    /// anew, and segments go that a transaction has claimed for nothing. Otherwise opening writes
    /// nothing to an existing store. Blocks on the disk: not for the cooperative pool.
    ///
    /// Throws `.corrupted` when acknowledged bytes are damaged, `.alreadyOpen` when another writer
    /// has the store, `.keyMissing`, `.notEncrypted` or `.wrongKey` when the key does not fit the
    /// store, `.encryptionUnavailable`, `.notARealm`, `.unsupportedFormat`, `.fileNotFound`, what
    /// the disk reports, and whatever `replay` throws; a `RecordError` of it becomes `.corrupted`.
    ///
    /// `begin` is called before the first commit, with the checkpoint that replay begins at, and
    /// again for each group whose tree the page files have, instead of `replay` for its commits.
    package static func open(
        _ fileSystem: any FileSystem, directory: String, options: LogOptions = LogOptions(),
        begin: (LogBegin) throws -> Void = { _ in }, replay: (CommitView) throws -> Void
    ) throws -> Log {
        let folder = StoreDirectory(fileSystem: fileSystem, path: directory)
        let lock = try folder.takeFolder(options)
        if lock == nil, try folder.isWritten(options) {
            return try openBehindWriter(folder, options, begin, replay)
        }
        if lock == nil, options.isShared {
            return try openUnlocked(folder) {
                try openAlone(folder, nil, options, begin, replay)
            }
        }
        return try openAlone(folder, lock, options, begin, replay)
    }

    /// Reads a store that nobody writes; a writer may come meanwhile.
    ///
    /// Throws ``BehindWriterError`` where one has.
    private static func openUnlocked(
        _ folder: StoreDirectory, _ body: () throws -> Log
    ) throws -> Log {
        let before = try? folder.readTrace()
        do {
            return try body()
        } catch let error as StorageError {
            switch error {
            case .fileNotFound(let path) where path.hasPrefix(folder.logPath + "/"):
                // It was listed. A writer that opens the store removes segments before it changes
                // anything else.
                throw BehindWriterError(cause: error)
            case .corrupted, .fileNotFound:
                if before == (try? folder.readTrace()) { throw error }
                throw BehindWriterError(cause: error)
            default: throw error
            }
        }
    }

    private static func openAlone(
        _ folder: StoreDirectory, _ lock: (any FileLock)?, _ options: LogOptions,
        _ begin: (LogBegin) throws -> Void, _ replay: (CommitView) throws -> Void
    ) throws -> Log {
        let found = try identify(folder, options)
        let store = found.store
        let (database, list) = (found.superblock.database, found.list)
        let checkpoint = found.superblock.checkpoint
        let isOthers = options.isShared && options.readOnly
        try begin(
            LogBegin(
                database: database, checkpoint: checkpoint?.record, isOthers: isOthers,
                cipher: store.cipher))
        // Before the segments are read: the horizon is late, so it never promises more than they
        // hold, not even beside a writer.
        let horizon = try readHorizon(of: store, database, mayWrite: !options.readOnly)
        var scanner = LogScanner(
            fileSystem: store.fileSystem, list: list, database: database, horizon: horizon,
            from: checkpoint?.record, cipher: store.cipher)
        if let checkpoint { scanner.prove(checkpoint.end(found.superblock.algorithm)) }
        var replayError: (any Error)?
        do {
            try scanner.scan { group throws(StorageError) in
                do {
                    if let tree = try group.tree() {
                        return try begin(
                            LogBegin(
                                database: database, checkpoint: tree, isOthers: isOthers,
                                cipher: store.cipher))
                    }
                    try group.replay(replay)
                } catch {
                    replayError = error
                    throw .invalid("replay has failed")
                }
            }
        } catch {
            throw replayError ?? error
        }
        var report = scanner.report
        report.isNew = found.isNew
        guard !options.readOnly else {
            let state = State(
                writer: nil, failure: nil, horizon: nil, lock: nil,
                followed: scanner.logEnd, superblock: found.superblock,
                lastLife: scanner.lastSalt.low)
            return Log(
                store: store, options: options, database: database, report: report, state: state)
        }
        return try openForWriting(options, found, scanner, lock, report)
    }

    /// The horizon; nil also where the disk cannot read it, which counts as lost: it is what is
    /// most often being written when the power fails. The caller has the lock if it `mayWrite`.
    private static func readHorizon(
        of store: StoreDirectory, _ database: Bits128, mayWrite: Bool
    ) throws(StorageError) -> Horizon? {
        do throws(StorageError) {
            return try store.readHorizon(database: database)
        } catch .io(.read, _, _) {
            if mayWrite { store.renewHorizon() }
            return nil
        }
    }

    /// What is known before the log is read.
    struct Identity {
        /// Its folder, and what its files are sealed with.
        var store: StoreDirectory
        var superblock: Superblock
        var list: SegmentList
        var isNew = false
    }

    /// Which database this is. Makes a store that does not exist or never came to hold anything,
    /// and remakes a lost superblock from the segments.
    static func identify(
        _ store: StoreDirectory, _ options: LogOptions
    ) throws(StorageError) -> Identity {
        var store = store
        store.cipher = store.cipher ?? options.known?.cipher
        let readable = try store.readSuperblock()
        if readable == nil, try store.isBeingRemoved() {
            if options.known != nil { throw .replaced(path: store.path) }
            if options.readOnly { throw .fileNotFound(path: store.superblockPath) }
            try store.finishRemoval()
        }
        if let superblock = readable {
            try store.require(superblock.database, options)
            try store.unlock(superblock.database, superblock.algorithm, options.encryptionKey)
            try store.requireAuthentic(superblock)
            let first = superblock.checkpoint?.record.replayStart.segment ?? .first
            let list = try segments(of: store, superblock.database, first: first)
            // Without a segment nothing was ever acknowledged, and an earlier attempt to make the
            // store may have failed half-way.
            if list.segments.isEmpty, superblock.checkpoint == nil, !options.readOnly {
                try store.create(superblock)
            }
            let isThere = list.segments.first?.header.index == first
            if isThere || list.segments.isEmpty && list.breakReason == nil {
                return Identity(store: store, superblock: superblock, list: list)
            }
            // The newer of the two generations is lost, and this one refers to what is gone.
        }
        let list = try segments(of: store, readable?.database, first: nil)
        if let header = list.segments.first?.header {
            let database = header.database
            try store.require(database, options)
            try store.unlock(database, header.algorithm, options.encryptionKey)
            var superblock = Superblock(database: database, algorithm: header.algorithm)
            superblock.generation = (readable?.generation ?? 0) + 1
            superblock.checkpoint = try findCheckpoint(store, list)
            let first = superblock.checkpoint?.record.replayStart.segment ?? .first
            let needed = try segments(of: store, database, first: first)
            if !options.readOnly { try store.create(superblock) }
            return Identity(store: store, superblock: superblock, list: needed)
        }
        if let reason = list.breakReason {
            throw .corrupted(segment: store.logPath, offset: 0, reason: reason)
        }
        if options.known != nil { throw .replaced(path: store.path) }
        try requireNoPages(of: store)
        if options.readOnly { throw .fileNotFound(path: store.superblockPath) }
        if !options.makesStore, try !store.holdsStore() {
            throw .fileNotFound(path: store.superblockPath)
        }
        var superblock = Superblock(database: .random())
        if let user = options.encryptionKey {
            superblock.algorithm = .aes256GCM
            store.cipher = try store.makeCipher(user, database: superblock.database)
        }
        try store.create(superblock)
        return Identity(store: store, superblock: superblock, list: list, isNew: true)
    }

    /// Throws where page files are all that is left of a store: a new one would remove them. None
    /// is made before the superblock is there, and a removal that was cut off says what it is.
    private static func requireNoPages(of store: StoreDirectory) throws(StorageError) {
        let names: [String]
        do throws(StorageError) {
            names = try store.fileSystem.list(store.pagesPath)
        } catch .fileNotFound {
            return
        }
        guard names.contains(where: { PageIndex(fileName: $0) != nil }) else { return }
        throw .corrupted(
            segment: store.superblockPath, offset: 0,
            reason: "neither the superblock nor the log is left of the store with these page files")
    }

    private static func segments(
        of store: StoreDirectory, _ database: Bits128?, first: SegmentIndex?
    ) throws(StorageError) -> SegmentList {
        try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: database, first: first)
    }

    /// The newest checkpoint that a frame of the log refers to and whose tree is there. That was
    /// durable before the frame was written; it has gone again where there was no space for the
    /// superblock to refer to it.
    private static func findCheckpoint(
        _ store: StoreDirectory, _ list: SegmentList
    ) throws(StorageError) -> Superblock.Checkpoint? {
        guard let first = list.segments.first, let database = list.database else { return nil }
        var scanner = LogScanner(
            fileSystem: store.fileSystem, list: list, database: database, horizon: nil,
            cipher: store.cipher)
        try scanner.scan { _ in }
        for checkpoint in scanner.checkpoints.reversed() {
            if try holdsTree(of: checkpoint.record, store, database) { return checkpoint }
        }
        if first.header.index == .first { return nil }
        throw .corrupted(
            segment: store.logPath, offset: 0,
            reason: "the superblock is lost, and the log no longer begins with segment 1")
    }

    /// Whether the page files have the root of a checkpoint's tree, and what describes that: the
    /// last that was written of it.
    private static func holdsTree(
        of record: CheckpointRecord, _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Bool {
        let pages = PageStore(
            fileSystem: store.fileSystem, directory: store.pagesPath, database: database,
            cipher: store.cipher)
        let account = NodeAccount()
        defer { withExtendedLifetime(account) {} }
        do throws(StorageError) {
            for place in [record.contents, record.root] {
                try pages.load(place, account: .passUnretained(account)).release()
            }
            return true
        } catch .corrupted {
            return false
        }
    }

    static func openForWriting(
        _ options: LogOptions, _ found: Identity, _ scanner: LogScanner,
        _ lock: (any FileLock)?, _ report: RecoveryReport, _ reserve: SpaceReserve? = nil
    ) throws(StorageError) -> Log {
        var report = report
        let store = found.store
        let (list, database) = (found.list, found.superblock.database)
        let proven = try scanner.provenBoundary()
        let reserve = reserve ?? store.makeReserve(options)
        do throws(StorageError) {
            report.rewrittenCommitCount = try secure(store, list, scanner, from: proven.position)
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            // Where nothing is written in place.
            reserve.spend()
            report.rewrittenCommitCount = try secure(
                store, list, scanner, from: proven.position, isSparing: true)
        }
        removeClaimed(list, store)
        let end = scanner.end
        let last = list.segments.last?.header.index ?? SegmentIndex(0)
        let preparer = SegmentPreparer(
            fileSystem: store.fileSystem, directory: store.logPath, reserve: reserve, last: last,
            inBackground: options.preparesInBackground)
        var writer = LogWriter(
            database: database, cipher: store.cipher, options: options, preparer: preparer,
            reserve: reserve, active: nil,
            position: end.position, hash: end.hash, lastVersion: end.lastVersion,
            synced: end.position, syncedHash: end.hash, lastSalt: scanner.lastSalt, key: nil)
        // Nothing is ever appended behind a cut.
        let endsCleanly = scanner.verdict == .cleanEnd || scanner.verdict == .ignoreUnusableSegments
        if endsCleanly, let segment = list.segments.last {
            writer.active = LogWriter.Active(
                file: try store.fileSystem.open(segment.path, .readWrite),
                header: segment.header, size: scanner.lastSegmentLength & ~7)
        }
        var superblock = found.superblock
        superblock.hasBothCopies = store.completeCopies(of: superblock)
        var state = State(
            writer: writer, failure: nil, horizon: nil, lock: lock, superblock: superblock,
            lastLife: scanner.lastSalt.low)
        // Who opens the store behind this process reads as far as the horizon says. What proves the
        // log may be later than what a loss of power has left of that.
        let isLate =
            options.isShared && end.position > .zero && scanner.horizon?.synced != end.position
        if end.position > proven.position || isLate {
            // The next opening need not make sure again, and who follows reads up to here. Where it
            // cannot be opened it is late, not wrong: the next commit opens it, or fails.
            state.horizon = try? store.openHorizon()
            state.writeHorizon(database, options.durability)
        }
        return Log(
            store: store, options: options, database: database, report: report, state: state)
    }

    /// Removes the segments that a large transaction had claimed and not come to when a crash cut
    /// it off: their space would be missing until the log has come to their numbers.
    private static func removeClaimed(_ list: SegmentList, _ store: StoreDirectory) {
        // Something may have been written to the first.
        for path in list.unusablePaths.dropFirst() { _ = removeIfBlank(path, store) }
    }

    /// Removes a segment to which nothing was written; false when there is none of this name.
    static func removeIfBlank(_ path: String, _ store: StoreDirectory) -> Bool {
        guard let file = try? store.fileSystem.open(path, .readOnly),
            let begin = try? file.bytes(in: 0..<4096), begin.allSatisfy({ $0 == 0 })
        else { return false }
        // What cannot be removed is made anew when its number is needed.
        try? store.fileSystem.remove(path)
        return true
    }

    /// Makes durable what verifies but is not proven to be: after a failed sync the cache shows
    /// bytes that are on no disk, and a sync alone would not write them. The same bytes are written
    /// again in place, headers of segments included, and synced. That loses nothing at any instant:
    /// where the bytes are on the disk already, writing them again changes nothing. Then all of it
    /// is read and verified once more. Returns the number of commits in it.
    private static func secure(
        _ store: StoreDirectory, _ list: SegmentList, _ scanner: LogScanner,
        from proven: LogPosition, isSparing: Bool = false
    ) throws(StorageError) -> Int {
        for (number, segment) in list.segments.enumerated() {
            let next = number + 1 < list.segments.count ? list.segments[number + 1] : nil
            let first = segment.header.firstPosition
            let end = next?.header.firstPosition ?? scanner.end.position
            guard end > proven || first >= proven else { continue }
            let start = proven.distance(from: first).map { SegmentHeader.size + $0 } ?? 0
            let stop = SegmentHeader.size + (end.distance(from: first) ?? 0)
            var range = first >= proven ? 0..<stop : start..<stop
            // A block at a time: each takes the space that the one before has given back.
            while isSparing, range.count > 4096 {
                let end = (range.lowerBound & ~4095) + 4096
                try rewrite(segment.path, range.lowerBound..<end, store)
                range = end..<range.upperBound
            }
            try rewrite(segment.path, range, store)
        }
        guard scanner.end.position > proven else { return 0 }
        var count = 0
        var again = LogScanner(
            fileSystem: store.fileSystem, list: list, database: scanner.database, horizon: nil,
            from: scanner.origin, cipher: store.cipher)
        try again.scan { group throws(StorageError) in
            guard group.end.position > proven else { return }
            try group.forEachCommit { _ in count += 1 }
        }
        guard again.end == scanner.end else {
            throw .corrupted(
                segment: store.logPath, offset: 0, reason: "its end changed while it was opened")
        }
        return count
    }

    private static func rewrite(
        _ path: String, _ range: Range<Int>, _ store: StoreDirectory
    ) throws(StorageError) {
        let file = try store.fileSystem.open(path, .readWrite)
        let buffer = AlignedBuffer(capacity: range.count)
        let count = try file.read(into: buffer.bytes.slice(0..<range.count), at: range.lowerBound)
        try file.write(
            UnsafeRawBufferPointer(buffer.bytes).slice(0..<count), at: range.lowerBound)
        try file.sync()
    }
}
