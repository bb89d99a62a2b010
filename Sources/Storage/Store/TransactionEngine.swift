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

    package let tree: WorkingTree
    private let pipeline = Mutex(CommitPipeline<Sealed, Waiter>())
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
        pipeline.withLock { $0.latchedCause } ?? (log as? Log)?.failure ?? tree.account.failure
    }

    // MARK: Bodies

    /// The tree as the group being collected began: after a body that ended a drained pipeline's
    /// rest, the version which that body made.
    ///
    /// Under the lock, because a group that fails is taken back on the log thread.
    package var lastSealed: SnapshotRoot { pipeline.withLock { _ in base } }

    /// The version that the running body would make.
    package var nextVersion: Version { tip.next }

    /// Begins a transaction. The caller has the write turn.
    package func beginBody() throws(StorageError) {
        if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        try pipeline.withLock { pipeline throws(StorageError) in try pipeline.beginBody() }
        if collecting.recordCount == 0 { trimIfShort() }
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
            if let failure = tree.account.failure { throw .durabilityLost(cause: failure) }
        }
        if !delta.onlyDeletes { collecting.onlyDeletes = false }
        deltas.append((version, author, delta))
        tip = version
        return version
    }

    /// Takes back what the running body changed: goes back to where the group began and applies the
    /// commits before the body again, as recovery would.
    package func undo() {
        if !tree.hasChanges, tree.account.failure == nil { return _ = tree.takeDelta() }
        tree.reset(to: base)
        do {
            var records = GroupRecords(UnsafeRawBufferPointer(collecting.payload))
            while let record = try records.next() {
                try CommitRecord.apply(record.payload, to: tree)
            }
        } catch {
            precondition(
                tree.account.failure != nil,
                "Internal inconsistency: a record just encoded is \(error)")
        }
        _ = tree.takeDelta()
        // Then the commits before may lack something now, and must not be published.
        if let failure = tree.account.failure, collecting.recordCount > 0 { latch(failure) }
    }

    /// Ends the body. `waiter` is resumed when the body's outcome may be told: when its commit, or
    /// for a body without one the version it started from, is durable.
    ///
    /// With `gathers`, a commit that would be written at once may wait for those of the bodies that
    /// come next; whoever gets the turn and none of them has it written by ``submitGathered()``.
    package func endBody(_ commit: Version?, waiter: Waiter, gathers: Bool = false) {
        let waitsForMore = gathers && appendsInPlace && collecting.recordCount < Self.gatheredMax
        let (action, group) = pipeline.withLock { pipeline in
            let action = pipeline.endBody(commit: commit, waiter: waiter)
            if case .takeGroup = action {
                return (action, waitsForMore ? nil : Optional(seal(&pipeline)))
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

    /// Publishes the tree as it is now, with nodes of its own but nothing else changed, if nothing
    /// is under way that publishes it anyway.
    func republish() {
        let previous = pipeline.withLock { pipeline -> SnapshotRoot? in
            guard pipeline.isDrained, pipeline.latchedCause == nil, tree.account.failure == nil
            else { return nil }
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

    /// Writes the commits that were gathered, unless a body runs, whose end will.
    package func submitGathered() {
        let group = pipeline.withLock { pipeline in
            pipeline.offersGroup ? seal(&pipeline) : nil
        }
        if let group { submit(group) }
    }

    /// Resumes `waiter` when everything committed so far is published. Not while a body runs.
    package func awaitTip(_ waiter: Waiter) {
        let action = pipeline.withLock { $0.awaitTip(waiter) }
        switch action {
        case .deliverNow: waiter.resume()
        case .fail(let error): waiter.resume(throwing: error)
        case .wait, .takeGroup: submitGathered()
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

    private func seal(_ pipeline: inout CommitPipeline<Sealed, Waiter>) -> CommitGroupBuffer {
        let root = tree.capture(version: tip)
        base = root
        let changes = deltas.map {
            CommitChanges(version: $0.version, author: $0.author, delta: $0.delta, root: root)
        }
        let sealed = Sealed(root: root, changes: changes)
        _ = pipeline.takeGroup(root: sealed)
        inFlight = sealed
        deltas = []
        let group = collecting
        collecting = spare ?? CommitGroupBuffer()
        spare = nil
        return group
    }

    private func submit(_ group: CommitGroupBuffer) {
        guard appendsInPlace else {
            return thread.submit(group) { [self] result in completed(group, result) }
        }
        completed(group, Result { () throws(StorageError) in try log.append(group) })
    }

    private func completed(_ group: CommitGroupBuffer, _ result: Result<Void, StorageError>) {
        switch result {
        case .success: succeeded(group)
        case .failure(let error): failed(error)
        }
    }

    private func succeeded(_ group: CommitGroupBuffer) {
        counters.noteSync(commits: group.recordCount)
        group.reset()
        let end = log.end
        // Published before the pipeline moves on: a body that ends meanwhile without a commit is
        // told at once, and must find the version that it started from.
        // The version before is given up outside the lock: the last one to do so frees its nodes.
        var previous: SnapshotRoot?
        if let sealed = pipeline.withLock({ _ in inFlight }) {
            publish(sealed.changes) {
                previous = published.withLock { latest in
                    let previous = latest.root
                    latest = Published(root: sealed.root, end: end)
                    return previous
                }
            }
        }
        checkpointIfDue(at: end)
        let (synced, next) = pipeline.withLock { pipeline in
            spare = group
            inFlight = nil
            let synced = pipeline.groupSynced()
            return (synced, synced.next == .takeGroup ? seal(&pipeline) : nil)
        }
        if let next { submit(next) }
        for waiter in synced.waiters { waiter.resume() }
        withExtendedLifetime(previous) {}
    }

    /// Stops writing because something beside a group has failed.
    private func latch(_ error: StorageError) {
        let failed = pipeline.withLock { pipeline in
            let failed = pipeline.latch(error)
            // A group at the disk may still come to be published, a running body goes on.
            if pipeline.body == .none, !pipeline.isSyncing { rewind() }
            return failed
        }
        for entry in failed { entry.waiter.resume(throwing: entry.error) }
    }

    private func failed(_ error: StorageError) {
        let failed = pipeline.withLock { pipeline in
            inFlight = nil
            let isRefused = if case .outOfSpace = error { true } else { false }
            let failed = isRefused ? pipeline.groupRefused(error) : pipeline.groupFailed(error)
            // A running body goes on with the tree; its end will rewind.
            if pipeline.body == .none { rewind() }
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
