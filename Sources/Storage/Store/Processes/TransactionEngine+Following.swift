import Synchronization

/// Applies commits of other processes. Called while this process does not hold the writer lease, so
/// that no body runs, and by one thread at a time.
extension TransactionEngine {
    /// Applies the commits of a group and publishes them.
    func apply(_ group: LogGroup) throws(StorageError) {
        var commits: [CollectedCommit] = []
        try applyRecords(of: group) { record, delta in
            commits.append(collected(record, delta, life: group.end.life))
        }
        guard let version = commits.last?.version else { return }
        let root = tree.capture(version: version, life: group.end.life)
        publishFollowed(root, CommitChanges.all(of: commits, groupRoot: root), end: group.end)
    }

    /// Applies the commits of a group to the tree, and passes the changes of each to `body`.
    func applyRecords(
        of group: LogGroup, _ body: (CommitView, Delta) -> Void
    ) throws(StorageError) {
        try group.forEachCommit { (record) throws(StorageError) in
            let delta = try apply(record) { group.damage($0, in: record) }
            body(record, delta)
        }
    }

    /// Applies a commit to the tree; returns its changes.
    func apply(
        _ record: CommitView, damage: (RecordError) -> StorageError
    ) throws(StorageError) -> Delta {
        if let schema = CommitRecord.schema(of: record.payload), !schema.extends(tree.schema) {
            throw .migrated(path: storePath)
        }
        // Its rows may have keys that a rolled back transaction of this process has used.
        tree.allowUnusedKeys()
        do throws(RecordError) {
            try CommitRecord.apply(record.payload, to: tree)
        } catch {
            throw tree.account.failure ?? damage(error)
        }
        let delta = tree.takeDelta()
        if let failure = tree.account.failure { throw failure }
        return delta
    }

    /// The notification of subscribers for a commit that was applied.
    func collected(_ record: CommitView, _ delta: Delta, life: UInt64) -> CollectedCommit {
        let isAlone = isSeenAlone { delta.changedClasses }
        return CollectedCommit(
            version: record.version, author: CommitRecord.author(of: record.payload),
            attachment: nil, delta: delta,
            root: isAlone ? tree.capture(version: record.version, life: life) : nil)
    }

    /// The logged changes of a page commit's group.
    func loggedCommits(of group: LogGroup) throws(StorageError) -> [LoggedCommit] {
        var commits: [LoggedCommit] = []
        var schema = tree.schema
        try group.forEachCommit { (record) throws(StorageError) in
            do throws(RecordError) {
                let commit = try CommitRecord.history(
                    record.payload, version: record.version, schema: schema)
                schema = commit.schema ?? schema
                commits.append(commit)
            } catch {
                throw group.damage(error, in: record)
            }
        }
        return commits
    }

    /// Replaces the tree with one that another process has written to the page files. Its schema
    /// must extend `known`, if that is not nil.
    func resume(from root: SnapshotRoot, extending known: StoreSchema?) throws(StorageError) {
        if let known, !root.schema.extends(known) { throw .migrated(path: storePath) }
        tree.reset(toFollowed: root)
    }

    /// This process becomes the writer, after commits of another one.
    func noteTakeOver() {
        guard let checkpoints, let log = segments else { return }
        checkpoints.noteTakeOver(at: log.replayStart)
        log.reserve.setTargetSize(reserveSize(latest, checkpoints.checkpointer))
    }

    /// Rolls back to the published version, because later commits could not be read.
    func rollBackFollowed() { tree.reset(fromFollowed: latest) }

    /// Publishes `root` with its `changes`; without any, the same version in other nodes.
    func publishFollowed(_ root: SnapshotRoot, _ changes: [CommitChanges], end: LogEnd) {
        segments?.noteFollowed(end)
        groups.withLock { groups in _ = groups.open?.restart(from: root) }
        // The previous version is released outside the locks.
        withExtendedLifetime(publisher.publish(root, changes, end: end)) {}
    }

    /// Sets the identifier of this writer's commits, see ``Journal/life``.
    func beginLife(_ life: UInt64) { groups.withLock { $0.open?.life = life } }

    var storePath: String { segments?.store.path ?? "" }
}
