import Synchronization

/// The two roles of a process in a shared store: the writer of the log, or a follower.
extension Log {
    /// Opens the log while another process writes it: replays what is visible, and writes nothing.
    ///
    /// Throws ``BehindWriterError`` for errors that the writer may have caused.
    static func openBehindWriter(
        _ store: StoreDirectory, _ options: LogOptions, _ begin: (LogBegin) throws -> Void,
        _ replay: (CommitView) throws -> Void
    ) throws -> Log {
        do {
            return try replayBehindWriter(store, options, begin, replay)
        } catch let error as StorageError {
            switch error {
            case .corrupted, .fileNotFound: throw BehindWriterError(cause: error)
            default: throw error
            }
        }
    }

    private static func replayBehindWriter(
        _ store: StoreDirectory, _ options: LogOptions, _ begin: (LogBegin) throws -> Void,
        _ replay: (CommitView) throws -> Void
    ) throws -> Log {
        var reading = options
        reading.readOnly = true
        let found = try identify(store, reading)
        let store = found.store
        let database = found.superblock.database
        let checkpoint = found.superblock.checkpoint
        try begin(
            LogBegin(
                database: database, checkpoint: checkpoint?.record, mayLosePages: true,
                cipher: store.cipher))
        let known = max(
            try store.readHorizon(database: database)?.synced ?? .zero,
            checkpoint?.record.replayStart.position ?? .zero)
        var tail = LogTail(store, database: database, from: checkpoint?.record.replayStart)
        var report = RecoveryReport()
        report.lastVersion = checkpoint?.record.version ?? .zero
        var replayError: (any Error)?
        do {
            let limit = options.durability == .written ? LogPosition(.max) : known
            try tail.read(upTo: limit) { group throws(StorageError) in
                do {
                    if let tree = try group.tree() {
                        try begin(
                            LogBegin(
                                database: database, checkpoint: tree, mayLosePages: true,
                                cipher: store.cipher))
                        report.lastVersion = tree.version
                    } else {
                        try group.replay { commit in
                            try replay(commit)
                            report.commitCount += 1
                            report.lastVersion = commit.version
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
        guard tail.next.position >= known else {
            throw StorageError.corrupted(
                segment: store.logPath, offset: 0,
                reason: "it ends before the end that the horizon records")
        }
        let state = State(
            writer: nil, failure: nil, horizon: nil, lock: nil, followed: tail.commitEnd,
            superblock: found.superblock, lastLife: tail.commitEnd.life)
        return Log(
            store: store, options: options, database: database, report: report, state: state)
    }

    /// Becomes the writer of the log, which was read up to `tail` and `version`. Afterwards
    /// everything in it is durable.
    ///
    /// If the previous writer released the lock, its horizon says that. If it was killed, this does
    /// the same as recovery: truncates a torn group, and rewrites and syncs commits that are
    /// complete but not proven durable.
    func takeOver(
        _ lock: any FileLock, _ tail: inout LogTail, _ version: Version
    ) throws(StorageError) {
        // The previous writer may have spent the reserve.
        reserve.forget()
        let horizon = try Self.readHorizon(of: store, database, mayWrite: true)
        let isProven =
            horizon.map {
                $0.synced == tail.next.position && $0.syncedHash == tail.next.hash
            } ?? (tail.next.position == .zero)
        let superblock = try store.readSuperblock()
        if let superblock {
            if superblock.database != database { throw .replaced(path: store.path) }
            try store.requireAuthentic(superblock)
        }
        if isProven, let superblock, try tail.isAtCleanEnd() {
            let hasBothCopies = store.completeCopies(of: superblock)
            let end = tail.next
            removeClaimed(behind: end.segment)
            let preparer = SegmentPreparer(
                store, options, reserve: reserve, last: end.segment, lock: lock)
            var writer = LogWriter(
                database: database, cipher: store.cipher, options: options, preparer: preparer,
                reserve: reserve, active: try tail.activeSegment(), position: end.position,
                hash: end.hash, lastVersion: version, synced: end.position,
                syncedHash: end.hash, lastSalt: tail.commitEnd.salt, key: nil)
            writer.preparesAhead = false
            let made = writer
            state.withLock { state in
                state.superblock = superblock
                state.superblock.hasBothCopies = hasBothCopies
                state.hasDurableSuperblock = false
                state.writer = made
                state.lock = lock
                state.followed = nil
            }
            return
        }
        try recover(lock)
    }

    /// As in an opening: the previous writer may have been killed. The next segment is created anew
    /// in any case.
    private func removeClaimed(behind last: SegmentIndex) {
        var index = last.next.next
        while Self.removeIfBlank(store.path(of: index), store) { index = index.next }
    }

    private func recover(_ lock: any FileLock) throws(StorageError) {
        var options = options
        options.known = knownDatabase
        let found = try Self.identify(store, options)
        let horizon = try Self.readHorizon(of: store, database, mayWrite: true)
        let checkpoint = found.superblock.checkpoint
        var scanner = LogScanner(
            fileSystem: store.fileSystem, list: found.list, database: database, horizon: horizon,
            from: checkpoint?.record, cipher: store.cipher)
        if let checkpoint { scanner.prove(checkpoint.end(found.superblock.algorithm)) }
        try scanner.scan { _ in }
        let recovered = try Self.openForWriting(
            options, found, scanner, lock, scanner.report, reserve)
        var made = recovered.state.withLock { $0 }
        made.writer?.preparesAhead = false
        let state = made
        self.state.withLock { $0 = state }
    }

    /// Releases the writer lease. Everything that was written is made durable first. The caller
    /// ensures that there is no write.
    func releaseLease() throws(StorageError) {
        var failure: StorageError?
        if self.failure == nil {
            do throws(StorageError) { try sync() } catch { failure = error }
        }
        let lock = state.withLock { state -> (any FileLock)? in
            guard let writer = state.writer else { return nil }
            writer.preparer.stop()
            // The next writer may spend the reserve.
            reserve.forget()
            state.followed = writer.end
            if state.horizon == nil, writer.key != nil, state.isInPlace {
                // This process has written no group, so the horizon was not opened yet; it is
                // needed for the next writer.
                state.horizon = try? store.openHorizon()
                state.writeHorizon(database, options.durability)
            }
            state.writer = nil
            state.horizon = nil
            defer { state.lock = nil }
            return state.lock
        }
        withExtendedLifetime(lock) {}
        if let failure { throw failure }
    }

    /// Records how far the log was read.
    func noteFollowed(_ end: LogEnd) { state.withLock { $0.followed = end } }
}

extension StoreDirectory {
    /// Whether another process holds the writer lease, and may be writing.
    func isWritten(_ options: LogOptions) throws(StorageError) -> Bool {
        if !options.isShared { return false }
        if !options.readOnly { return true }
        guard let files = fileSystem.shared else { return false }
        return try files.isLocked(lockPath)
    }
}

extension LogScanner {
    /// The end of what was read of the log.
    var logEnd: LogEnd {
        LogEnd(
            position: end.position, hash: end.hash, salt: reader.key?.salt ?? .zero,
            segment: list.segments.last?.header.index ?? SegmentIndex(0))
    }
}
