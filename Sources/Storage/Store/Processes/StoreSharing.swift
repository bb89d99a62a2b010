import Synchronization

/// This process among all that have a store open: whether it writes, or follows the one that does.
///
/// One process has the writer lease. It keeps it while it is idle, so that a process that is
/// alone pays for it once, and gives it up when another one asks. Who has it not follows the log.
package final class StoreSharing: Sendable {
    /// For how long a process that others wait for goes on writing at the most: long enough that
    /// several commits come of what handing over costs.
    private static let slice = Duration.milliseconds(4)

    /// A request for the writer lease, which ends once.
    package final class Request: Sendable {
        package typealias Completion = @Sendable (Result<Void, StorageError>) -> Void

        private struct State {
            var completion: Completion?
            var isServed = false
        }

        private let state: Mutex<State>

        package init(_ completion: @escaping Completion) {
            state = Mutex(State(completion: completion))
        }

        /// Ends it with an outcome, unless it has ended.
        package func finish(_ result: Result<Void, StorageError>) {
            end(result) { _ in true }
        }

        /// Ends it unless the lease is being taken for it: then the outcome of that ends it, and
        /// its maker keeps the write turn until then.
        package func giveUp(_ error: StorageError) {
            end(.failure(error)) { !$0.isServed }
        }

        /// Begins to take the lease for it; false when it has ended.
        func serve() -> Bool {
            state.withLock { state in
                state.isServed = true
                return state.completion != nil
            }
        }

        private func end(_ result: Result<Void, StorageError>, if mayEnd: (State) -> Bool) {
            let completion = state.withLock { state -> Completion? in
                guard mayEnd(state) else { return nil }
                defer { state.completion = nil }
                return state.completion
            }
            completion?(result)
        }
    }

    private struct State {
        var request: Request?
        /// The wait of a thread for the lock, for that request.
        var wait: LockWait?
        /// When this process got the writer lease.
        var since = ContinuousClock.now
        /// When it released it.
        var released: ContinuousClock.Instant?
        /// Whether the owner knows that another process waits.
        var hasAsked = false
    }

    /// How the log is followed, and what is watched for that.
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
    /// Used by jobs of the thread, so that nobody waits for it.
    private let following: Mutex<Following>
    /// Another process waits for the writer lease.
    private let onRequest: @Sendable () -> Void
    /// What others write can no longer be followed.
    private let onFailure: @Sendable (StorageError) -> Void

    /// Nil for a store whose files no other process can use.
    ///
    /// `onRequest` is to end in ``releaseLease(completion:)``, when nothing is being written.
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

    /// Begins to watch. Before that, nothing changes.
    package func begin() {
        thread.run { [self] in
            if isWriting { watchRequests() } else { watchLog() }
        }
    }

    /// Whether this process has the writer lease.
    package var isWriting: Bool { isWritingNow.load(ordering: .acquiring) }

    /// How long this process has had the writer lease, if it has it.
    var leaseAge: Duration { state.withLock { $0.since.duration(to: .now) } }

    /// The process that has the writer lease, or had it last.
    package var holder: Int32? { queue?.holder }

    /// Stops following, gives up every request, and calls `completion`. The writer lease stays as
    /// it is: the log that is closed next gives it up.
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

    /// Asks for the writer lease; `request` ends when it is there, and the versions of this process
    /// are those of the log. The caller has the write turn, so that there is one request at a time.
    package func acquire(_ request: Request) {
        state.withLock { $0.request = request }
        if thread.run({ [self] in requestLock(for: request) }) { return }
        cancel(request)
        request.finish(.failure(.closed(path: log.store.path)))
    }

    /// Cancels a request. When this has returned no lock is taken for it, nor held.
    package func cancel(_ request: Request) { withdraw(request)?.cancel() }

    /// Forgets a request that is still to be served; returns what waits for it.
    private func withdraw(_ request: Request) -> LockWait? {
        state.withLock { state in
            guard state.request === request else { return nil }
            state.request = nil
            defer { state.wait = nil }
            return state.wait
        }
    }

    private func requestLock(for request: Request) {
        // Another request may have been served since. Its lock would never come free for this one.
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
        let rest = released.map { LockWait.courtesy - $0.duration(to: .now) } ?? .zero
        let isWaiting = Platform.runOnThread { [self] in
            var failure: StorageError?
            do throws(StorageError) { _ = try wait.run(after: rest) } catch { failure = error }
            thread.run { [self, failure] in finish(request, failure) }
        }
        if !isWaiting { finish(request, .noThread(for: log.store.lockPath)) }
    }

    /// Ends a request, unless it was cancelled: with an error, or with the lock that was waited
    /// for; without either this process has the lease already.
    private func finish(_ request: Request, _ failure: StorageError?) {
        let (isWanted, wait) = state.withLock { state -> (Bool, LockWait?) in
            guard state.request === request else { return (false, nil) }
            defer {
                state.request = nil
                state.wait = nil
            }
            return (true, state.wait)
        }
        // A lock that nobody wants any more is released here.
        defer { wait?.cancel() }
        guard isWanted, request.serve() else { return }
        if let failure { return request.finish(.failure(onlyPresent(failure))) }
        guard let lock = wait?.take() else { return request.finish(.success(())) }
        do throws(StorageError) {
            try following.withLock { (following) throws(StorageError) in
                try following.follower.takeOver(lock)
            }
        } catch {
            // What was taken is given up again; a log that has failed says so.
            if let failure = log.failure { onFailure(failure) }
            try? log.releaseLease()
            watchLog()
            return request.finish(.failure(onlyPresent(error)))
        }
        state.withLock { state in
            state.since = .now
            state.hasAsked = false
        }
        isWritingNow.store(true, ordering: .releasing)
        watchRequests()
        request.finish(.success(()))
    }

    /// An error, or where not even the store's folder is there, that.
    private func onlyPresent(_ error: StorageError) -> StorageError {
        if case .fileNotFound = error { .replaced(path: log.store.path) } else { error }
    }

    // MARK: Letting others write

    private func watchRequests() {
        following.withLock { $0.segments = [] }
        guard let queue else { return }
        try? queue.makeBell()
        let isWatched = watch(queue.bell) { $0.answerRequests() }
        retry(unless: isWatched, { $0.isWriting }) { $0.watchRequests() }
        // Who began to wait before this is found here, who comes later rings.
        answerRequests()
    }

    private func answerRequests() {
        guard isWriting, let queue, queue.isAwaited else { return }
        let rest = state.withLock { state -> Duration? in
            if state.hasAsked { return nil }
            state.hasAsked = true
            return Self.slice - state.since.duration(to: .now)
        }
        guard let rest else { return }
        if rest <= .zero { return onRequest() }
        thread.runWhenIdle(after: rest) { [self] in onRequest() }
    }

    /// Has `job` run on the thread whenever a file changes, in place of what was watched before;
    /// false when it cannot be watched.
    private func watch(_ path: String, _ job: @escaping @Sendable (StoreSharing) -> Void) -> Bool {
        let watch = FileWatcher.shared.watch(path, handler(job))
        following.withLock { $0.watch = watch }
        return watch != nil
    }

    /// What has `job` run on the thread. A file is written more often than that may take.
    private func handler(
        _ job: @escaping @Sendable (StoreSharing) -> Void
    ) -> FileWatcher.Handler {
        let repeated = RepeatedJob(on: thread) { [weak self] in
            if let self { job(self) }
        }
        return { repeated.run() }
    }

    /// How soon it is tried again to watch what could not be watched, and how long nothing has to
    /// come for a process that follows to go on from the newest checkpoint.
    private static let retryInterval = Duration.seconds(1)

    /// Calls `body` later on, if there is still need to.
    private func retry(
        unless isDone: Bool, _ isNeeded: @escaping @Sendable (StoreSharing) -> Bool,
        _ body: @escaping @Sendable (StoreSharing) -> Void
    ) {
        if isDone { return }
        thread.runWhenIdle(after: Self.retryInterval) { [weak self] in
            if let self, isNeeded(self) { body(self) }
        }
    }

    /// Gives up the writer lease and follows from here on. The caller has the write turn, and
    /// everything that was written is durable, or has failed.
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
        // A store whose durability is relaxed is seen as it is written, others when they are
        // synced. Before the first sync there is no such file.
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

    /// There is a new file in the log's folder.
    private func logHasChanged() {
        if isWriting { return }
        // Perhaps the horizon.
        if log.options.durability == .fsync { return watchLog() }
        // Or a segment that was made anew: the watch is for the file that was there before.
        following.withLock { $0.segments = [] }
        follow()
    }

    private func follow() {
        repeat {
            // A store that has failed keeps what it shows.
            if isWriting || log.failure != nil { return }
            do throws(StorageError) {
                try following.withLock { (following) throws(StorageError) in
                    try following.follower.follow()
                }
            } catch {
                let mayPass = following.withLock { $0.follower.mayPass(error) }
                guard mayPass else { return onFailure(error) }
                return thread.runWhenIdle(after: Self.retryInterval) { [weak self] in
                    self?.followAgain()
                }
            }
            // What was written before they were watched nobody tells of.
        } while log.options.durability == .written && watchSegments()
        thread.runWhenIdle(after: Self.retryInterval) { [weak self] in self?.renew() }
    }

    /// Follows after a failure that may have passed, and watches what could not be watched.
    private func followAgain() {
        if isWriting { return }
        if following.withLock({ $0.watch == nil }) { watchLog() } else { follow() }
    }

    /// When nothing has come for a while, goes on from what the writer has left, whose page files
    /// may be others by now.
    private func renew() {
        if isWriting || log.failure != nil { return }
        // What could not be watched is tried again: this has taken the place of that.
        if following.withLock({ $0.watch == nil }) { return watchLog() }
        following.withLock { $0.follower.renew() }
    }

    /// Watches the files that the next commits are written to: the one that is read, and the one
    /// behind it, which is made ahead. False when they were watched before.
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
