/// Keeps the versions of an engine up with a log that other processes write.
///
/// Used by one thread, while the engine's own process does not write.
final class LogFollower {
    /// How often it begins anew where the writer has removed what it was reading.
    private static let attemptsMax = 16
    /// How much log is applied before it goes on from a newer checkpoint, so that what was changed
    /// does not fill the memory, and older page files do not fill the disk.
    static let replayedMaxByDefault = 4 << 20

    private let engine: TransactionEngine
    private let log: Log
    private let checkpointer: Checkpointer
    private var tail: LogTail
    /// Where the tree begins that commits were applied to since.
    private var start: LogPosition
    private let replayedMax: Int
    /// Whether page files that the tree needs could not be opened, which others may remove.
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

    /// Where it reads on.
    var position: LogPosition { tail.next.position }

    /// The segment that it reads.
    var segment: SegmentIndex { tail.next.segment }

    /// Applies and publishes what has become visible. Blocks on the disk.
    func follow() throws(StorageError) {
        if lacksPages { try openPages() }
        let known = try log.store.readHorizon(database: log.database)
        let synced = known?.synced ?? .zero
        // A process that asks for durability sees nothing that is not, whatever the writer is
        // content with; who does not sees what is written.
        let limit = log.options.durability == .written ? LogPosition(.max) : synced
        if tail.next.position < limit { try catchUp(to: limit, atLeast: synced) }
        // A relaxed store shows commits before they are durable, and the log goes on without some.
        if let known, known.synced == tail.next.position, known.syncedHash != tail.next.hash {
            try jump(to: nil)
        }
        let replayed = tail.next.position.distance(from: start) ?? 0
        if replayed > replayedMax, let newer = try newerCheckpoint() { try jump(to: newer) }
    }

    /// Whether following may go on after an error: a want of descriptors has left everything as it
    /// was, unless a node could not be read.
    func mayPass(_ error: StorageError) -> Bool {
        error.lacksDescriptors && engine.tree.account.failure == nil
    }

    /// Goes on from the newest checkpoint, if that is another one, and closes what only the tree
    /// before has needed: files that the writer has removed keep their space for as long as they
    /// are open. What fails leaves everything as it was, and is met again if it matters.
    func renew() {
        if let newer = try? newerCheckpoint() { try? jump(to: newer) }
        checkpointer.closeRetired(engine.tree.account)
    }

