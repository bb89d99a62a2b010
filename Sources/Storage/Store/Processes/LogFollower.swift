/// Follows a log that other processes write: applies and publishes their commits.
///
/// Used by one thread, while the engine's own process does not write.
final class LogFollower {
    /// How often it restarts after the writer has removed what it was reading.
    private static let attemptsMax = 16
    /// How much log is applied before it switches to a newer checkpoint, to bound the memory of
    /// changed nodes, and the disk space of older page files.
    static let replayedMaxByDefault = 4 << 20

    private let engine: TransactionEngine
    private let log: Log
    private let checkpointer: Checkpointer
    private var tail: LogTail
    /// The position of the tree that commits were applied to since.
    private var start: LogPosition
    private let replayedMax: Int
    /// Whether page files that the tree needs could not be opened. Other processes may remove them.
    private var lacksPages = false

    init(
        _ engine: TransactionEngine, _ log: Log, _ checkpointer: Checkpointer,
        replayedMax: Int = replayedMaxByDefault
    ) {
        self.engine = engine
        self.log = log
        self.checkpointer = checkpointer
        self.replayedMax = replayedMax
        tail = LogTail(
            log.store, database: log.database, from: engine.publisher.latest.end)
        start = tail.next.position
    }

    /// The position of the next frame.
    var position: LogPosition { tail.next.position }

    /// The segment of the next frame.
    var segment: SegmentIndex { tail.next.segment }

    /// Applies and publishes the commits that have become visible. Blocks on the disk.
    func follow() throws(StorageError) {
        if lacksPages { try openPages() }
        let known = try log.store.readHorizon(database: log.database)
        let synced = known?.synced ?? .zero
        // A process that requires durability sees only durable commits, in whatever mode the writer
        // is; others see what was written.
        let limit = log.options.durability == .written ? LogPosition(.max) : synced
        if tail.next.position < limit { try catchUp(to: limit, atLeast: synced) }
        // A relaxed store shows commits before they are durable: after a crash the log may continue
        // without some of them.
        if let known, known.synced == tail.next.position, known.syncedHash != tail.next.hash {
            try jump(to: nil)
        }
        let replayed = tail.next.position.distance(from: start) ?? 0
        if replayed > replayedMax, let newer = try newerCheckpoint() { try jump(to: newer) }
    }

    /// Whether following can be retried after an error: a lack of descriptors changes nothing,
    /// unless a node could not be read, nor does a horizon that cannot be read. Each sync of the
    /// writer overwrites the horizon, and the next writer does without it.
    func isTransient(_ error: StorageError) -> Bool {
        if engine.tree.account.failure != nil { return false }
        if case .io(_, let path, _) = error, path == log.store.horizonPath { return true }
        return error.lacksDescriptors
    }

    /// Switches to the newest checkpoint, if it is another one, and closes files that only the
    /// previous tree needs: removed files keep their space while they are open.
    ///
    /// Throws if the store was removed or replaced. Any other error changes nothing, and is
    /// ignored.
    func renew() throws(StorageError) {
        do throws(StorageError) {
            if let newer = try newerCheckpoint() { try? jump(to: newer) }
        } catch {
            if error == .replaced(path: log.store.path) { throw error }
        }
        checkpointer.closeRetired(engine.tree.account)
    }

    /// Becomes the writer: makes the log durable, applies all of it, and switches to the newest
    /// checkpoint, because its accounting of the page files must be continued.
    ///
    /// Not in a store that has failed: the log may have a commit of unknown outcome that the tree
    /// lacks.
    func takeOver(_ lock: any FileLock) throws(StorageError) {
        if let failure = engine.failure { throw .durabilityLost(cause: failure) }
        // The parts of an incomplete transaction may have been revoked since.
        tail = makeTail()
        do throws(StorageError) {
            try follow()
        } catch .io(.read, let path, _) where path == log.store.horizonPath {
            // As in an opening, that counts as lost: the log itself has all that is needed.
        }
        // No checkpoint may be written with an outdated accounting of the page files.
        try checkpointer.exclusively { () throws(StorageError) in
            try log.takeOver(lock, &tail, engine.tip)
            engine.beginLife(log.life)
            do throws(StorageError) {
                if let end = log.end { try catchUp(to: end) }
                if let newer = try newerCheckpoint() { try jump(to: newer) }
            } catch {
                // Without descriptors, the lease is released unused, before anything is written
                // with an outdated state.
                if isTransient(error), (try? log.releaseLease()) != nil {
                    rollBack()
                } else {
                    log.fail(error)
                }
                throw error
            }
        }
        checkpointer.pages.mayReopen(true)
        engine.noteTakeOver()
    }

