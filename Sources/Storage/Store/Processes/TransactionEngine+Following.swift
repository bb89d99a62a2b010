import Synchronization

/// What commits of other processes do to the versions of this one. Called while this process has
/// not the writer lease, so that no body runs, and by one thread at a time.
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

    /// Applies the commits of a group to the tree, and tells of each what it did.
    func applyRecords(
        of group: LogGroup, _ body: (CommitView, Delta) -> Void
    ) throws(StorageError) {
        try group.forEachCommit { (record) throws(StorageError) in
            let delta = try apply(record) { group.damage($0, in: record) }
            body(record, delta)
        }
    }

    /// Applies a commit to the tree; returns what that did.
    func apply(
        _ record: CommitView, damage: (RecordError) -> StorageError
    ) throws(StorageError) -> Delta {
        if let schema = CommitRecord.schema(of: record.payload), !schema.extends(tree.schema) {
            throw .migrated(path: storePath)
        }
        // Its rows may have keys that a transaction was rolled back with here.
        tree.forgetUnusedKeys()
        do throws(RecordError) {
            try CommitRecord.apply(record.payload, to: tree)
        } catch {
            throw tree.account.failure ?? damage(error)
        }
        let delta = tree.takeDelta()
        if let failure = tree.account.failure { throw failure }
        return delta
    }

    /// What subscribers are notified of for a commit that was applied. In `life`.
    func collected(_ record: CommitView, _ delta: Delta, life: UInt64) -> CollectedCommit {
        let isAlone = isSeenAlone { delta.changedClasses }
        return CollectedCommit(
            version: record.version, author: CommitRecord.author(of: record.payload),
            attachment: nil, delta: delta,
            root: isAlone ? tree.capture(version: record.version, life: life) : nil)
    }

    /// What the commits of a group say that they changed, of which the page files have the tree.
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

    /// Makes the tree one that another process wrote to the page files.
    func goOn(from root: SnapshotRoot) throws(StorageError) {
        guard root.schema.extends(tree.schema) else { throw .migrated(path: storePath) }
        tree.reset(to: root)
        tree.forgetUnusedKeys()
    }

    /// This process writes from here on, on top of what another one has made of the store.
    func noteTakeOver() {
        guard let checkpoints, let log = segments else { return }
        checkpoints.noteTakeOver(at: log.replayStart)
        log.reserve.want(reserveSize(latest, checkpoints.checkpointer))
    }

    /// Goes back to what is published, because what came after it could not be read.
    func forgetFollowed() {
        tree.reset(to: latest)
        tree.forgetUnusedKeys()
    }

    /// Publishes `root`, which holds what `changes` say; without any, the version before in other
    /// nodes.
    func publishFollowed(_ root: SnapshotRoot, _ changes: [CommitChanges], end: LogEnd) {
        segments?.noteFollowed(end)
        groups.withLock { groups in _ = groups.open?.startOver(from: root) }
        // Given up outside the locks.
        withExtendedLifetime(publisher.publish(root, changes, end: end)) {}
    }

    /// The life that the commits of this process are of, from its taking over on.
    func beginLife(_ life: UInt64) { groups.withLock { $0.open?.life = life } }

    var storePath: String { segments?.store.path ?? "" }
}
