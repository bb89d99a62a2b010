/// The state that replay begins with.
package struct LogBegin: Sendable {
    /// The UUID of the database.
    package let database: Bits128
    /// The checkpoint that replay begins at; nil for the start of the log.
    package let checkpoint: CheckpointRecord?
    /// Whether another process may remove page files that the checkpoint's tree needs.
    package var mayLosePages = false
    /// The cipher of the store's files; nil for a plain store.
    package var cipher: StoreCipher?
}

extension Log {
    /// Opens the log of the store at `directory`, creates the store if there is none, and replays
    /// its commits in order. Memory is bounded by the largest transaction and one segment.
    ///
    /// Commits at the end of the log that are complete but not proven durable are rewritten in
    /// place and synced before this returns, and the horizon is updated; also in a shared store
    /// whose horizon was late. A torn copy of the superblock is rewritten, and segments that a
    /// transaction has allocated and not used are removed. Otherwise opening writes nothing to an
    /// existing store. Blocks on the disk: not for the cooperative pool.
    ///
    /// Throws `.corrupted` when acknowledged bytes are damaged, `.alreadyOpen` when another writer
    /// has the store, `.keyMissing`, `.notEncrypted` or `.wrongKey` when the key does not fit the
    /// store, `.encryptionUnavailable`, `.notARealm`, `.unsupportedFormat`, `.fileNotFound`, errors
    /// of the disk, and errors of `replay`; a `RecordError` of it becomes `.corrupted`.
    ///
    /// `begin` is called before the first commit, with the checkpoint that replay begins at, and
    /// again for each page commit, instead of `replay` for its commits.
    package static func open(
        _ fileSystem: any FileSystem, directory: String, options: LogOptions = LogOptions(),
        begin: (LogBegin) throws -> Void = { _ in }, replay: (CommitView) throws -> Void
    ) throws -> Log {
        var folder = StoreDirectory(fileSystem: fileSystem, path: directory)
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

    /// Reads a store without a writer; one may open it during the call.
    ///
    /// Throws ``BehindWriterError`` if one has.
    private static func openUnlocked(
        _ folder: StoreDirectory, _ body: () throws -> Log
    ) throws -> Log {
        let before = try? folder.readTrace()
        do {
            return try body()
        } catch let error as StorageError {
            switch error {
            case .fileNotFound(let path) where path.hasPrefix(folder.logPath + "/"):
                // The file was listed before. A writer that opens the store removes segments before
                // it changes anything else.
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
        let mayLosePages = options.isShared && options.readOnly
        try begin(
            LogBegin(
                database: database, checkpoint: checkpoint?.record, mayLosePages: mayLosePages,
                cipher: store.cipher))
        // Read before the segments: then it never promises more than they hold, even if a writer is
        // appending.
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
                                database: database, checkpoint: tree, mayLosePages: mayLosePages,
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

    /// The horizon; nil also if the disk cannot read it, which counts as lost: no file is written
    /// more often, so it is the most likely one to be damaged by a power failure. With `mayWrite`,
    /// the caller holds the lock.
    static func readHorizon(
        of store: StoreDirectory, _ database: Bits128, mayWrite: Bool
    ) throws(StorageError) -> Horizon? {
        do throws(StorageError) {
            return try store.readHorizon(database: database)
        } catch .io(.read, _, _) {
            if mayWrite { store.renewHorizon() }
            return nil
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
            // On a copy-on-write file system, overwriting needs space as well.
            reserve.spend()
            report.rewrittenCommitCount = try secure(
                store, list, scanner, from: proven.position, inSteps: true)
        }
        removeClaimed(list, store)
        let end = scanner.end
        let last = list.segments.last?.header.index ?? SegmentIndex(0)
        let preparer = SegmentPreparer(store, options, reserve: reserve, last: last, lock: lock)
        var writer = LogWriter(
            database: database, cipher: store.cipher, options: options, preparer: preparer,
            reserve: reserve, active: nil,
            position: end.position, hash: end.hash, lastVersion: end.lastVersion,
            synced: end.position, syncedHash: end.hash, lastSalt: scanner.lastSalt, key: nil)
        // Nothing is ever appended after a torn end.
        let endsCleanly = scanner.verdict == .cleanEnd || scanner.verdict == .ignoreUnusableSegments
        if endsCleanly, let segment = list.segments.last {
            writer.active = LogWriter.Active(
                file: try store.fileSystem.open(segment.path, .readWrite),
                header: segment.header, size: scanner.lastSegmentLength & ~7)
        }
        var superblock = found.superblock
        superblock.hasBothCopies = store.completeCopies(of: superblock)
        store.complete()
        var state = State(
            writer: writer, failure: nil, horizon: nil, lock: lock, superblock: superblock,
            lastLife: scanner.lastSalt.low)
        // Followers read up to the horizon, which a power failure may have set back behind what the
        // frames prove durable.
        let isLate =
            options.isShared && end.position > .zero && scanner.horizon?.synced != end.position
        if end.position > proven.position || isLate {
            // So that the next opening need not rewrite the end again, and followers read up to
            // here. If the horizon cannot be opened it is late, not wrong: the next commit opens
            // it, or fails.
            state.horizon = try? store.openHorizon()
            state.writeHorizon(database, options.durability)
        }
        return Log(
            store: store, options: options, database: database, report: report, state: state)
    }

    /// Removes segments that a large transaction had allocated and not used before a crash:
    /// otherwise their space would be lost until the log reaches their numbers.
    private static func removeClaimed(_ list: SegmentList, _ store: StoreDirectory) {
        // The first one may have contents.
        for path in list.unusablePaths.dropFirst() { _ = removeIfBlank(path, store) }
    }

    /// Removes a segment that was never written; false if there is none of this name.
    static func removeIfBlank(_ path: String, _ store: StoreDirectory) -> Bool {
        guard let file = try? store.fileSystem.open(path, .readOnly),
            let begin = try? file.bytes(in: 0..<DiskBlock.size), begin.allSatisfy({ $0 == 0 })
        else { return false }
        // A file that cannot be removed is replaced when its number is needed.
        try? store.fileSystem.remove(path)
        return true
    }

    /// Makes frames durable that verify but are not proven durable: after a failed sync the page
    /// cache may show bytes that are not on disk, and another sync would not write them. The same
    /// bytes, including segment headers, are rewritten in place and synced. That is safe at every
    /// instant: where the bytes are on disk already, nothing changes. Then all of it is read and
    /// verified again. Returns the number of these commits.
    private static func secure(
        _ store: StoreDirectory, _ list: SegmentList, _ scanner: LogScanner,
        from proven: LogPosition, inSteps: Bool = false
    ) throws(StorageError) -> Int {
        for (number, segment) in list.segments.enumerated() {
            let next = number + 1 < list.segments.count ? list.segments[number + 1] : nil
            let first = segment.header.firstPosition
            let end = next?.header.firstPosition ?? scanner.end.position
            guard end > proven || first >= proven else { continue }
            let start = proven.distance(from: first).map { SegmentHeader.size + $0 } ?? 0
            let stop = SegmentHeader.size + (end.distance(from: first) ?? 0)
            var range = first >= proven ? 0..<stop : start..<stop
            // A block at a time, so that each can use the space that the one before has freed.
            while inSteps, range.count > DiskBlock.size {
                let end = DiskBlock.end(at: range.lowerBound)
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
