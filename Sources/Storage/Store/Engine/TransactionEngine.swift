import Synchronization

/// Runs the transactions of one open store: it owns the working tree and the commit pipeline, and
/// publishes what has become durable.
///
/// Whoever has the write turn calls ``beginBody()``, edits ``tree``, and ends with
/// ``endBody(_:waiter:)``. While a body runs, the tree and the group being collected belong to it;
/// otherwise they belong to whoever holds the mutex, which is how the log thread seals the next
/// group without waking the writer.
// Unchecked: `tree`, `collecting`, `commits`, `tip`, `last` and `base` follow the rule above, which
// the pipeline's body state enforces; everything else is constant or inside a mutex.
package final class TransactionEngine: @unchecked Sendable {
    /// Who is notified of how a body ended.
    package enum Waiter: Sendable {
        case continuation(UnsafeContinuation<Void, any Error>)
        /// Nobody: the outcome is known to whoever ended the body.
        case nobody

        func resume() {
            if case .continuation(let continuation) = self { continuation.resume() }
        }

        func resume(throwing error: StorageError) {
            if case .continuation(let continuation) = self { continuation.resume(throwing: error) }
        }
    }

    /// What a group publishes.
    struct Sealed {
        let root: SnapshotRoot
        let changes: [CommitChanges]
        /// What its commits have written to the page files already.
        let spills: [Spill]
    }

    /// The pipeline, and how long it keeps a group open.
    struct Groups {
        var pipeline = CommitPipeline<Sealed, Waiter>()
        var patience = GroupPatience()
    }

    package let tree: WorkingTree
    let groups = Mutex(Groups())
    let published: Mutex<Published>
    let log: any Journal
    /// The files of the log; nil in memory.
    let segments: Log?
    /// Says whether commits have old values; nil in a store that has no log to read.
    let retention: LogRetention?
    /// Writes checkpoints; nil in a store that has no files, or may not write them.
    let checkpoints: CheckpointSchedule?
    let thread: LogThread
    /// Whether appending does not wait for the disk, so that no other thread is needed.
    let appendsInPlace: Bool
    /// Publishes durable commits: it must call the closure, which makes them the latest version.
    let publish: @Sendable ([CommitChanges], () -> Void) -> Void
    /// Whether a commit of classes is to be seen by itself, whatever else is in its group.
    let isSeenAlone: @Sendable (_ classes: () -> [ClassID]) -> Bool
    /// Told why the store stops writing, before those are who wait for their commits; perhaps more
    /// than once.
    let onFailure: @Sendable (StorageError) -> Void
    private let counters = CommitCounters()
    /// Whether the disk had no space for the last group that did not only delete.
    let wasRefused = Atomic<Bool>(false)

    /// The group at the disk, of which there is one at a time.
    var inFlight: Sealed?
    var collecting = CommitGroupBuffer()
    /// What its commits have spilled.
    var spills: [Spill] = []
    /// What was spilled for nothing.
    var abandoned: [Spill] = []
    private var spare: CommitGroupBuffer?
    var commits: [CollectedCommit] = []
    /// The version that the tree has after the last commit.
    package internal(set) var tip: Version
    /// In which life of the store that was made.
    package internal(set) var tipLife: UInt64
    /// The life that this process's commits are of.
    var life: UInt64
    /// The version that the running body would make.
    var bodyVersion: Version
    /// The newest version that a body was told. It may have told others, so that no other commit
    /// ever gets the number.
    var shown = Version.zero
    /// The tree to go back to when a body throws: that with which the group being collected began,
    /// or that of its last commit without values.
    var base: SnapshotRoot
    /// The version of the last commit of the group, where that was captured.
    var last: SnapshotRoot?
    /// The commits of the group that are not in ``base``.
    var baseMark = GroupMark.start
    /// Memory that the store's nodes had taken in all when the transaction began.
    var bytesBefore = 0

    /// A version that readers may see.
    struct Published: Sendable {
        let root: SnapshotRoot
        /// Where its commit ends in the log.
        let end: LogEnd?
    }

    package init(
        tree: WorkingTree, version: Version, log: any Journal, appendsInPlace: Bool,
        checkpoints: CheckpointSchedule? = nil,
        isSeenAlone: @escaping @Sendable (_ classes: () -> [ClassID]) -> Bool = { _ in false },
        onFailure: @escaping @Sendable (StorageError) -> Void = { _ in },
        publish: @escaping @Sendable ([CommitChanges], () -> Void) -> Void
    ) {
        self.tree = tree
        self.log = log
        segments = log.segments
        retention = log.segments?.retention
        self.appendsInPlace = appendsInPlace
        self.isSeenAlone = isSeenAlone
        self.onFailure = onFailure
        self.publish = publish
        thread = LogThread(log: log)
        tip = version
        bodyVersion = version.next
        life = log.life
        tipLife = log.lastLife
        base = tree.capture(version: version, life: log.lastLife)
        published = Mutex(Published(root: base, end: log.end))
        self.checkpoints = checkpoints
        tree.spilling = makeSpilling()
        if let checkpoints, let log = segments {
            log.reserve.want(reserveSize(base, checkpoints.checkpointer))
        }
    }

    // MARK: Reading

    /// The newest published version.
    package var latest: SnapshotRoot { published.withLock { $0.root } }

    /// The newest published version, and where its commit ends in the log.
    var latestPublished: Published { published.withLock { $0 } }

    /// Bytes that the store's files occupy, with those that were removed and are open for versions
    /// that are held.
    package func allocatedBytes() throws(StorageError) -> Int {
        guard let log = segments else { return 0 }
        return try log.allocatedBytes() + (checkpoints?.checkpointer.unlinkedBytes ?? 0)
    }

    /// Bytes of the newest checkpoint's tree; before the first one, and in a store without files,
    /// bytes in memory.
    package var liveBytes: Int {
        let contents = checkpoints?.checkpointer.contents
        guard let contents, contents.root != nil else { return tree.account.byteCount }
        return contents.live
    }

    package var statistics: CommitStatistics { counters.statistics }

    /// Why the store no longer writes, nil while it does.
    package var failure: StorageError? {
        groups.withLock { $0.pipeline.latchedCause } ?? log.failure
            ?? tree.account.failure
    }

    /// Whether the disk is so full that writes are refused. No body should begin then on top of a
    /// commit whose outcome is open: it would be refused with that, also if it only deletes.
    package var isRefusing: Bool { wasRefused.load(ordering: .relaxed) }

    /// Whether this process has the writer lease; in a store without files always.
    package var isWriting: Bool { log.isWriting }

    // MARK: Bodies

    /// The tree as the group being collected began: after a body that ended a drained pipeline's
    /// rest, the version which that body made.
    ///
    /// Under the lock, because a group that fails is taken back on the log thread.
    package var lastSealed: SnapshotRoot { groups.withLock { _ in base } }

    /// Begins a transaction. The caller has the write turn.
    package func beginBody() throws(StorageError) {
        if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        try groups.withLock { groups throws(StorageError) in try groups.pipeline.beginBody() }
        if collecting.recordCount == 0 { trimIfShort() }
        bodyVersion = max(tip, shown).next
        noteBegin()
    }

    /// Ends the body. `waiter` is resumed when the body's outcome may be told: when its commit, or
    /// for a body without one the version it started from, is durable.
    ///
    /// A commit that could be written at once may wait for those of the bodies that come next.
    /// Whoever gets the turn and runs none of them has it written by ``submitGathered()``.
    ///
    /// `passTurn` is called before anything is written: the next body runs meanwhile.
    package func endBody(
        _ commit: Version?, waiter: Waiter, successors: Successors = .none,
        passTurn: () -> Void = {}
    ) {
        let (action, group) = groups.withLock { groups in
            let action = groups.pipeline.endBody(commit: commit, waiter: waiter)
            if case .takeGroup = action {
                return (action, keepsOpen(&groups, successors) ? nil : seal(&groups))
            }
            if case .fail = action { rollBackToPublished() }
            return (action, nil)
        }
        passTurn()
        switch action {
        case .wait: break
        case .takeGroup: if let group { submit(group) }
        case .deliverNow: waiter.resume()
        case .fail(let error):
            removeAbandoned()
            waiter.resume(throwing: error)
        }
    }

    /// Publishes the tree as it is now, with nodes of its own but nothing else changed, if nothing
    /// is under way that publishes it anyway.
    func republish() {
        let previous = groups.withLock { groups -> SnapshotRoot? in
            let pipeline = groups.pipeline
            guard pipeline.isDrained, pipeline.latchedCause == nil, tree.account.failure == nil
            else { return nil }
            let root = tree.capture(version: tip, life: tipLife)
            base = root
            return published.withLock { latest in
                let previous = latest.root
                latest = Published(root: root, end: latest.end)
                return previous
            }
        }
        // Freed outside the locks.
        withExtendedLifetime(previous) {}
    }

    /// Resumes `waiter` when everything committed so far is published. Not while a body runs.
    package func awaitTip(_ waiter: Waiter) {
        let action = groups.withLock { $0.pipeline.awaitTip(waiter) }
        switch action {
        case .deliverNow: waiter.resume()
        case .fail(let error): waiter.resume(throwing: error)
        case .wait, .takeGroup: submitCollected()
        }
    }

    /// Closes the log behind everything submitted, and ends its thread.
    ///
    /// A checkpoint comes before the end, so that the next opening has nothing to replay. When it
    /// fails, that is the outcome, although nothing is lost: the log holds everything.
    package func close(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        guard let checkpoints else { return thread.close(completion: completion) }
        checkpoints.stop { [self] in
            let failure = checkpointAtClose()
            if segments?.options.isShared == true {
                checkpoints.checkpointer.keepReadable(tree.account)
                // Behind all that removes some of them, and before another process may make files
                // under these numbers.
                thread.run { [account = tree.account] in
                    checkpoints.checkpointer.closeUninstalled(account)
                }
            }
            thread.close { result in
                completion(failure.map { Result.failure($0) } ?? result)
            }
        }
    }

    /// Syncs a relaxed store's log, on the log thread.
    package func sync(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        let isRunning = thread.run { [self] in
            let result = Result<Void, StorageError> { () throws(StorageError) in try log.sync() }
            switch result {
            case .success: counters.noteSync(commits: 0)
            case .failure(let error): latch(error)
            }
            completion(result)
        }
        if !isRunning { completion(.failure(.closed(path: "the log"))) }
    }

    // MARK: Groups

    func seal(_ groups: inout Groups) -> CommitGroupBuffer {
        let root = tree.capture(version: tip, life: life)
        base = root
        last = nil
        baseMark = .start
        let changes = commits.map { CommitChanges($0, groupRoot: root) }
        let sealed = Sealed(root: root, changes: changes, spills: spills)
        spills = []
        _ = groups.pipeline.takeGroup(root: sealed)
        groups.patience.giveUp()
        inFlight = sealed
        commits = []
        let group = collecting
        collecting = spare ?? CommitGroupBuffer()
        spare = nil
        return group
    }

    /// Has the group written, and where that does not wait for the disk also those that are
    /// collected meanwhile and that no body goes on with.
    func submit(_ group: CommitGroupBuffer) {
        var next: CommitGroupBuffer? = group
        while let group = next {
            if group.needsTree { return submitWithTree(group) }
            guard appendsInPlace else {
                return thread.submit(group) { [self] result, duration in
                    settle(group, result, after: duration)
                }
            }
            let result = Result { () throws(StorageError) in try log.append(group) }
            if result.isOutOfSpace, settleOnThread(group, result) { return }
            next = settle(group, result)
        }
    }

    /// `wasWritten`: a failure is one of the log, which may have some of the group.
    /// `duration`: how long that took on the log thread.
    ///
    /// Returns the group that the caller has to submit, if appending does not wait for the disk.
    @discardableResult
    func completed(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>, wasWritten: Bool = true,
        after duration: Duration? = nil
    ) -> CommitGroupBuffer? {
        switch result {
        case .success: return succeeded(group, after: duration)
        case .failure(let error):
            failed(error, wasWritten: wasWritten)
            return nil
        }
    }

    private func succeeded(
        _ group: CommitGroupBuffer, after duration: Duration?
    ) -> CommitGroupBuffer? {
        let count = group.recordCount
        counters.noteSync(commits: count)
        let hasTree = group.holdsTree
        if isRefusing, !group.onlyDeletes { wasRefused.store(false, ordering: .relaxed) }
        group.reset()
        let end = log.end
        // Published before the pipeline moves on: a body that ends meanwhile without a commit is
        // told at once, and must find the version that it started from.
        // The version before is given up outside the lock: the last one to do so frees its nodes.
        var previous: SnapshotRoot?
        if let sealed = groups.withLock({ _ in inFlight }) {
            publish(sealed.changes) {
                previous = published.withLock { latest in
                    let previous = latest.root
                    latest = Published(root: sealed.root, end: end)
                    return previous
                }
            }
        }
        checkpointIfDue(at: end, hasTree: hasTree)
        let (synced, next, wait) = groups.withLock { groups in
            spare = group
            inFlight = nil
            let synced = groups.pipeline.groupSynced()
            let wait = duration.flatMap {
                groups.patience.groupSynced(
                    told: count, collected: groups.pipeline.collectedCount, after: $0)
            }
            // Sealed at once: a moment later it may be a group that is kept open for others.
            let isOffered = wait == nil && synced.next == .takeGroup
            return (synced, isOffered ? seal(&groups) : nil, wait)
        }
        // Waiting for the disk begins before anyone is notified.
        if let next, !appendsInPlace { submit(next) }
        for waiter in synced.waiters { waiter.resume() }
        if duration != nil { thread.runWhenIdle(after: wait) { [self] in waitIsOver() } }
        withExtendedLifetime(previous) {}
        return appendsInPlace ? next : nil
    }
}
