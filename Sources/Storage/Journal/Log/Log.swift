import Synchronization

/// The log of a store in segment files: the database itself, from which everything else is derived.
///
/// `append` is called by one thread at a time, the store's log thread; the mutex is there so that
/// `sync` and statistics may be called from others.
package final class Log: Journal {
    struct State: Sendable {
        var writer: LogWriter?
        /// The latched error that has stopped writing.
        var failure: StorageError?
        var horizon: (any File)?
        var lock: (any FileLock)?
        /// The end of what was read of the log, while another process writes it.
        var followed: LogEnd?
        var isClosed = false
        var superblock: Superblock
        /// Whether `superblock` is known to be durable. One that was read may only be in the page
        /// cache, from a writer whose sync has failed.
        var hasDurableSuperblock = false
        /// The ``Journal/life`` of the last commit.
        var lastLife: UInt64
    }

    let store: StoreDirectory
    let options: LogOptions
    let state: Mutex<State>
    /// Which segments are retained for readers of the history.
    let retention: LogRetention
    /// The space reserved for deletions on a full disk.
    let reserve: SpaceReserve
    /// What recovery found.
    package let report: RecoveryReport
    /// The UUID of the database.
    package let database: Bits128

    init(
        store: StoreDirectory, options: LogOptions, database: Bits128, report: RecoveryReport,
        state: sending State
    ) {
        self.store = store
        self.options = options
        self.database = database
        self.report = report
        reserve = state.writer?.reserve ?? store.makeReserve(options)
        self.state = Mutex(state)
        retention = LogRetention(options.history)
    }

    package var segments: Log? { self }

    /// The latched error that has stopped writing; nil while the log writes.
    package var failure: StorageError? { state.withLock { $0.failure } }

    package func append(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group, savesSpace: group.onlyDeletes)
    }

    /// `savesSpace`: the group frees space, or is a step towards that, and may be appended while
    /// the reserve is spent.
    private func append(
        _ group: CommitGroupBuffer, savesSpace: Bool
    ) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try store.requireWritable(state, options)
            if !savesSpace {
                reserve.noteLog(state.bytesToReplay)
                if !reserve.isWhole { try reserve.refill() }
            }
            try state.write(group, store)
        }
        if options.durability == .fsync { try sync() }
    }

    /// Frees all reserved space, for an operation that makes the store smaller.
    ///
    /// Under the mutex, so that no append that has seen the reserve whole takes the freed space.
    /// The reserve comes first: while it is spent, no spare segment is prepared.
    func releaseSpace() {
        state.withLock { state in
            reserve.spend()
            state.writer?.preparer.discardSpare()
        }
    }

    /// Bytes that ``releaseSpace()`` would free.
    var spaceHeld: Int {
        reserve.size + state.withLock { $0.writer?.preparer.spareSize ?? 0 }
    }

    /// Bytes of the log that no checkpoint covers.
    var bytesToReplay: Int { state.withLock { $0.bytesToReplay } }

    package func appendUsingReserve(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer, _ exclusively: SpaceExclusion
    ) throws(StorageError) {
        try exclusively { () throws(StorageError) in try appendUsingReserve(copy) }
    }

    /// Frees the reserved space, and appends the group in segments as small as possible.
    func appendUsingReserve(_ group: CommitGroupBuffer) throws(StorageError) {
        releaseSpace()
        state.withLock { $0.writer?.savesSpace = true }
        defer { state.withLock { $0.writer?.savesSpace = false } }
        try append(group, savesSpace: true)
    }

    package func sync() throws(StorageError) {
        let pending = try state.withLock { state throws(StorageError) -> Pending? in
            if state.isClosed { throw .closed(path: store.path) }
            if let failure = state.failure { throw .durabilityLost(cause: failure) }
            return state.pending
        }
        guard let pending else { return }
        do {
            // Outside the mutex, so that a relaxed store can append during the sync. Another thread
            // may be syncing as well.
            try pending.file.sync()
        } catch {
            state.withLock { $0.fail(error) }
            throw error
        }
        state.withLock { $0.noteSynced(pending, database, options.durability) }
    }

    /// Whether nothing is left to be synced.
    var isSynced: Bool {
        state.withLock { !$0.isClosed && $0.failure == nil && $0.pending == nil }
    }

    /// The segment that replay begins in; nil without a checkpoint, when it is the first.
    var firstNeededSegment: SegmentIndex? {
        state.withLock { $0.superblock.checkpoint?.record.replayStart.segment }
    }

    /// Where replay would begin if the store were opened now.
    var replayStart: LogPosition {
        state.withLock { $0.superblock.checkpoint?.record.replayStart.position ?? .zero }
    }

    /// Where the log continues after `version`, if that is the version of the newest checkpoint.
    func replayStart(of version: Version) -> LogEnd? {
        let record = state.withLock { $0.superblock.checkpoint?.record }
        return record?.version == version ? record?.replayStart : nil
    }

    /// What is needed to open the same database again, and no other.
    package var knownDatabase: KnownDatabase {
        KnownDatabase(database: database, cipher: store.cipher)
    }

    package var life: UInt64 { state.withLock { $0.writer?.life ?? 0 } }

    package var lastLife: UInt64 { state.withLock { $0.lastLife } }

    package var end: LogEnd? { state.withLock { $0.writer?.end ?? $0.followed } }

    /// Whether this process has the writer lease.
    package var isWriting: Bool { state.withLock { $0.writer != nil } }

    /// The file lock behind the writer lease. A caller that retains it keeps the lease, also when
    /// the log is closed.
    var lock: (any FileLock)? { state.withLock { $0.lock } }

    /// Makes a checkpoint of a tree that is durable in the page files: writes its frame, then the
    /// superblock. Afterwards recovery no longer needs the log before the record's replay start.
    func append(_ record: CheckpointRecord, _ purpose: CheckpointPurpose) throws(StorageError) {
        try requirePlace()
        let (file, superblock) = try state.withLock {
            state throws(StorageError) -> (any File, Superblock) in
            try store.requireWritable(state, options)
            // Before the frame is written: without a descriptor, nothing would refer to it.
            let file = try store.openSuperblock()
            return (file, try state.write(record, purpose))
        }
        try sync()
        let hasBothCopies: Bool
        do {
            // The new superblock overwrites the previous generation, so the current one must be
            // durable first.
            let (known, isDurable) = state.withLock { ($0.superblock, $0.hasDurableSuperblock) }
            if !isDurable, known.checkpoint != nil {
                _ = try write(known, to: file, inSteps: true)
            }
            hasBothCopies = try write(superblock, to: file)
        } catch {
            // The previous superblock is intact, and so is what it refers to.
            if case .outOfSpace = error { throw error }
            state.withLock { $0.fail(error) }
            throw error
        }
        state.withLock { state in
            state.superblock = superblock
            state.superblock.hasBothCopies = hasBothCopies
            state.hasDurableSuperblock = true
        }
    }

    /// Returns whether both copies were written. After `.outOfSpace` neither was: a single one
    /// would count as the newest generation.
    private func write(
        _ superblock: Superblock, to file: any File, inSteps: Bool = false
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try store.write(superblock, to: file, inSteps: inSteps)
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            // On a copy-on-write file system, overwriting needs space as well.
            releaseSpace()
            guard let again = try? store.openSuperblock() else { throw error }
            do throws(StorageError) {
                return try store.write(superblock, to: again, inSteps: true)
            } catch .outOfSpace(let path) {
                if case .outOfSpace = error { throw .outOfSpace(path: path) }
                throw error
            }
        }
    }

    /// Stops writing because of a failure elsewhere in the store.
    package func fail(_ error: StorageError) { state.withLock { $0.fail(error) } }

    package func close() throws(StorageError) {
        defer {
            state.withLock { state in
                state.writer?.preparer.stop()
                state.writer = nil
                state.horizon = nil
                state.lock = nil
                state.isClosed = true
            }
        }
        try state.withLock { state throws(StorageError) in
            if state.isClosed { throw .closed(path: store.path) }
            // Another process may have the lock of a new file, and have written behind this end.
            guard state.failure == nil, state.isInPlace else { return }
            // The horizon will say that the seal is durable, so that the next opening need not
            // rewrite and sync the end of the log. Opened before the seal is written.
            if state.writer != nil, state.horizon == nil {
                state.horizon = try? store.openHorizon()
            }
            try state.seal()
        }
        if failure == nil { try sync() }
    }

    /// Removes the store instead of closing it. The lock is held until that is done.
    func remove() throws(StorageError) {
        let lock = state.withLock { state in
            state.writer?.preparer.stop()
            state.writer = nil
            state.horizon = nil
            state.isClosed = true
            defer { state.lock = nil }
            return state.lock
        }
        defer { withExtendedLifetime(lock) {} }
        try store.removeFiles()
    }

    /// Bytes that the files of log and pages occupy on disk.
    package func allocatedBytes() throws(StorageError) -> Int {
        var total = 0
        for folder in [store.logPath, store.pagesPath] {
            let names: [String]
            do throws(StorageError) {
                names = try store.fileSystem.list(folder)
            } catch .fileNotFound where folder == store.pagesPath {
                // A copy of the store may lack it while it is empty.
                names = []
            }
            for name in names {
                do {
                    let file = try store.fileSystem.open(folder + "/" + name, .readOnly)
                    total += try file.size().allocated
                } catch .fileNotFound {
                    // Removed since it was listed.
                }
            }
        }
        return total
    }
}