    /// Releases the writer lease. The caller ensures that no body runs and no group is in progress.
    func releaseLease() throws(StorageError) {
        // Also after an error: the commits of this process are in its tree.
        defer {
            engine.tree.allowUnusedKeys()
            tail = makeTail()
            start = tail.next.position
        }
        try checkpointer.exclusively { () throws(StorageError) in
            // From here on another process may remove the page files.
            checkpointer.pages.mayReopen(false)
            // After a failure, they are opened before they are needed.
            lacksPages = (try? checkpointer.openAll(engine.tree.account)) == nil
            checkpointer.endLease()
            checkpointer.closeUninstalled(engine.tree.account)
            try log.releaseLease()
        }
    }

    /// Opens the files that could not be opened when the lease was released, or switches to a tree
    /// whose files still exist.
    private func openPages() throws(StorageError) {
        do {
            try checkpointer.openAll(engine.tree.account)
        } catch .corrupted {
            try jump(to: nil)
        }
        lacksPages = false
    }

    /// Applies the rest of the log; this process is its writer now.
    private func catchUp(to end: LogEnd) throws(StorageError) {
        try catchUp(to: end.position, atLeast: end.position)
        // As in ``follow()``.
        if !isAt(end) { try jump(to: nil) }
        if isAt(end) { return }
        throw .corrupted(
            segment: log.store.logPath, offset: 0,
            reason: "its end is not the one that its writer records")
    }

    private func isAt(_ end: LogEnd) -> Bool {
        tail.next.position == end.position && tail.next.hash == end.hash
    }

    /// The durable position: everything before it must exist.
    private func horizon() throws(StorageError) -> LogPosition {
        try log.store.readHorizon(database: log.database)?.synced ?? .zero
    }

    // MARK: Applying

    private func catchUp(
        to limit: LogPosition, atLeast known: LogPosition
    ) throws(StorageError) {
        do throws(StorageError) {
            let begin = tail.next.position
            try read(upTo: limit)
            if tail.next.position == begin, begin > tail.resumption.position {
                // A transaction whose first parts were read may have been revoked since.
                tail = makeTail()
                try read(upTo: limit)
            }
            if tail.next.position >= known { return }
        } catch {
            rollBack()
            guard case .corrupted = error, engine.tree.account.failure == nil else { throw error }
        }
        // A durable frame is missing: a checkpoint has made its segment obsolete.
        try jump(to: nil)
    }

    private func read(upTo limit: LogPosition) throws(StorageError) {
        try tail.read(upTo: limit) { (group) throws(StorageError) in try publish(group) }
    }

    /// Rolls the tree and the reader back to the published version: a group that could not be
    /// applied counts as read, and would be skipped.
    private func rollBack() {
        engine.rollBackFollowed()
        tail = makeTail()
    }

    /// A reader that begins after the published version.
    private func makeTail() -> LogTail {
        LogTail(log.store, database: log.database, from: engine.publisher.latest.end)
    }

    private func publish(_ group: LogGroup) throws(StorageError) {
        guard let tree = try group.tree() else { return try engine.apply(group) }
        let commits = try engine.loggedCommits(of: group)
        let adopted = try resume(from: tree, extending: engine.tree.schema)
        let root = adopted.root
        install(adopted)
        engine.publishFollowed(
            root, commits.map { CommitChanges($0, groupRoot: root) }, end: group.end)
    }

    /// A tree in the page files that this process switches to, with the accounting of these files.
    private struct Adopted {
        let root: SnapshotRoot
        let contents: Checkpointer.Contents
        let start: LogPosition
    }

    /// Switches to a tree in the page files, see ``TransactionEngine/resume(from:extending:)``.
    private func resume(
        from record: CheckpointRecord, extending known: StoreSchema?
    ) throws(StorageError) -> Adopted {
        let account = engine.tree.account
        let (root, described) = try StoreOpening.load(record, from: checkpointer.pages, account)
        let contents = Checkpointer.Contents(record, described)
        try checkpointer.pages.openAll(contents.segments.values)
        try engine.resume(from: root, extending: known)
        return Adopted(root: root, contents: contents, start: record.replayStart.position)
    }

