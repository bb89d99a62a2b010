import Synchronization

// Unchecked, and safe: `tree` and `running` belong to the owner of the open group; everything else
// is constant or inside a mutex.
/// Runs the transactions of one open store: owns the working tree and the commit pipeline, and
/// publishes versions once they are durable.
///
/// The holder of the write turn calls ``beginBody()``, edits ``tree``, and ends with
/// ``endBody(_:waiter:successors:releaseTurn:)``. During a body, the open group belongs to the
/// body; between bodies it is under the lock, so that the log thread can seal the next group
/// without waking the writer.
package final class TransactionEngine: @unchecked Sendable {
    /// The waiter for the outcome of a body.
    package enum Waiter: Sendable {
        case continuation(UnsafeContinuation<GroupMetrics, any Error>)
        /// None: the outcome is known where the body ended.
        case nobody

        func resume(_ metrics: GroupMetrics = GroupMetrics()) {
            if case .continuation(let continuation) = self {
                continuation.resume(returning: metrics)
            }
        }

        func resume(throwing error: StorageError) {
            if case .continuation(let continuation) = self { continuation.resume(throwing: error) }
        }
    }

    /// The pipeline and its groups.
    struct Groups: ~Copyable {
        var pipeline = CommitPipeline<Waiter>()
        /// How long a group is kept open for more commits.
        var delay = GroupCommitDelay()
        /// The group that is being collected; nil while a body runs, which owns it.
        var open: OpenGroup?
        /// The group at the disk; there is only one at a time.
        var inFlight: SealedGroup?
        /// Spills of transactions that were not committed.
        var abandoned: [Spill] = []
        var spare: CommitGroupBuffer?
    }

    package let tree: WorkingTree
    let groups: Mutex<Groups>
    /// The open group, while a body runs.
    private var running: OpenGroup?
    let publisher: Publisher
    let log: any Journal
    /// The files of the log; nil in memory.
    let segments: Log?
    /// Decides whether commits have old values; nil in a store without a log.
    let retention: LogRetention?
    /// Writes checkpoints; nil in a store without files, and in a read-only one.
    let checkpoints: CheckpointSchedule?
    /// The accounting of the page files; nil in a store without files.
    private let checkpointer: Checkpointer?
    let thread: LogThread
    /// Whether appending does not block, so that no other thread is needed.
    let appendsInPlace: Bool
    /// Whether a commit that changes these classes must be published on its own, not merged with
    /// its group.
    let isSeenAlone: @Sendable (_ classes: () -> [ClassID]) -> Bool
    /// Called with the error when the store stops writing, before waiters of commits are resumed;
    /// perhaps more than once.
    let onFailure: @Sendable (StorageError) -> Void
    /// Whether the duration of syncs is measured.
    private let measuresGroups: Bool
    private let counters = CommitCounters()
    /// Whether the last group that did not only delete lacked space.
    let wasRefused = Atomic<Bool>(false)

    package init(
        tree: WorkingTree, version: Version, log: any Journal, appendsInPlace: Bool,
        checkpoints: CheckpointSchedule? = nil, checkpointer: Checkpointer? = nil,
        measuresGroups: Bool = false,
        isSeenAlone: @escaping @Sendable (_ classes: () -> [ClassID]) -> Bool = { _ in false },
        onFailure: @escaping @Sendable (StorageError) -> Void = { _ in },
        publish: @escaping @Sendable ([CommitChanges], () -> Void) -> Void
    ) {
        self.tree = tree
        self.log = log
        segments = log.segments
        retention = log.segments?.retention
        self.appendsInPlace = appendsInPlace
        // A writer that appends on its own thread can measure that itself.
        self.measuresGroups = measuresGroups && !appendsInPlace
        self.isSeenAlone = isSeenAlone
        self.onFailure = onFailure
        thread = LogThread(log: log)
        let root = tree.capture(version: version, life: log.lastLife)
        publisher = Publisher(root, end: log.end, notify: publish)
        groups = Mutex(Groups(open: OpenGroup(on: root, life: log.life)))
        self.checkpoints = checkpoints
        self.checkpointer = checkpointer ?? checkpoints?.checkpointer
        tree.spilling = makeSpilling()
        if let checkpoints, let log = segments {
            log.reserve.setTargetSize(reserveSize(root, checkpoints.checkpointer))
        }
    }

    // MARK: Reading

    /// The newest published version.
    package var latest: SnapshotRoot { publisher.latest.root }
    /// Which one that is, for callers that hold a lock: see ``Publisher/latestName``.
    package var latestName: VersionName { publisher.latestName }

    /// Bytes that the store's files occupy, including removed ones that are still open for
    /// snapshots.
    package func allocatedBytes() throws(StorageError) -> Int {
        guard let log = segments else { return 0 }
        return try log.allocatedBytes() + (checkpointer?.unlinkedBytes ?? 0)
    }

    /// Bytes of the newest checkpoint's tree; before the first one, and in a store without files,
    /// bytes in memory.
    package var liveBytes: Int {
        let contents = checkpointer?.contents
        guard let contents, contents.root != nil else { return tree.account.byteCount }
        return contents.live
    }

    package var statistics: CommitStatistics { counters.statistics }

    /// The latched error that has stopped writing; nil while the store writes.
    package var failure: StorageError? {
        groups.withLock { $0.pipeline.latchedCause } ?? log.failure
            ?? tree.account.failure
    }

    /// Whether writes are refused because the disk is full. Then no body should begin on top of a
    /// pending commit: it would be refused with that commit, even if it only deletes.
    package var isRefusing: Bool { wasRefused.load(ordering: .relaxed) }

    /// Whether this process holds the writer lease; always true in a store without files.
    package var isWriting: Bool { log.isWriting }

    /// Whether no commit is in progress, and no body runs.
    var isDrained: Bool { groups.withLock { $0.pipeline.isDrained } }

    // MARK: Bodies

    /// The tree at the start of the group that is being collected; if the pipeline was drained, the
    /// version of the last body. Not while a body runs.
    package var lastSealed: SnapshotRoot { groups.withLock { $0.open?.base } ?? latest }

    /// The version of the last commit, which may not be durable yet.
    package var tip: Version { openTip.version }
    /// The ``Journal/life`` of that commit.
    package var tipLife: UInt64 { openTip.life }

    private var openTip: OpenGroup.Tip {
        if let tip = groups.withLock({ $0.open?.tip }) { return tip }
        return withBody { $0.tip }
    }

    /// Calls `edit` with the open group, for the running body.
    func withBody<R, E>(
        _ edit: (inout OpenGroup) throws(E) -> R
    ) throws(E) -> R {
        guard var group = running.take() else {
            preconditionFailure("A commit is made outside a body")
        }
        let result: R
        do throws(E) {
            result = try edit(&group)
        } catch {
            running = consume group
            throw error
        }
        running = consume group
        return result
    }

    /// Begins a transaction. The caller has the write turn.
    package func beginBody() throws(StorageError) {
        if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        running = try groups.withLock { groups throws(StorageError) in
            try groups.pipeline.beginBody()
            return groups.open.take()
        }
        withBody { group in
            if group.buffer.isEmpty { tree.trimIfShort() }
            group.beginVersion()
            noteBegin(&group)
        }
    }

    /// Ends the body. `waiter` is resumed when the body's outcome may be reported: when its commit,
    /// or for a body without one the version it started from, is durable.
    ///
    /// A commit that could be written at once may be collected with those of the next bodies. If
    /// there are none, the holder of the turn submits it with ``submitGathered()``.
    ///
    /// `releaseTurn` is called before anything is written, so that the next body can run meanwhile.
    package func endBody(
        _ commit: Version?, waiter: Waiter, successors: Successors = .none,
        releaseTurn: () -> Void = {}
    ) {
        let (action, group) = groups.withLock { groups in
            groups.open = running.take()
            let action = groups.pipeline.endBody(commit: commit, waiter: waiter)
            if case .takeGroup = action {
                return (action, keepsOpen(&groups, successors) ? nil : seal(&groups))
            }
            if case .fail = action { rollBackToPublished(&groups) }
            return (action, nil)
        }
        releaseTurn()
        switch action {
        case .wait: break
        case .takeGroup: if let group { submit(group) }
        case .deliverNow: waiter.resume()
        case .fail(let error):
            removeAbandoned()
            waiter.resume(throwing: error)
        }
    }

    /// Publishes the current tree, which has new nodes but the same contents, unless a pending
    /// commit will publish it anyway.
    func republish() {
        let previous = groups.withLock { groups -> SnapshotRoot? in
            guard groups.pipeline.isDrained, groups.pipeline.latchedCause == nil,
                tree.account.failure == nil
            else { return nil }
            guard let tip = groups.open?.tip else { return nil }
            let root = tree.capture(version: tip.version, life: tip.life)
            groups.open?.replaceBase(by: root)
            return publisher.replaceNodes(by: root)
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

    /// Closes the log after everything submitted, and ends its thread.
    ///
    /// Writes a checkpoint first, so that the next opening has nothing to replay. Its failure is
    /// reported, although nothing is lost: the log contains everything.
    package func close(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        guard let checkpoints else { return thread.close(completion: completion) }
        checkpoints.stop { [self] in
            let failure = checkpointAtClose()
            if segments?.options.isShared == true {
                checkpoints.checkpointer.keepReadable(tree.account)
                // After all jobs that remove files, and before another process may create files
                // with these numbers.
                thread.run { [account = tree.account] in
                    checkpoints.checkpointer.closeUninstalled(account)
                }
            }
            thread.close { result in
                completion(failure.map { Result.failure($0) } ?? result)
            }
        }
    }

    /// Whether everything that was written to the log is durable.
    package var isSynced: Bool { segments?.isSynced ?? false }

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

    /// Seals the open group, to be written. No body runs.
    func seal(_ groups: inout Groups) -> CommitGroupBuffer {
        guard var open = groups.open.take() else {
            preconditionFailure("A group is sealed below a body")
        }
        let root = tree.capture(version: open.tip.version, life: open.life)
        var (sealed, buffer) = open.seal(root, spare: groups.spare.take())
        if measuresGroups { sealed.submitted = .now }
        groups.open = consume open
        _ = groups.pipeline.takeGroup()
        groups.delay.cancelWait()
        groups.inFlight = sealed
        return buffer
    }

    /// Writes the group; if that does not block, also the groups that are collected meanwhile and
    /// that no running body continues.
    func submit(_ group: CommitGroupBuffer) {
        var next: CommitGroupBuffer? = group
        while let group = next {
            if group.needsTree { return submitWithTree(group) }
            guard appendsInPlace else {
                return thread.submit(group) { [self] result, duration in
                    finishAppend(group, result, after: duration)
                }
            }
            let result = Result { () throws(StorageError) in try log.append(group) }
            if result.isOutOfSpace, finishAppendOnThread(group, result) { return }
            next = finishAppend(group, result)
        }
    }

    /// `duration`: how long the append took on the log thread.
    ///
    /// Returns the group that the caller has to submit, if appending does not wait for the disk.
    @discardableResult
    func completed(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>,
        after duration: Duration? = nil
    ) -> CommitGroupBuffer? {
        switch result {
        case .success: return succeeded(group, after: duration)
        case .failure(let error):
            failed(error, wasWritten: group.hasBegun)
            return nil
        }
    }

    private func succeeded(
        _ group: CommitGroupBuffer, after duration: Duration?
    ) -> CommitGroupBuffer? {
        let count = group.recordCount
        var metrics = GroupMetrics()
        metrics.commits = count
        counters.noteSync(commits: count)
        let hasTree = group.holdsTree
        if isRefusing, !group.onlyDeletes { wasRefused.store(false, ordering: .relaxed) }
        group.reset()
        let end = log.end
        // Published before the pipeline advances: a body that ends without a commit is then
        // acknowledged at once, and must find the version that it started from. The previous
        // version is released outside the lock: the last release frees its nodes.
        var previous: SnapshotRoot?
        if let sealed = groups.withLock({ $0.inFlight.take() }) {
            if let start = sealed.submitted { metrics.sync = start.duration(to: .now) }
            previous = publisher.publish(sealed.root, sealed.changes, end: end)
        }
        checkpointIfDue(at: end, hasTree: hasTree)
        let (synced, next, wait) = groups.withLock { groups in
            groups.spare = group
            let synced = groups.pipeline.groupSynced()
            let wait = duration.flatMap {
                groups.delay.groupSynced(
                    notified: count, collected: groups.pipeline.collectedCount, after: $0)
            }
            // Sealed under the same lock: later it may be a group that is kept open for more
            // commits.
            let isOffered = wait == nil && synced.next == .takeGroup
            return (synced, isOffered ? seal(&groups) : nil, wait)
        }
        // The next write begins before waiters are notified.
        if let next, !appendsInPlace { submit(next) }
        for waiter in synced.waiters { waiter.resume(metrics) }
        if duration != nil { thread.runWhenIdle(after: wait) { [self] in delayExpired() } }
        withExtendedLifetime(previous) {}
        return appendsInPlace ? next : nil
    }
}
