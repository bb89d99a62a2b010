import Synchronization

/// How a store gets along with other processes that have it open.
extension OpenStore {
    /// How long other processes wait to be noticed, after a store was opened.
    private static let sharingDelay = Duration.milliseconds(5)

    /// From here on, or a moment later, other processes are followed and get their turn to write.
    func beginSharing(_ replayed: ReplayedStore) {
        let sharing = makeSharing(replayed, engine)
        state.withLock { $0.sharing = sharing }
        guard let sharing else { return }
        // Watching takes two threads. A program that has just opened a store and begins to read it
        // would find the processors busy with making them, and with the cooperative pool's, which a
        // task that sleeps would ask for.
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

    /// Gives the writer lease to the process that asked for it, in turn with the writes of this
    /// one.
    private func releaseLeaseInTurn() async {
        // The lease is released between checkpoints. While one is written the writes of this
        // process go on: the turn is taken behind it.
        let engine = engine
        if engine.isCheckpointing { try? await BlockingWork.run { engine.awaitCheckpoint() } }
        guard (try? await turns.take("another process", timeout: nil)) != nil else { return }
        await releaseLease()
        releaseTurn()
    }

    /// Waits until all writes are durable, and gives up the writer lease, where there is one. The
    /// caller has the turn.
    func releaseLease() async {
        // Without a lease too: a collected commit may wait for a next writer that never comes.
        await drain()
        guard let sharing, sharing.isWriting else { return }
        let held = sharing.leaseAge
        // Unsafe: called back exactly once.
        await withUnsafeContinuation { continuation in
            sharing.releaseLease { continuation.resume() }
        }
        options.onEvent?(.leaseReleased(held: held))
    }

    /// Ends following, and what waits for other processes.
    func stopSharing() async {
        guard let sharing else { return }
        // Unsafe: called back exactly once.
        await withUnsafeContinuation { continuation in
            sharing.stop { continuation.resume() }
        }
    }

    /// Why the turn did not come. When it is another process that keeps everybody waiting, the
    /// error says so.
    func refusal(_ error: any Error) -> any Error {
        guard case StorageError.turnTaken = error, let sharing, !sharing.isWriting, !isSuspended
        else { return error }
        return StorageError.busy(process: sharing.holder)
    }

    /// Acquires the writer lease for this process. The caller has the turn.
    ///
    /// - Throws: ``StorageError/busy(process:)`` when another process has not given it up within
    ///   the options' `writeTimeout`; `CancellationError`; why the log cannot be read.
    func awaitLease(
        _ sharing: StoreSharing, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let start = ContinuousClock.now
        let deadline = options.writeTimeout.map { start + $0 }
        let cell = CancellableRequest(sharing)
        let timer = deadline.map { deadline in
            Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                cell.giveUp(.busy(process: sharing.holder))
            }
        }
        defer { timer?.cancel() }
        do {
            try await withTaskCancellationHandler {
                // Unsafe: a request ends once.
                try await withUnsafeThrowingContinuation(isolation: isolation) {
                    (continuation: UnsafeContinuation<Void, any Error>) in
                    cell.begin(StoreSharing.Request { continuation.resume(with: $0) })
                }
            } onCancel: {
                cell.giveUp(nil)
            }
            options.onEvent?(.leaseAcquired(waited: start.duration(to: .now)))
            // Too late to give the request up, not to begin a write.
            try Task.checkCancellation()
        } catch StorageError.invalid(Self.cancelled) {
            throw CancellationError()
        }
    }

    fileprivate static let cancelled = "The write was cancelled."

    /// What others write cannot be read: everybody who watches is notified, and what was published
    /// stays.
    func followingFailed(_ error: StorageError) {
        state.withLock { $0.failure = $0.failure ?? error }
        audience.finish(error)
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
        // As one step: a request that has ended is never made.
        state.withLock { state in
            state.request = request
            if let ended = state.hasEnded { return request.finish(.failure(ended)) }
            sharing.acquire(request)
        }
    }

    /// Nil: the task was cancelled.
    func giveUp(_ reason: StorageError?) {
        let error = reason ?? .invalid(OpenStore.cancelled)
        let request = state.withLock { state in
            state.hasEnded = state.hasEnded ?? error
            return state.request
        }
        guard let request else { return }
        sharing.cancel(request)
        request.giveUp(error)
    }
}
