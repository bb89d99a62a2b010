import Synchronization

/// Runs the transactions of one open store: it owns the working tree and the commit pipeline, and
/// publishes what has become durable.
///
/// Whoever has the write turn calls ``beginBody()``, edits ``tree``, and ends with
/// ``endBody(_:waiter:)``. While a body runs, the tree and the group being collected belong to it;
/// otherwise they belong to whoever holds the mutex, which is how the log thread seals the next
/// group without waking the writer.
// Unchecked: `tree`, `collecting`, `deltas`, `tip` and `base` follow the rule above, which the
// pipeline's body state enforces; everything else is constant or inside a mutex.
package final class TransactionEngine: @unchecked Sendable {
    /// Who is told how a body ended.
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
    private struct Sealed {
        let root: SnapshotRoot
        let changes: [CommitChanges]
    }

    /// Who writes after a body, as far as its writer knows.
    package enum Successors: Sendable {
        /// Nobody that is known of, and the commit is wanted at once.
        case none
        /// Perhaps those who are told of their commits about now.
        case possible
        /// Someone waits for the turn already.
        case waiting
    }

    /// The pipeline, and how long it keeps a group open.
    private struct Groups {
        var pipeline = CommitPipeline<Sealed, Waiter>()
        var patience = GroupPatience()
    }

    package let tree: WorkingTree
    private let groups = Mutex(Groups())
    private let published: Mutex<Published>
    let log: any CommitLog
    /// Writes checkpoints; nil in a store that has no files, or may not write them.
    let checkpoints: CheckpointSchedule?
    private let thread: LogThread
    /// Whether appending does not wait for the disk, so that no other thread is needed.
    private let appendsInPlace: Bool
    /// Publishes durable commits: it must call the closure, which makes them the latest version.
    private let publish: @Sendable ([CommitChanges], () -> Void) -> Void
    private let counters = CommitCounters()

    /// The group at the disk, of which there is one at a time.
    private var inFlight: Sealed?
    private var collecting = CommitGroupBuffer()
    private var spare: CommitGroupBuffer?
    private var deltas: [(version: Version, author: String?, delta: Delta)] = []
    /// The version that the tree has after the last commit.
    private var tip: Version
    /// The tree when the group being collected began.
    private var base: SnapshotRoot

    /// A version that readers may see.
    struct Published: Sendable {
        let root: SnapshotRoot
        /// Where its commit ends in the log.
        let end: LogEnd?
    }

    package init(
        tree: WorkingTree, version: Version, log: any CommitLog, appendsInPlace: Bool,
        checkpoints: CheckpointSchedule? = nil,
        publish: @escaping @Sendable ([CommitChanges], () -> Void) -> Void
    ) {
        self.tree = tree
        self.log = log
        self.appendsInPlace = appendsInPlace
        self.publish = publish
        thread = LogThread(log: log)
        tip = version
        base = tree.capture(version: version)
        published = Mutex(Published(root: base, end: log.end))
        self.checkpoints = checkpoints
    }

    // MARK: Reading

    /// The newest published version.
    package var latest: SnapshotRoot { published.withLock { $0.root } }

    /// The newest published version, and where its commit ends in the log.
    var latestPublished: Published { published.withLock { $0 } }

    /// Bytes that the store's files occupy.
    package func allocatedBytes() throws(StorageError) -> Int {
        guard let log = log as? Log else { return 0 }
        return try log.allocatedBytes()
    }

    package var statistics: CommitStatistics { counters.statistics }

    /// Why the store no longer writes, nil while it does.
    package var failure: StorageError? {
        groups.withLock { $0.pipeline.latchedCause } ?? (log as? Log)?.failure
            ?? tree.account.failure
    }

    // MARK: Bodies

    /// The tree as the group being collected began: after a body that ended a drained pipeline's
    /// rest, the version which that body made.
    ///
    /// Under the lock, because a group that fails is taken back on the log thread.
    package var lastSealed: SnapshotRoot { groups.withLock { _ in base } }

    /// The version that the running body would make.
    package var nextVersion: Version { tip.next }

    /// Begins a transaction. The caller has the write turn.
    package func beginBody() throws(StorageError) {
        if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        try groups.withLock { groups throws(StorageError) in try groups.pipeline.beginBody() }
    }

    /// Encodes what the running body changed as a commit of the group; nil when it changed nothing.
    package func encodeCommit(author: String?, time: Double) throws(StorageError) -> Version? {
        let delta = tree.takeDelta()
        // What could not be read may have been taken for nothing.
        if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        if delta.isEmpty { return nil }
        let version = tip.next
        try collecting.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: author, schema: nil, time: time, into: &writer)
        }
        deltas.append((version, author, delta))
        tip = version
        return version
    }

    /// Takes back what the running body changed: goes back to where the group began and applies the
    /// commits before the body again, as recovery would.
    package func undo() {
        let isDirty = tree.hasChanges
        if !isDirty { return _ = tree.takeDelta() }
        tree.reset(to: base)
        do {
            var records = GroupRecords(UnsafeRawBufferPointer(collecting.payload))
            while let record = try records.next() {
                try CommitRecord.apply(record.payload, to: tree)
            }
        } catch {
            preconditionFailure("Internal inconsistency: a record just encoded is \(error)")
        }
        _ = tree.takeDelta()
    }

    /// Ends the body. `waiter` is resumed when the body's outcome may be told: when its commit, or
    /// for a body without one the version it started from, is durable.
    ///
    /// A commit that could be written at once may wait for those of the bodies that come next.
    /// Whoever gets the turn and runs none of them has it written by ``submitGathered()``.
    package func endBody(
        _ commit: Version?, waiter: Waiter, successors: Successors = .none
    ) {
        let (action, group) = groups.withLock { groups in
            let action = groups.pipeline.endBody(commit: commit, waiter: waiter)
            if case .takeGroup = action {
                return (action, keepsOpen(&groups, successors) ? nil : seal(&groups))
            }
            if case .fail = action { rewind() }
            return (action, nil)
        }
        switch action {
        case .wait: break
        case .takeGroup: if let group { submit(group) }
        case .deliverNow: waiter.resume()
        case .fail(let error): waiter.resume(throwing: error)
        }
    }

    /// Whether the group that is offered waits for more commits.
    private func keepsOpen(_ groups: inout Groups, _ successors: Successors) -> Bool {
        let count = groups.pipeline.collectedCount
        if appendsInPlace { return successors == .waiting && count < Self.gatheredMax }
        return successors != .none && !groups.patience.isComplete(count)
    }

    /// Has the commits written that were gathered for a writer who did not come, unless a body
    /// runs, whose end will.
    package func submitGathered() {
        // Where writing waits for the disk, the log thread looks after them.
        if appendsInPlace { submitCollected() }
    }

    private func submitCollected() {
        let group = groups.withLock { groups in
            groups.pipeline.offersGroup ? seal(&groups) : nil
        }
        if let group { submit(group) }
    }

    /// Writes the group that was kept open, whoever is missing.
    private func waitIsOver() {
        groups.withLock { $0.patience.timeIsUp() }
        submitCollected()
    }

    /// Publishes the tree as it is now, with nodes of its own but nothing else changed, if nothing
    /// is under way that publishes it anyway.
    func republish() {
        let previous = groups.withLock { groups -> SnapshotRoot? in
            let pipeline = groups.pipeline
            guard pipeline.isDrained, pipeline.latchedCause == nil else { return nil }
            let root = tree.capture(version: tip)
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

    /// Commits that are written together where writing does not wait for the disk.
    private static let gatheredMax = 32

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
    /// A checkpoint comes before the end, so that the next opening has nothing to replay.
    package func close(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        guard let checkpoints else { return thread.close(completion: completion) }
        checkpoints.stop { [self] in
            checkpointAtClose()
            thread.close(completion: completion)
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

    private func seal(_ groups: inout Groups) -> CommitGroupBuffer {
        let root = tree.capture(version: tip)
        base = root
        let changes = deltas.map {
            CommitChanges(version: $0.version, author: $0.author, delta: $0.delta, root: root)
        }
        let sealed = Sealed(root: root, changes: changes)
        _ = groups.pipeline.takeGroup(root: sealed)
        groups.patience.giveUp()
        inFlight = sealed
        deltas = []
        let group = collecting
        collecting = spare ?? CommitGroupBuffer()
        spare = nil
        return group
    }

    private func submit(_ group: CommitGroupBuffer) {
        guard appendsInPlace else {
            return thread.submit(group) { [self] result, duration in
                completed(group, result, after: duration)
            }
        }
        completed(group, Result { () throws(StorageError) in try log.append(group) })
    }

    private func completed(
        _ group: CommitGroupBuffer, _ result: Result<Void, StorageError>,
        after duration: Duration? = nil
    ) {
        switch result {
        case .success: succeeded(group, after: duration)
        case .failure(let error): failed(error)
        }
    }

    private func succeeded(_ group: CommitGroupBuffer, after duration: Duration?) {
        let count = group.recordCount
        counters.noteSync(commits: count)
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
        checkpointIfDue(at: end)
        let (synced, next, wait) = groups.withLock { groups in
            spare = group
            inFlight = nil
            let synced = groups.pipeline.groupSynced()
            let wait = duration.flatMap {
                groups.patience.groupSynced(
                    told: count, collected: groups.pipeline.collectedCount, after: $0)
            }
            let isOffered = wait == nil && synced.next == .takeGroup
            return (synced, isOffered ? seal(&groups) : nil, wait)
        }
        if duration != nil { thread.runWhenIdle(after: wait) { [self] in waitIsOver() } }
        if let next { submit(next) }
        for waiter in synced.waiters { waiter.resume() }
        withExtendedLifetime(previous) {}
    }

    /// Stops writing because something beside a group has failed.
    private func latch(_ error: StorageError) {
        let failed = groups.withLock { groups in
            let failed = groups.pipeline.latch(error)
            // A group at the disk may still come to be published, a running body goes on.
            if groups.pipeline.body == .none, !groups.pipeline.isSyncing { rewind() }
            return failed
        }
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    private func failed(_ error: StorageError) {
        let failed = groups.withLock { groups in
            inFlight = nil
            let isRefused = if case .outOfSpace = error { true } else { false }
            let failed =
                isRefused ? groups.pipeline.groupRefused(error) : groups.pipeline.groupFailed(error)
            // A running body goes on with the tree; its end will rewind.
            if groups.pipeline.body == .none { rewind() }
            return failed
        }
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    /// Goes back to what is published, forgetting every commit after it.
    private func rewind() {
        let published = latest
        tree.reset(to: published)
        collecting.reset()
        deltas = []
        tip = published.version
        base = published
    }
}