extension Log {
    /// Written bytes that a sync of `file` makes durable.
    struct Pending: Sendable {
        var file: SyncedFile
        var position: LogPosition
        var hash: FrameHash
    }
}

extension Log.State {
    /// Bytes of the log after the checkpoint.
    var bytesToReplay: Int {
        let start = superblock.checkpoint?.record.replayStart.position ?? .zero
        return writer?.position.distance(from: start) ?? 0
    }

    /// What was written and not synced.
    var pending: Log.Pending? {
        guard let writer, let active = writer.active, writer.synced < writer.position else {
            return nil
        }
        return Log.Pending(file: active.file, position: writer.position, hash: writer.hash)
    }

    mutating func fail(_ error: StorageError) {
        if failure == nil { failure = error }
    }

    mutating func write(
        _ group: CommitGroupBuffer, _ store: StoreDirectory
    ) throws(StorageError) {
        guard !group.isEmpty else { return }
        if horizon == nil { horizon = try store.openHorizon() }
        do throws(StorageError) {
            // `writer?.write` mutates in place: copying the writer for each commit would be slow.
            try writer?.write(group)
        } catch {
            try refuse(error)
        }
        lastLife = writer?.life ?? lastLife
    }

    /// Throws an error of the writer. After a shortage nothing was written; anything else latches.
    private mutating func refuse(_ error: StorageError) throws(StorageError) -> Never {
        if !error.isShortage { fail(error) }
        throw error
    }

