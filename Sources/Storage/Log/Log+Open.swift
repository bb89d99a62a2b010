extension Log {
    /// Opens the log of the store at `directory`, makes the store when there is none, and replays its
    /// commits in order. Memory is bounded by the largest transaction and one segment.
    ///
    /// A log that ends in commits which are complete but not proven durable is continued in a new
    /// segment, which repeats them and is synced, before this returns. Otherwise opening writes
    /// nothing to an existing store. Blocks on the disk: not for the cooperative pool.
    ///
    /// Throws `.corrupted` when acknowledged bytes are damaged, `.alreadyOpen` when another writer has
    /// the store, `.notARealm`, `.unsupportedFormat`, `.fileNotFound`, what the disk reports, and
    /// whatever `replay` throws.
    package static func open(
        _ fileSystem: any FileSystem, directory: String, options: LogOptions = LogOptions(),
        replay: (CommitView) throws -> Void
    ) throws -> Log {
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        try store.prepare(readOnly: options.readOnly)
        let lock = options.readOnly ? nil : try store.takeLock()
        let (database, list, isNew) = try identify(store, options)
        // Before the segments are read: the horizon is late, so it never promises more than they hold,
        // not even beside a writer.
        let horizon = try store.readHorizon(database: database)
        var scanner = LogScanner(
            fileSystem: fileSystem, list: list, database: database, horizon: horizon)
        var replayError: (any Error)?
        do {
            try scanner.scan { group throws(StorageError) in
                var records = GroupRecords(group.payload)
                do {
                    while let record = try records.next() { try replay(record) }
                } catch {
                    replayError = error
                    throw .invalid("replay has failed")
                }
            }
        } catch {
            throw replayError ?? error
        }
        var report = scanner.report
        report.isNew = isNew
        guard !options.readOnly else {
            let state = State(writer: nil, failure: nil, horizon: nil, lock: nil)
            return Log(
                store: store, options: options, database: database, report: report, state: state)
        }
        return try openForWriting(store, options, database, scanner, list, lock, report)
    }

    /// Which database this is. Makes a store that does not exist or never came to hold anything, and
    /// remakes a lost superblock from the segments.
    private static func identify(
        _ store: StoreDirectory, _ options: LogOptions
    ) throws(StorageError) -> (Bits128, SegmentList, isNew: Bool) {
        let superblock = try store.readSuperblock()
        let list = try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: superblock?.database)
        if let superblock { return (superblock.database, list, false) }
        if let database = list.database {
            if !options.readOnly { try store.create(Superblock(database: database)) }
            return (database, list, false)
        }
        if let reason = list.breakReason {
            throw .corrupted(segment: store.logPath, offset: 0, reason: reason)
        }
        if options.readOnly { throw .fileNotFound(path: store.superblockPath) }
        let database = Bits128.random()
        try store.create(Superblock(database: database))
        return (database, list, true)
    }

    private static func openForWriting(
        _ store: StoreDirectory, _ options: LogOptions, _ database: Bits128,
        _ scanner: LogScanner, _ list: SegmentList, _ lock: (any FileLock)?,
        _ report: RecoveryReport
    ) throws(StorageError) -> Log {
        var report = report
        let boundary = try scanner.provenBoundary()
        let last = list.segments.last?.header.index ?? SegmentIndex(0)
        let preparer = SegmentPreparer(
            fileSystem: store.fileSystem, directory: store.logPath, last: last,
            inBackground: options.preparesInBackground)
        var writer = LogWriter(
            database: database, options: options, preparer: preparer, active: nil,
            position: boundary.position, hash: boundary.hash, lastVersion: boundary.lastVersion,
            synced: boundary.position, syncedHash: boundary.hash, key: nil)
        let isWhole = scanner.end.position == boundary.position
        let endsCleanly = scanner.verdict == .cleanEnd || scanner.verdict == .ignoreUnusableSegments
        if isWhole, endsCleanly, let segment = list.segments.last {
            writer.active = LogWriter.Active(
                file: try store.fileSystem.open(segment.path, .readWrite),
                index: segment.header.index, firstPosition: segment.header.firstPosition,
                size: scanner.lastSegmentLength & ~7)
        }
        var state = State(writer: writer, failure: nil, horizon: nil, lock: lock)
        // Frames that verify but are not proven durable never stay where they are.
        if !isWhole {
            report.reframedCommitCount = try reframe(
                &state, store, database, list, from: boundary.position)
        }
        return Log(
            store: store, options: options, database: database, report: report, state: state)
    }

    /// Writes the commits behind `cut` again into new segments and syncs them. Reads them again from
    /// the old ones, with every check.
    private static func reframe(
        _ state: inout State, _ store: StoreDirectory, _ database: Bits128, _ list: SegmentList,
        from cut: LogPosition
    ) throws(StorageError) -> Int {
        var count = 0
        let buffer = CommitGroupBuffer()
        var scanner = LogScanner(
            fileSystem: store.fileSystem, list: list, database: database, horizon: nil)
        var writing = state
        try scanner.scan { group throws(StorageError) in
            guard group.end > cut else { return }
            buffer.take(group)
            count += group.recordCount
            try writing.write(buffer, store)
        }
        if let pending = writing.pending {
            try pending.file.sync()
            writing.noteSynced(pending, database)
        }
        state = writing
        return count
    }
}
