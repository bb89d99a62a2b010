import Synchronization

/// The writer lease: how a store shares its files with other processes.
extension OpenStore {
    /// How long after opening a store the requests of other processes are watched.
    private static let sharingDelay = Duration.milliseconds(5)

    /// Starts to follow other processes and to release the lease to them, perhaps after a short
    /// delay.
    func beginSharing(_ replayed: ReplayedStore) {
        let sharing = makeSharing(replayed, engine)
        state.withLock { $0.sharing = sharing }
        guard let sharing else { return }
        // Watching takes two threads. Creating them at once would slow down the first reads after
        // opening, as would a sleeping task, which needs a thread of the cooperative pool.
        let isLater = Platform.runOnThread { [weak sharing] in
            Platform.pause(for: Self.sharingDelay)
            sharing?.begin()
        }
        if !isLater { sharing.begin() }
    }

    private func makeSharing(
        _ replayed: ReplayedStore, _ engine: TransactionEngine
    ) -> StoreSharing? {
        guard let files = replayed.files, files.isFollowable else { return nil }
        return StoreSharing(
            files, engine,
            onRequest: { [weak self] in
                guard let self else { return }
                Task.detached(executorPreference: UpkeepThread.executor) {
                    await self.releaseLeaseInTurn()
                }
            },
            onFailure: { [weak self] error in self?.followingFailed(error) })
    }

    /// Releases the writer lease to the process that asked for it, in turn with the writes of this
    /// one.
    private func releaseLeaseInTurn() async {
        // The lease is released between checkpoints. This process continues to write during one:
        // the turn is taken after it.
        let engine = engine
        if engine.isCheckpointing { try? await BlockingWork.run { engine.awaitCheckpoint() } }
        guard (try? await turns.take("another process", timeout: nil)) != nil else { return }
        await releaseLease()
        releaseTurn()
    }

    /// Waits until all writes are durable, and releases the writer lease, if this process holds it.
    /// The caller has the turn.
    func releaseLease() async {
        // Also without a lease: a collected commit may wait for a next writer that never comes.
        await drain()
        guard let sharing, sharing.isWriting else { return }
        let held = sharing.leaseAge
        // Unsafe: called back exactly once.
        await withUnsafeContinuation { continuation in
            sharing.releaseLease { continuation.resume() }
        }
        options.onEvent?(.leaseReleased(held: held))
    }

    /// Ends following, and all waits for other processes.
    func stopSharing() async {
        guard let sharing else { return }
        // Unsafe: called back exactly once.
        await withUnsafeContinuation { continuation in
            sharing.stop { continuation.resume() }
        }
    }

    /// The error of a wait for the turn. It says so if another process holds the lease, if the
    /// engine of a shared log does not respond, which the holder of the turn waits for, or if this
    /// host still applied the commits of others.
    func refusal(_ error: any Error) -> any Error {
        guard case StorageError.turnTaken = error, !isSuspended else { return error }
        if let hosts, !hosts.status.isConnected {
            return StorageError.sharedLogUnavailable(
                reason: "its engine does not respond, and another call waits for it")
        }
        if isApplyingCommits(error) { return StorageError.superseded }
        guard let sharing, !sharing.isWriting else { return error }
        return StorageError.busy(process: sharing.holder)
    }

    /// Acquires the writer lease for this process. The caller has the turn.
    ///
    /// - Throws: ``StorageError/busy(process:)`` when another process has not released it within
    ///   the options' `writeTimeout`; `CancellationError`; errors of reading the log.
    func awaitLease(
        _ sharing: StoreSharing, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let start = Instant.now
        let deadline = options.writeTimeout.map { start + $0 }
        let cell = CancellableRequest(sharing)
        let timer = deadline.map { deadline in
            Task {
                try await deadline.sleep()
                cell.cancel(.busy(process: sharing.holder))
            }
        }
        defer { timer?.cancel() }
        do {
            try await withCancellationHandler {
                // Unsafe: a request ends once.
                try await withUnsafeThrowingContinuation(isolation: isolation) {
                    (continuation: UnsafeContinuation<Void, any Error>) in
                    cell.begin(StoreSharing.Request { continuation.resume(with: $0) })
                }
            } onCancel: {
                cell.cancel(nil)
            }
            options.onEvent?(.leaseAcquired(waited: start.duration(to: .now)))
            // The request was served, but the write need not begin.
            try Task.checkCancellation()
        } catch StorageError.invalid(Self.cancelled) {
            throw CancellationError()
        }
    }

    fileprivate static let cancelled = "The write was cancelled."

    /// The log of other processes cannot be read: watchers are notified, and the published version
    /// stays.
    func followingFailed(_ error: StorageError) {
        state.withLock { $0.failure = $0.failure ?? error }
        observer.finish(error)
    }
}

/// A request for the writer lease that can be cancelled before it was made.
private final class CancellableRequest: Sendable {
    private struct State {
        var request: StoreSharing.Request?
        var hasEnded: StorageError?
    }

    private let sharing: StoreSharing
    private let state = Mutex(State())

    init(_ sharing: StoreSharing) { self.sharing = sharing }

    func begin(_ request: StoreSharing.Request) {
        // Under the lock, so that a cancelled request is never made.
        state.withLock { state in
            state.request = request
            if let ended = state.hasEnded { return request.finish(.failure(ended)) }
            sharing.acquire(request)
        }
    }

    /// Nil: the task was cancelled.
    func cancel(_ reason: StorageError?) {
        let error = reason ?? .invalid(OpenStore.cancelled)
        let request = state.withLock { state in
            state.hasEnded = state.hasEnded ?? error
            return state.request
        }
        guard let request else { return }
        sharing.cancel(request)
        request.abandon(error)
    }
}