    /// Switches to the empty tree before the first commit, if the store has no checkpoint.
    private func resumeFromEmpty() -> Adopted {
        let tree = engine.tree
        let empty = WorkingTree(schema: StoreSchema(), account: tree.account)
        let root = empty.capture(version: .zero)
        tree.reset(toFollowed: root)
        return Adopted(root: root, contents: Checkpointer.Contents(), start: .zero)
    }

    /// Installs the accounting of the page files for a tree that is about to be published: with
    /// that of another tree, the next checkpoint would treat needed nodes as unused.
    private func install(_ adopted: Adopted) {
        checkpointer.adopt(
            adopted.contents, capturedAt: adopted.root.capture, account: engine.tree.account)
        start = adopted.start
    }

    // MARK: Checkpoints

    /// The newest checkpoint, unless the store was replaced.
    private func newestCheckpoint() throws(StorageError) -> CheckpointRecord? {
        guard let superblock = try log.store.readSuperblock() else {
            if try log.store.hasNoSuperblock() { throw .replaced(path: log.store.path) }
            return nil
        }
        if superblock.database != log.database { throw .replaced(path: log.store.path) }
        try log.store.requireAuthentic(superblock)
        return superblock.checkpoint?.record
    }

    /// The newest checkpoint, if this tree did not begin with it.
    private func newerCheckpoint() throws(StorageError) -> CheckpointRecord? {
        guard let record = try newestCheckpoint() else { return nil }
        let contents = checkpointer.contents
        let isNewer = record.version >= contents.version && record.contents != contents.contents
        return isNewer ? record : nil
    }

    /// Switches to a checkpoint, by default the newest one, and publishes the difference to the
    /// previous version as one change.
    private func jump(to known: CheckpointRecord?) throws(StorageError) {
        let before = engine.latest
        var record = known
        var attempts = 0
        while true {
            attempts += 1
            do throws(StorageError) {
                let newest = try newestCheckpoint()
                return try rebuild(from: record ?? newest, beyond: before)
            } catch {
                guard case .corrupted = error, attempts < Self.attemptsMax,
                    engine.tree.account.failure == nil
                else {
                    rollBack()
                    throw error
                }
                // The writer may have removed the files that were to be read.
                Platform.pause(for: .milliseconds(attempts))
            }
            record = nil
        }
    }

    /// Applies the log after a checkpoint to its tree; without one, all of the log.
    private func rebuild(
        from record: CheckpointRecord?, beyond before: SnapshotRoot
    ) throws(StorageError) {
        // A writer knows the end itself, and its horizon may be unreadable.
        let known = try log.isWriting ? log.end?.position ?? .zero : horizon()
        let limit = log.isWriting ? known : max(known, tail.resumption.position)
        var version = record?.version ?? .zero
        // A checkpoint of an older version may lack what a later commit has added to the schema.
        let schema: StoreSchema? = version < before.version ? nil : before.schema
        var adopted =
            try record.map { record throws(StorageError) in
                try resume(from: record, extending: schema)
            } ?? resumeFromEmpty()
        tail = LogTail(log.store, database: log.database, from: record?.replayStart)
        try tail.read(upTo: limit) { (group) throws(StorageError) in
            if let tree = try group.tree() {
                adopted = try resume(from: tree, extending: engine.tree.schema)
                version = tree.version
            } else {
                try engine.applyRecords(of: group) { record, _ in version = record.version }
            }
        }
        // The published version may be larger because of commits that were lost before they were
        // durable.
        let isLost = tail.commitEnd.life != before.life
        guard tail.next.position >= limit, version >= before.version || isLost else {
            throw .corrupted(
                segment: log.store.logPath, offset: 0,
                reason: "the log does not continue where it was read to")
        }
        guard engine.tree.schema.extends(before.schema) else {
            throw .migrated(path: log.store.path)
        }
        let root = engine.tree.capture(version: version, life: tail.commitEnd.life)
        let isSame = version == before.version && root.life == before.life
        let changes = isSame ? [] : [CommitChanges(from: before, to: root)]
        install(adopted)
        engine.publishFollowed(root, changes, end: tail.commitEnd)
    }
}