    /// Becomes the writer: applies all that is in the log, durably, and goes on from the newest
    /// checkpoint, whose account of the page files is the one to go on with.
    ///
    /// Not in a store that has failed: a commit whose outcome is unknown may be in the log, and is
    /// not in the tree.
    func takeOver(_ lock: any FileLock) throws(StorageError) {
        if let failure = engine.failure { throw .durabilityLost(cause: failure) }
        // The parts of a transaction that is not whole may have been taken back since.
        tail = makeTail()
        try follow()
        // No checkpoint is written by an account of the page files that others have gone beyond.
        try checkpointer.exclusively { () throws(StorageError) in
            try log.takeOver(lock, &tail, engine.tip)
            engine.beginLife(log.life)
            do throws(StorageError) {
                if let end = log.end { try catchUp(to: end) }
                if let newer = try newerCheckpoint() { try jump(to: newer) }
            } catch {
                // For want of a descriptor the lease is given up as it was taken, before anything
                // is written by what this process knows.
                if mayPass(error), (try? log.releaseLease()) != nil {
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

    /// Lets others write. The caller sees to it that no body runs and no group is under way.
    func releaseLease() throws(StorageError) {
        // Whatever fails: the commits of this process are in its tree.
        defer {
            engine.tree.forgetUnusedKeys()
            tail = makeTail()
            start = tail.next.position
        }
        try checkpointer.exclusively { () throws(StorageError) in
            // From here on another process may remove them.
            checkpointer.pages.mayReopen(false)
            // What fails now is tried again before it is needed.
            lacksPages = (try? checkpointer.openAll(engine.tree.account)) == nil
            checkpointer.endLease()
            checkpointer.closeUninstalled(engine.tree.account)
            try log.releaseLease()
        }
    }

    /// Opens what could not be opened when the lease was released, or goes on from a tree whose
    /// files are still there.
    private func openPages() throws(StorageError) {
        do {
            try checkpointer.openAll(engine.tree.account)
        } catch .corrupted {
            try jump(to: nil)
        }
        lacksPages = false
    }

    /// Reads all that the log holds, of which this process is the writer now.
    private func catchUp(to end: LogEnd) throws(StorageError) {
        try catchUp(to: end.position, atLeast: end.position)
        // As in ``follow()``.
        if !isAt(end) { try jump(to: nil) }
        if isAt(end) { return }
        throw .corrupted(
            segment: log.store.logPath, offset: 0, reason: "it does not end where its writer says")
    }

    private func isAt(_ end: LogEnd) -> Bool {
        tail.next.position == end.position && tail.next.hash == end.hash
    }

    /// What is known to be durable, and therefore there.
    private func horizon() throws(StorageError) -> LogPosition {
        try log.store.readHorizon(database: log.database)?.synced ?? .zero
    }

    // MARK: Reading on

    private func catchUp(
        to limit: LogPosition, atLeast known: LogPosition
    ) throws(StorageError) {
        do throws(StorageError) {
            let begin = tail.next.position
            try read(upTo: limit)
            if tail.next.position == begin, begin > tail.resumption.position {
                // A transaction whose first parts were read may have been taken back since.
                tail = makeTail()
                try read(upTo: limit)
            }
            if tail.next.position >= known { return }
        } catch {
            rollBack()
            guard case .corrupted = error, engine.tree.account.failure == nil else { throw error }
        }
        // What is known to be there is not where it was: a checkpoint has made it superfluous.
        try jump(to: nil)
    }

    private func read(upTo limit: LogPosition) throws(StorageError) {
        try tail.read(upTo: limit) { (group) throws(StorageError) in try publish(group) }
    }

    /// Goes back to what is published, in the tree and in the log: a group counts as read although
    /// it could not be applied, and going on behind it would lack what it did.
    private func rollBack() {
        engine.forgetFollowed()
        tail = makeTail()
    }

    /// Reads on behind what is published.
    private func makeTail() -> LogTail {
        LogTail(log.store, database: log.database, from: engine.publisher.latest.end)
    }

    private func publish(_ group: LogGroup) throws(StorageError) {
        guard let tree = try group.tree() else { return try engine.apply(group) }
        let commits = try engine.loggedCommits(of: group)
        let adopted = try goOn(from: tree)
        let root = adopted.root
        install(adopted)
        engine.publishFollowed(
            root, commits.map { CommitChanges($0, groupRoot: root) }, end: group.end)
    }

    /// A tree in the page files that this process's goes on from, and what they hold for it.
    private struct Adopted {
        let root: SnapshotRoot
        let contents: Checkpointer.Contents
        let start: LogPosition
    }

    /// Goes on from a tree that is in the page files.
    private func goOn(from record: CheckpointRecord) throws(StorageError) -> Adopted {
        let account = engine.tree.account
        let (root, described) = try StoreOpening.load(record, from: checkpointer.pages, account)
        let contents = Checkpointer.Contents(record, described)
        try checkpointer.pages.openAll(contents.segments.values)
        try engine.goOn(from: root)
        return Adopted(root: root, contents: contents, start: record.replayStart.position)
    }

    /// Begins anew, before the first commit: what there is when the store has no checkpoint.
    private func goOnFromNothing() -> Adopted {
        let tree = engine.tree
        let empty = WorkingTree(schema: StoreSchema(), account: tree.account)
        let root = empty.capture(version: .zero)
        tree.reset(to: root)
        tree.forgetUnusedKeys()
        return Adopted(root: root, contents: Checkpointer.Contents(), start: .zero)
    }

    /// Takes over the account of the page files that goes with a tree, once that is as good as
    /// published: with the account of another tree, the next checkpoint would count as unused what
    /// its own needs.
    private func install(_ adopted: Adopted) {
        checkpointer.adopt(
            adopted.contents, capturedAt: adopted.root.capture, account: engine.tree.account)
        start = adopted.start
    }

    // MARK: Checkpoints

    /// The newest checkpoint, unless there is another store by now.
    private func newestCheckpoint() throws(StorageError) -> CheckpointRecord? {
        guard let superblock = try log.store.readSuperblock() else {
            if try log.store.hasNoSuperblock() { throw .replaced(path: log.store.path) }
            return nil
        }
        if superblock.database != log.database { throw .replaced(path: log.store.path) }
        try log.store.requireAuthentic(superblock)
        return superblock.checkpoint?.record
    }

    /// The newest checkpoint, when it is another than the one that this tree began with.
    private func newerCheckpoint() throws(StorageError) -> CheckpointRecord? {
        guard let record = try newestCheckpoint() else { return nil }
        let contents = checkpointer.contents
        let isNewer = record.version >= contents.version && record.contents != contents.contents
        return isNewer ? record : nil
    }

    /// Goes on from a checkpoint, and publishes what differs from the version before as one change.
    /// Without one, from the newest there is.
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
                // The writer may have removed what was about to be read.
                Platform.pause(for: .milliseconds(attempts))
            }
            record = nil
        }
    }

    /// Applies the log behind a checkpoint to its tree; all of it where there is none.
    private func rebuild(
        from record: CheckpointRecord?, beyond before: SnapshotRoot
    ) throws(StorageError) {
        let known = max(try horizon(), log.isWriting ? log.end?.position ?? .zero : .zero)
        let limit = log.isWriting ? known : max(known, tail.resumption.position)
        var version = record?.version ?? .zero
        var adopted =
            try record.map { record throws(StorageError) in try goOn(from: record) }
            ?? goOnFromNothing()
        tail = LogTail(log.store, database: log.database, from: record?.replayStart)
        try tail.read(upTo: limit) { (group) throws(StorageError) in
            if let tree = try group.tree() {
                adopted = try goOn(from: tree)
                version = tree.version
            } else {
                try engine.applyRecords(of: group) { record, _ in version = record.version }
            }
        }
        // Commits that were lost before they were durable may have been more.
        let isLost = tail.commitEnd.life != before.life
        guard tail.next.position >= limit, version >= before.version || isLost else {
            throw .corrupted(
                segment: log.store.logPath, offset: 0, reason: "the log goes on elsewhere")
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
