import Synchronization

/// The sharing of a store with other processes: acquires and releases the writer lease, and follows
/// the writer.
///
/// One process holds the writer lease. It keeps it while it is idle, so that a single process
/// acquires it only once, and releases it on request. The others follow the log.
package final class StoreSharing: Sendable {
    /// The time slice of the writer while others wait: long enough to amortize the cost of a
    /// handover over several commits.
    private static let slice = Duration.milliseconds(4)

    private struct State {
        var request: Request?
        /// The wait for the lock, for that request.
        var wait: LockWait?
        /// When this process acquired the writer lease.
        var since = Instant.now
        /// When it released it.
        var released: Instant?
        /// Whether the owner was notified that another process waits.
        var hasAsked = false
    }

    /// The follower, and the watches of the files that it reads.
    private struct Following {
        let follower: LogFollower
        var watch: FileWatcher.Watch?
        var segments: [(index: SegmentIndex, watch: FileWatcher.Watch)] = []
    }

    private let log: Log
    private let queue: LockQueue?
    private let thread = SerialThread(name: "RealmActors processes")
    private let state = Mutex(State())
    private let isWritingNow: Atomic<Bool>
    /// Used by jobs of the thread only, so without contention.
    private let following: Mutex<Following>
    /// Another process waits for the writer lease.
    private let onRequest: @Sendable () -> Void
    /// The log can no longer be followed.
    private let onFailure: @Sendable (StorageError) -> Void

    /// Nil if other processes cannot use the files of the store.
    ///
    /// `onRequest` must end in ``releaseLease(completion:)``, once no write is in progress.
    package init?(
        _ opened: StoreOpening.Opened, _ engine: TransactionEngine,
        onRequest: @escaping @Sendable () -> Void,
        onFailure: @escaping @Sendable (StorageError) -> Void
    ) {
        log = opened.log
        guard log.options.isShared, let queue = LockQueue(log.store) else { return nil }
        self.queue = log.options.readOnly ? nil : queue
        following = Mutex(
            Following(follower: LogFollower(engine, opened.log, opened.checkpointer)))
        isWritingNow = Atomic(opened.log.isWriting)
        self.onRequest = onRequest
        self.onFailure = onFailure
    }

    /// Begins to watch. Before that, nothing is followed.
    package func begin() {
        thread.run { [self] in
            if isWriting { watchRequests() } else { watchLog() }
        }
    }

    /// Whether this process holds the writer lease.
    package var isWriting: Bool { isWritingNow.load(ordering: .acquiring) }

    /// How long this process has held the writer lease, if it does.
    var leaseAge: Duration { state.withLock { $0.since.duration(to: .now) } }

    /// The process that holds the writer lease, or held it last.
    package var holder: Int32? { queue?.holder }

    /// Stops following, ends every request, and calls `completion`. Does not release the writer
    /// lease, which closing the log does.
    package func stop(completion: @escaping @Sendable () -> Void) {
        let isFirst = thread.stop { [self] in
            let request = state.withLock { $0.request }
            if let request {
                cancel(request)
                request.finish(.failure(.closed(path: log.store.path)))
            }
            following.withLock { following in
                following.watch = nil
                following.segments = []
            }
            completion()
        }
        if !isFirst { completion() }
    }

    // MARK: Writing

    /// Requests the writer lease; `request` ends when this process holds it, and has applied all of
    /// the log. The caller has the write turn, so that there is one request at a time.
    package func acquire(_ request: Request) {
        state.withLock { $0.request = request }
        if thread.run({ [self] in requestLock(for: request) }) { return }
        cancel(request)
        request.finish(.failure(.closed(path: log.store.path)))
    }

    /// Cancels a request. After this has returned, no lock is held or taken for it.
    package func cancel(_ request: Request) { withdraw(request)?.cancel() }

    /// Removes a pending request; returns its wait for the lock.
    private func withdraw(_ request: Request) -> LockWait? {
        state.withLock { state in
            guard state.request === request else { return nil }
            state.request = nil
            defer { state.wait = nil }
            return state.wait
        }
    }

    private func requestLock(for request: Request) {
        // Another request may have been served since: this process itself holds the lock.
        if isWriting { return finish(request, nil) }
        guard let queue else { return finish(request, .invalid("The store is read-only.")) }
        let wait = LockWait(queue)
        let (isWanted, released) = state.withLock { state in
            if state.request === request { state.wait = wait }
            return (state.request === request, state.released)
        }
        guard isWanted else { return }
        do throws(StorageError) {
            if try wait.tryTake() { return finish(request, nil) }
        } catch {
            return finish(request, error)
        }
        let remaining = released.map { LockWait.reacquireDelay - $0.duration(to: .now) } ?? .zero
        let isWaiting = Platform.runOnThread { [self] in
            var failure: StorageError?
            do throws(StorageError) { _ = try wait.run(after: remaining) } catch { failure = error }
            thread.run { [self, failure] in finish(request, failure) }
        }
        if !isWaiting { finish(request, .noThread(for: log.store.lockPath)) }
    }

    /// Ends a request, unless it was cancelled: with an error, or with the acquired lock; without
    /// either, this process holds the lease already.
    ///
    /// No lock is held any more when a request ends with an error: its owner may suspend the store
    /// next.
    private func finish(_ request: Request, _ failure: StorageError?) {
        let (isWanted, wait) = state.withLock { state -> (Bool, LockWait?) in
            guard state.request === request else { return (false, nil) }
            defer {
                state.request = nil
                state.wait = nil
            }
            // Under the lock: if it is cancelled after this, it is ended by its outcome.
            return (request.serve(), state.wait)
        }
        guard isWanted, failure == nil else {
            wait?.cancel()
            if isWanted, let failure { request.finish(.failure(refined(failure))) }
            return
        }
        do throws(StorageError) {
            guard try takeOver(wait) else { return request.finish(.success(())) }
        } catch {
            // The lease was released again; a failure of the log is reported.
            if let failure = log.failure { onFailure(failure) }
            try? log.releaseLease()
            watchLog()
            return request.finish(.failure(refined(error)))
        }
        state.withLock { state in
            state.since = .now
            state.hasAsked = false
        }
        isWritingNow.store(true, ordering: .releasing)
        watchRequests()
        request.finish(.success(()))
    }

    /// Becomes the writer with the lock that was waited for; false if this process holds the lease
    /// already. After an error the log has the lock, or it is released.
    private func takeOver(_ wait: LockWait?) throws(StorageError) -> Bool {
        guard let lock = wait?.take() else { return false }
        try following.withLock { (following) throws(StorageError) in
            try following.follower.takeOver(lock)
        }
        return true
    }

    /// The error, or a more specific one if the store's folder does not exist.
    private func refined(_ error: StorageError) -> StorageError {
        if case .fileNotFound = error { .replaced(path: log.store.path) } else { error }
    }

    // MARK: Requests of other processes

    private func watchRequests() {
        following.withLock { $0.segments = [] }
        guard let queue else { return }
        try? queue.makeRequestFile()
        let isWatched = watch(queue.requestPath) { $0.answerRequests() }
        retry(unless: isWatched, { $0.isWriting }) { $0.watchRequests() }
        // Processes that began to wait before this are found here, later ones notify.
        answerRequests()
    }

    private func answerRequests() {
        guard isWriting, let queue, queue.isAwaited else { return }
        let remaining = state.withLock { state -> Duration? in
            if state.hasAsked { return nil }
            state.hasAsked = true
            return Self.slice - state.since.duration(to: .now)
        }
        guard let remaining else { return }
        if remaining <= .zero { return onRequest() }
        thread.runWhenIdle(after: remaining) { [self] in onRequest() }
    }

    /// Runs `job` on the thread whenever a file changes, which replaces the previous watch; false
    /// if the file cannot be watched.
    private func watch(_ path: String, _ job: @escaping @Sendable (StoreSharing) -> Void) -> Bool {
        let watch = FileWatcher.shared.watch(path, handler(job))
        following.withLock { $0.watch = watch }
        return watch != nil
    }

    /// A handler that runs `job` on the thread, coalesced, since a file may be written more often
    /// than the job can run.
    private func handler(
        _ job: @escaping @Sendable (StoreSharing) -> Void
    ) -> FileWatcher.Handler {
        let repeated = RepeatedJob(on: thread) { [weak self] in
            if let self { job(self) }
        }
        return { repeated.run() }
    }

    /// How soon a failed watch is retried, and how long a follower is idle before it switches to
    /// the newest checkpoint.
    private static let retryInterval = Duration.seconds(1)

    /// Calls `body` later, if that is still necessary.
    private func retry(
        unless isDone: Bool, _ isNeeded: @escaping @Sendable (StoreSharing) -> Bool,
        _ body: @escaping @Sendable (StoreSharing) -> Void
    ) {
        if isDone { return }
        thread.runWhenIdle(after: Self.retryInterval) { [weak self] in
            if let self, isNeeded(self) { body(self) }
        }
    }

    /// Releases the writer lease and follows from here on. The caller has the write turn, and all
    /// writes are durable, or have failed.
    package func releaseLease(completion: @escaping @Sendable () -> Void) {
        let isRunning = thread.run { [self] in
            if isWriting {
                isWritingNow.store(false, ordering: .releasing)
                state.withLock { $0.released = .now }
                thread.cancelIdleJob()
                do throws(StorageError) {
                    try following.withLock { (following) throws(StorageError) in
                        try following.follower.releaseLease()
                    }
                } catch {
                    onFailure(error)
                }
                watchLog()
            }
            completion()
        }
        if !isRunning { completion() }
    }

    // MARK: Following

    private func watchLog() {
        let store = log.store
        // A relaxed store is followed when it is written, others when the horizon is. Before the
        // first sync there is no horizon.
        following.withLock { following in
            following.watch = nil
            following.segments = []
        }
        let isWatched =
            log.options.durability == .fsync && watch(store.horizonPath) { $0.follow() }
            || watch(store.logPath) { $0.logHasChanged() }
        retry(unless: isWatched, { !$0.isWriting }) { $0.watchLog() }
        follow()
    }

    /// A file was created in the log's folder.
    private func logHasChanged() {
        if isWriting { return }
        // Perhaps the horizon.
        if log.options.durability == .fsync { return watchLog() }
        // Or a segment was replaced, while the watch is for the previous file.
        following.withLock { $0.segments = [] }
        follow()
    }

    private func follow() {
        var hasFollowed = false
        repeat {
            // A store that has failed keeps its published version.
            if isWriting || log.failure != nil { return }
            do throws(StorageError) {
                let isNew = try following.withLock { (following) throws(StorageError) -> Bool in
                    let before = following.follower.position
                    try following.follower.follow()
                    return following.follower.position != before
                }
                if isNew { hasFollowed = true }
            } catch {
                let isTransient = following.withLock { $0.follower.isTransient(error) }
                guard isTransient else { return onFailure(error) }
                return thread.runWhenIdle(after: Self.retryInterval) { [weak self] in
                    self?.followAgain()
                }
            }
            // Nothing has notified of writes before the watch began.
        } while log.options.durability == .written && watchSegments()
        // Not postponed by each poll of a log that cannot be watched.
        let isPolled = !hasFollowed && following.withLock { $0.watch != nil }
        thread.runWhenIdle(after: Self.retryInterval, keepingPrevious: isPolled) {
            [weak self] in self?.renew()
        }
    }

    /// Retries following, and failed watches.
    private func followAgain() {
        if isWriting { return }
        if following.withLock({ $0.watch == nil }) { watchLog() } else { follow() }
    }

    /// After an idle time, switches to the newest checkpoint, which may have other page files.
    /// Nothing more is followed if the store was removed or replaced.
    private func renew() {
        if isWriting || log.failure != nil { return }
        do throws(StorageError) {
            try following.withLock { (following) throws(StorageError) in
                try following.follower.renew()
            }
        } catch {
            following.withLock { following in
                following.watch = nil
                following.segments = []
            }
            return onFailure(error)
        }
        // This idle job has replaced the retry of a failed watch.
        if following.withLock({ $0.watch == nil }) { watchLog() }
    }

    /// Watches the files that the next commits are written to: the current segment, and the next
    /// one, which is prepared ahead. False if they were watched already.
    private func watchSegments() -> Bool {
        following.withLock { following in
            let first = following.follower.segment
            let known = following.segments
            following.segments = [first, first.next].compactMap { index in
                if let one = known.first(where: { $0.index == index }) { return one }
                let path = log.store.path(of: index)
                return FileWatcher.shared.watch(path, handler { $0.follow() })
                    .map { (index, $0) }
            }
            return following.segments.contains { one in
                !known.contains { $0.index == one.index }
            }
        }
    }
}
