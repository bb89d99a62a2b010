import Synchronization

/// The log of a store in segment files: the database itself, from which everything else is derived.
///
/// `append` is called by one thread at a time, the store's log thread; the mutex is there so that
/// `sync` and statistics may be called from others.
package final class Log: Journal {
    struct State: Sendable {
        var writer: LogWriter?
        /// Why the log no longer writes.
        var failure: StorageError?
        var horizon: (any File)?
        var lock: (any FileLock)?
        /// Up to where the log was read, while another process writes it.
        var followed: LogEnd?
        var isClosed = false
        var superblock: Superblock
        /// Whether `superblock` is known to be durable. One that was read may be in the system's
        /// cache alone, by a writer whose sync has failed.
        var hasDurableSuperblock = false
        /// In which life of the store the last commit was made, that there is.
        var lastLife: UInt64
    }

    let store: StoreDirectory
    let options: LogOptions
    let state: Mutex<State>
    /// What of the log is kept for those who read its history.
    let retention: LogRetention
    /// What is kept for what makes the store smaller when the disk is full.
    let reserve: SpaceReserve
    /// What opening found.
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

    /// Why the log no longer writes, or nil while it does.
    package var failure: StorageError? { state.withLock { $0.failure } }

    package func append(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group, savesSpace: group.onlyDeletes)
    }

    /// `savesSpace`: the group makes the store smaller, or leads to that, and may do so while the
    /// reserve is spent.
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

    /// Gives up everything that only holds space, for what makes the store smaller.
    ///
    /// In one step for those who append, and the reserve first: who has found it whole would take
    /// what is given up, and nobody makes a spare while it is spent.
    func releaseSpace() {
        state.withLock { state in
            reserve.spend()
            state.writer?.preparer.discardSpare()
        }
    }

    /// Bytes that ``releaseSpace()`` would give up.
    var spaceHeld: Int {
        reserve.size + state.withLock { $0.writer?.preparer.spareSize ?? 0 }
    }

    /// Bytes of the log that no checkpoint covers.
    var bytesToReplay: Int { state.withLock { $0.bytesToReplay } }

    /// Releases the space that is kept for this, and appends the group in segments as small as
    /// possible.
    package func appendSparingly(_ group: CommitGroupBuffer) throws(StorageError) {
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
            // Outside the mutex, so that a relaxed store goes on appending meanwhile. Another
            // thread may be about it, too.
            try pending.file.sync()
        } catch {
            state.withLock { $0.fail(error) }
            throw error
        }
        state.withLock { $0.noteSynced(pending, database, options.durability) }
    }

    /// Whether a sync would do nothing.
    var isSynced: Bool {
        state.withLock { !$0.isClosed && $0.failure == nil && $0.pending == nil }
    }

    /// The segment that replay begins in, nil when that is the first of all.
    var firstNeededSegment: SegmentIndex? {
        state.withLock { $0.superblock.checkpoint?.record.replayStart.segment }
    }

    /// Where opening the store would begin to replay.
    var replayStart: LogPosition {
        state.withLock { $0.superblock.checkpoint?.record.replayStart.position ?? .zero }
    }

    /// Where the log goes on behind `version`, when that is what the newest checkpoint holds.
    func replayStart(of version: Version) -> LogEnd? {
        let record = state.withLock { $0.superblock.checkpoint?.record }
        return record?.version == version ? record?.replayStart : nil
    }

    /// What opens this database again, and no other.
    package var knownDatabase: KnownDatabase {
        KnownDatabase(database: database, cipher: store.cipher)
    }

    package var life: UInt64 { state.withLock { $0.writer?.life ?? 0 } }

    package var lastLife: UInt64 { state.withLock { $0.lastLife } }

    package var end: LogEnd? { state.withLock { $0.writer?.end ?? $0.followed } }

    /// Whether this process has the writer lease.
    package var isWriting: Bool { state.withLock { $0.writer != nil } }

    /// The lock that is the writer lease. It stays taken for who keeps it, also when the log is
    /// closed.
    var lock: (any FileLock)? { state.withLock { $0.lock } }

    /// Refers to a tree that is durable in the page files: with a frame, and then in the
    /// superblock. Afterwards the log before the record's replay start is no longer needed.
    func append(_ record: CheckpointRecord, _ purpose: CheckpointPurpose) throws(StorageError) {
        let (file, superblock) = try state.withLock {
            state throws(StorageError) -> (any File, Superblock) in
            try store.requireWritable(state, options)
            // Before there is a frame, which nothing would refer to for want of a descriptor.
            let file = try store.openSuperblock()
            return (file, try state.write(record, purpose))
        }
        try sync()
        let hasBothCopies: Bool
        do {
            // It is written over the one before the one that is there.
            let (known, isDurable) = state.withLock { ($0.superblock, $0.hasDurableSuperblock) }
            if !isDurable, known.checkpoint != nil {
                _ = try write(known, to: file, isSparing: true)
            }
            hasBothCopies = try write(superblock, to: file)
        } catch {
            // The one before it is whole, and what that refers to is there.
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

    /// Returns whether there are two copies of it. After `.outOfSpace` nothing of it is there. Half
    /// of it would count as the newest.
    private func write(
        _ superblock: Superblock, to file: any File, isSparing: Bool = false
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try store.write(superblock, to: file, isSparing: isSparing)
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            // Where nothing is written in place.
            releaseSpace()
            guard let again = try? store.openSuperblock() else { throw error }
            do throws(StorageError) {
                return try store.write(superblock, to: again, isSparing: true)
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
            guard state.failure == nil else { return }
            // For the horizon to say that the seal is durable: the next opening need not wait for
            // the disk to make sure. Made before anything is written that is not durable yet.
            if state.writer != nil, state.horizon == nil {
                state.horizon = try? store.openHorizon()
            }
            try state.seal()
        }
        if failure == nil { try sync() }
    }

    /// Removes the store instead of closing it, under the lock that it was opened with.
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
            for name in try store.fileSystem.list(folder) {
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
    /// Bytes of the log behind the checkpoint.
    var bytesToReplay: Int {
        let start = superblock.checkpoint?.record.replayStart.position ?? .zero
        return writer?.position.distance(from: start) ?? 0
    }

    /// What is written and not synced.
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
            // In place: a copy for each commit would be felt.
            try writer?.write(group)
        } catch {
            try refuse(error)
        }
        lastLife = writer?.life ?? lastLife
    }

    /// Throws what the writer has met: a refusal left nothing behind, anything else is a failure.
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
            // Replay would leave out what lies between the two trees.
            guard record.version >= known.version else {
                throw .invalid(
                    "A checkpoint of version \(record.version) would take the place of the one of"
                        + " version \(known.version). Nothing was written; reopen the store.")
            }
            // The log before is superfluous, and may be gone.
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
            // A log without a seal is as good as one after a crash.
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

    /// A horizon that can not be written is late, not wrong: this commit stands, the next one
    /// fails.
    mutating func writeHorizon(_ database: Bits128, _ durability: LogDurability) {
        guard let writer, let horizon else { return }
        // A group may be written by now that is not synced yet.
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