    /// Writes a checkpoint's frame; returns the superblock that refers to it.
    mutating func write(
        _ record: CheckpointRecord, _ purpose: CheckpointPurpose
    ) throws(StorageError) -> Superblock {
        var record = record
        if let known = superblock.checkpoint?.record,
            known.replayStart.position >= record.replayStart.position
        {
            // Replay would skip the commits between the two trees.
            guard record.version >= known.version else {
                throw .invalid(
                    "A checkpoint of version \(record.version) would take the place of the one of"
                        + " version \(known.version). Nothing was written; reopen the store.")
            }
            // The log before it is obsolete, and may have been removed.
            record.replayStart = known.replayStart
        }
        do throws(StorageError) {
            var superblock = superblock
            superblock.checkpoint = try writer?.writeCheckpoint(record, purpose)
            superblock.generation += 1
            return superblock
        } catch {
            try refuse(error)
        }
    }

    mutating func seal() throws(StorageError) {
        do throws(StorageError) {
            try writer?.writeSeal(CommitGroupBuffer(capacity: 1 << 10))
        } catch {
            // A log without a seal is opened like one after a crash.
            if case .outOfSpace = error { return }
            fail(error)
            throw error
        }
    }

    mutating func noteSynced(
        _ pending: Log.Pending, _ database: Bits128, _ durability: LogDurability
    ) {
        guard let synced = writer?.synced, synced < pending.position else { return }
        writer?.synced = pending.position
        writer?.syncedHash = pending.hash
        writeHorizon(database, durability)
    }

    /// A horizon that cannot be written is late, not wrong: this commit is durable, and the next
    /// one fails.
    mutating func writeHorizon(_ database: Bits128, _ durability: LogDurability) {
        guard let writer, let horizon else { return }
        // By now another group may have been written that is not synced yet.
        let content = Horizon(
            visible: durability == .fsync ? writer.synced : writer.position,
            synced: writer.synced, syncedHash: writer.syncedHash)
        do throws(StorageError) {
            // Unsafe: `encode` writes all of it before it is read.
            try withUnsafeTemporaryAllocation(byteCount: Horizon.size, alignment: 8) {
                bytes throws(StorageError) in
                content.encode(into: bytes, database: database)
                try horizon.write(UnsafeRawBufferPointer(bytes), at: 0)
            }
        } catch {
            if case .outOfSpace = error.claimingSpace { return }
            fail(error)
        }
    }
}
