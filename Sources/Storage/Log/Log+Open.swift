extension Log {
    /// Opens the log of the store at `directory`, makes the store when there is none, and replays
    /// its commits in order. Memory is bounded by the largest transaction and one segment.
    ///
    /// A log that ends in commits which are complete but not proven durable has them written again
    /// in place and synced before this returns. Otherwise opening writes nothing to an existing
    /// store. Blocks on the disk: not for the cooperative pool.
    ///
    /// Throws `.corrupted` when acknowledged bytes are damaged, `.alreadyOpen` when another writer
    /// has the store, `.notARealm`, `.unsupportedFormat`, `.fileNotFound`, what the disk reports,
    /// and whatever `replay` throws; a `RecordError` of it becomes `.corrupted`.
    package static func open(
        _ fileSystem: any FileSystem, directory: String, options: LogOptions = LogOptions(),
        replay: (CommitView) throws -> Void
    ) throws -> Log {
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        try store.prepare(readOnly: options.readOnly)
        let lock = options.readOnly ? nil : try store.takeLock()
        let (database, list, isNew) = try identify(store, options)
        // Before the segments are read: the horizon is late, so it never promises more than they
        // hold, not even beside a writer.
        let horizon = try store.readHorizon(database: database)
        var scanner = LogScanner(
            fileSystem: fileSystem, list: list, database: database, horizon: horizon)
        var replayError: (any Error)?
        do {
            try scanner.scan { group throws(StorageError) in
                var records = GroupRecords(group.payload)
                do {
                    while let record = try records.next() {
                        do {
                            try replay(record)
                        } catch let error as RecordError {
                            throw StorageError.corrupted(
                                segment: group.segmentPath, offset: group.offset(of: record),
                                reason: "commit \(record.version): \(error.reason)")
                        }
                    }
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

    /// Which database this is. Makes a store that does not exist or never came to hold anything,
    /// and remakes a lost superblock from the segments.
    private static func identify(
        _ store: StoreDirectory, _ options: LogOptions
    ) throws(StorageError) -> (Bits128, SegmentList, isNew: Bool) {
        let superblock = try store.readSuperblock()
        let list = try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: superblock?.database)
        if let superblock {
            // Without a segment nothing was ever acknowledged, and an earlier attempt to make the
            // store may have failed half-way.
            if list.segments.isEmpty, !options.readOnly { try store.create(superblock) }
            return (superblock.database, list, false)
        }
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
        let proven = try scanner.provenBoundary()
        report.rewrittenCommitCount = try secure(store, list, scanner, from: proven.position)
        let end = scanner.end
        let last = list.segments.last?.header.index ?? SegmentIndex(0)
        let preparer = SegmentPreparer(
            fileSystem: store.fileSystem, directory: store.logPath, last: last,
            inBackground: options.preparesInBackground)
        var writer = LogWriter(
            database: database, options: options, preparer: preparer, active: nil,
            position: end.position, hash: end.hash, lastVersion: end.lastVersion,
            synced: end.position, syncedHash: end.hash, key: nil)
        // Nothing is ever appended behind a cut.
        let endsCleanly = scanner.verdict == .cleanEnd || scanner.verdict == .ignoreUnusableSegments
        if endsCleanly, let segment = list.segments.last {
            writer.active = LogWriter.Active(
                file: try store.fileSystem.open(segment.path, .readWrite),
                index: segment.header.index, firstPosition: segment.header.firstPosition,
                size: scanner.lastSegmentLength & ~7)
        }
        return Log(
            store: store, options: options, database: database, report: report,
            state: State(writer: writer, failure: nil, horizon: nil, lock: lock))
    }

    /// Makes durable what verifies but is not proven to be: after a failed sync the cache shows
    /// bytes that are on no disk, and a sync alone would not write them. The same bytes are written
    /// again in place, headers of segments included, and synced. That loses nothing at any instant:
    /// where the bytes are on the disk already, writing them again changes nothing. Then all of it
    /// is read and verified once more. Returns the number of commits in it.
    private static func secure(
        _ store: StoreDirectory, _ list: SegmentList, _ scanner: LogScanner,
        from proven: LogPosition
    ) throws(StorageError) -> Int {
        for (number, segment) in list.segments.enumerated() {
            let next = number + 1 < list.segments.count ? list.segments[number + 1] : nil
            let first = segment.header.firstPosition
            let end = next?.header.firstPosition ?? scanner.end.position
            guard end > proven || first >= proven else { continue }
            let start = proven.distance(from: first).map { SegmentHeader.size + $0 } ?? 0
            let stop = SegmentHeader.size + (end.distance(from: first) ?? 0)
            try rewrite(segment.path, first >= proven ? 0..<stop : start..<stop, store)
        }
        guard scanner.end.position > proven else { return 0 }
        var count = 0
        var again = LogScanner(
            fileSystem: store.fileSystem, list: list, database: scanner.database, horizon: nil)
        try again.scan { group throws(StorageError) in
            if group.end > proven { count += group.recordCount }
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
