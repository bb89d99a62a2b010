import Synchronization

// Unchecked, and safe: `tree` and `running` belong to the owner of the open group; everything else
// is constant or inside a mutex.
/// Runs the transactions of one open store: it owns the working tree and the commit pipeline, and
/// has published what has become durable.
///
/// The holder of the write turn calls ``beginBody()``, edits ``tree``, and ends with
/// ``endBody(_:waiter:)``. Meanwhile the open group is the body's; between bodies it is under the
/// lock, which is how the log thread seals the next group without waking the writer.
package final class TransactionEngine: @unchecked Sendable {
    /// Who is notified of how a body ended.
    package enum Waiter: Sendable {
        case continuation(UnsafeContinuation<GroupFigures, any Error>)
        /// Nobody: the outcome is known where the body was ended.
        case nobody

        func resume(_ figures: GroupFigures = GroupFigures()) {
            if case .continuation(let continuation) = self {
                continuation.resume(returning: figures)
            }
        }

        func resume(throwing error: StorageError) {
            if case .continuation(let continuation) = self { continuation.resume(throwing: error) }
        }
    }

    /// The pipeline and its groups.
    struct Groups: ~Copyable {
        var pipeline = CommitPipeline<Waiter>()
        /// How long it keeps a group open.
        var patience = GroupPatience()
        /// The group that is collected; nil while a body runs, which has it.
        var open: OpenGroup?
        /// The group at the disk, of which there is one at a time.
        var inFlight: SealedGroup?
        /// What was spilled for nothing.
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
    /// Says whether commits have old values; nil in a store that has no log to read.
    let retention: LogRetention?
    /// Writes checkpoints; nil in a store that has no files, or may not write them.
    let checkpoints: CheckpointSchedule?
    /// Knows the page files; nil in a store that has none.
    private let checkpointer: Checkpointer?
    let thread: LogThread
    /// Whether appending does not wait for the disk, so that no other thread is needed.
    let appendsInPlace: Bool
    /// Whether a commit of classes is to be seen by itself, whatever else is in its group.
    let isSeenAlone: @Sendable (_ classes: () -> [ClassID]) -> Bool
    /// Told why the store stops writing, before those are who wait for their commits; perhaps more
    /// than once.
    let onFailure: @Sendable (StorageError) -> Void
    /// Whether it is measured how long groups take to become durable.
    private let measuresGroups: Bool
    private let counters = CommitCounters()
    /// Whether the disk had no space for the last group that did not only delete.
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
        // A writer that appends where it is can measure that itself.
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
            log.reserve.want(reserveSize(root, checkpoints.checkpointer))
        }
    }

    // MARK: Reading

    /// The newest published version.
    package var latest: SnapshotRoot { publisher.latest.root }

    /// Bytes that the store's files occupy, with those that were removed and are open for versions
    /// that are held.
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

    /// Whether no commit is on its way, and no body runs.
    var isDrained: Bool { groups.withLock { $0.pipeline.isDrained } }

    // MARK: Bodies

    /// The tree as the group being collected began: after a body that ended a drained pipeline's
    /// rest, the version which that body made. Not while a body runs.
    package var lastSealed: SnapshotRoot { groups.withLock { $0.open?.base } ?? latest }

    /// The version that the tree has after the last commit.
    package var tip: Version { openTip.version }
    /// In which life of the store that was made.
    package var tipLife: UInt64 { openTip.life }

    private var openTip: OpenGroup.Tip {
        if let tip = groups.withLock({ $0.open?.tip }) { return tip }
        return withBody { $0.tip }
    }

    /// Calls `edit` with the open group, for the body that runs.
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
    /// A commit that could be written at once may wait for those of the bodies that come next.
    /// A holder of the turn that runs none of them has it written by ``submitGathered()``.
    ///
    /// `releaseTurn` is called before anything is written: the next body runs meanwhile.
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

    /// Publishes the tree as it is now, with nodes of its own but nothing else changed, if nothing
    /// is under way that publishes it anyway.
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

    /// Whether everything that was written to the log is on the disk.
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

    /// Takes the open group out of the pipeline, to be written. No body runs.
    func seal(_ groups: inout Groups) -> CommitGroupBuffer {
        guard var open = groups.open.take() else {
            preconditionFailure("A group is sealed below a body")
        }
        let root = tree.capture(version: open.tip.version, life: open.life)
        var (sealed, buffer) = open.seal(root, spare: groups.spare.take())
        if measuresGroups { sealed.submitted = GroupFigures.now }
        groups.open = consume open
        _ = groups.pipeline.takeGroup()
        groups.patience.giveUp()
        groups.inFlight = sealed
        return buffer
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

    /// `duration`: how long that took on the log thread.
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
        var figures = GroupFigures()
        figures.commits = count
        counters.noteSync(commits: count)
        let hasTree = group.holdsTree
        if isRefusing, !group.onlyDeletes { wasRefused.store(false, ordering: .relaxed) }
        group.reset()
        let end = log.end
        // Published before the pipeline moves on: a body that ends meanwhile without a commit is
        // acknowledged at once, and must find the version that it started from.
        // The version before is given up outside the lock: the last one to do so frees its nodes.
        var previous: SnapshotRoot?
        if let sealed = groups.withLock({ $0.inFlight.take() }) {
            if let start = sealed.submitted { figures.sync = GroupFigures.now - start }
            previous = publisher.publish(sealed.root, sealed.changes, end: end)
        }
        checkpointIfDue(at: end, hasTree: hasTree)
        let (synced, next, wait) = groups.withLock { groups in
            groups.spare = group
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
        for waiter in synced.waiters { waiter.resume(figures) }
        if duration != nil { thread.runWhenIdle(after: wait) { [self] in waitIsOver() } }
        withExtendedLifetime(previous) {}
        return appendsInPlace ? next : nil
    }
}
