import Synchronization

/// A store that this process has open: its engine, the queue of its writers, its sharing with other
/// processes and hosts, and its background work.
///
/// Not an actor: snapshots are taken without waiting, and ``TurnQueue`` provides mutual exclusion
/// of writers, also across awaits.
package final class OpenStore: Sendable {
    /// How a store behaves while it is open.
    package struct Options: Sendable {
        /// Whether it has files; otherwise it is in memory.
        package var hasFiles: Bool
        package var readOnly = false
        /// How long a write waits for its turn; nil for as long as it takes.
        package var writeTimeout: Duration?
        /// The interval at which the log is synced; nil if every commit is.
        package var syncInterval: Duration?
        /// Called with events, on the thread that has caused them, perhaps with the write turn, so
        /// it must return at once. Nil if the store is not monitored.
        package var onEvent: (@Sendable (StoreEvent) -> Void)?

        var isMonitored: Bool { onEvent != nil }

        package init(hasFiles: Bool) { self.hasFiles = hasFiles }
    }

    typealias Lifecycle = StoreLifecycle<UnsafeContinuation<LifecycleReply, Never>>

    struct State {
        var engine: TransactionEngine
        /// Nil if no other process can have the store open.
        var sharing: StoreSharing?
        /// Nil if the realm is not on a shared log.
        var hosts: HostSharing?
        /// The error that has ended following other processes.
        var failure: StorageError?
        /// The state of closing, reopening and suspending.
        var lifecycle = Lifecycle()
        /// Finished when the log was closed, so that the files can be opened again. Replaced each
        /// time the store is opened.
        var closing = EndSignal()
    }

    package let options: Options
    /// The writer and those that wait to write.
    package let turns = TurnQueue()
    package let account: NodeAccount
    /// Whether other hosts append to its log as well.
    package let isOnSharedLog: Bool
    let observer: any CommitObserver
    let state: Mutex<State>
    let upkeep = Upkeep()
    let imageJob = SharedImageJob()
    /// Syncs a relaxed store while it is open.
    let syncTimer: Mutex<Task<Void, Never>?> = Mutex(nil)
    /// Whether only background work still uses the store.
    let isReleased = Atomic<Bool>(false)

    /// Does not start the background work: see ``begin(_:)``.
    package init(_ replayed: ReplayedStore, _ options: Options, observer: any CommitObserver) {
        self.options = options
        self.observer = observer
        account = replayed.account
        isOnSharedLog = replayed.isOnSharedLog
        let engine = replayed.makeEngine(observer, measuresGroups: options.isMonitored)
        state = Mutex(State(engine: engine))
    }

    deinit {
        syncTimer.withLock { $0 }?.cancel()
        let (engine, sharing, hosts, closing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.hosts, $0.closing, $0.lifecycle.isClosed)
        }
        if isClosed { return }
        hosts?.stop()
        hosts?.end()
        imageJob.cancel()
        observer.finish(nil)
        let close: @Sendable () -> Void = { engine.close { _ in closing.finish() } }
        if let sharing { sharing.stop(completion: close) } else { close() }
    }

    package var engine: TransactionEngine { state.withLock { $0.engine } }
    package var sharing: StoreSharing? { state.withLock { $0.sharing } }
    package var hosts: HostSharing? { state.withLock { $0.hosts } }
    package var closing: EndSignal { state.withLock { $0.closing } }
    package var isClosed: Bool { state.withLock { $0.lifecycle.isClosed } }
    /// Whether background work has to end.
    var isEnding: Bool { isReleased.load(ordering: .acquiring) || isClosed }
    package var isSuspended: Bool { state.withLock { $0.lifecycle.suspension == .holds } }

    /// The latched error that has stopped writing; nil while the store writes.
    package var failure: StorageError? {
        let (engine, failure) = state.withLock { ($0.engine, $0.failure) }
        return engine.failure ?? failure
    }

    /// The other hosts, if they have appended entries that must be applied before a write.
    private var hostsToCatchUpWith: HostSharing? {
        guard isOnSharedLog, let hosts, hosts.journal.isBehind else { return nil }
        return hosts
    }

    // MARK: Turns

    /// Takes the turn to write without waiting, if this process holds the writer lease; otherwise
    /// nil, without the turn.
    ///
    /// - Throws: ``StorageError``: the store is closed or read-only.
    package func tryTakeTurn(
        _ name: String, author: String?
    ) throws(StorageError) -> TransactionEngine? {
        guard turns.tryTake(name, author: author) else { return nil }
        do throws(StorageError) {
            let (engine, sharing) = try writable()
            let isReady = sharing?.isWriting ?? true && hostsToCatchUpWith == nil
            if isReady, !engine.isMemorySpent { return engine }
        } catch {
            releaseTurn()
            throw error
        }
        releaseTurn()
        return nil
    }

    /// Waits for the turn to write and for the writer lease.
    ///
    /// - Throws: ``StorageError``: the store is closed or read-only, or the wait takes too long;
    ///   `CancellationError`. The turn is then not held.
    package func takeTurn(
        _ name: String, author: String?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> TransactionEngine {
        let deadline = options.writeTimeout.map { Instant.now + $0 }
        if isOnSharedLog { await hosts?.awaitLease(timeout: options.writeTimeout) }
        while true {
            do {
                try await turns.take(name, author: author, timeout: options.writeTimeout)
            } catch {
                throw refusal(error)
            }
            let known = self.engine
            do {
                try Task.checkCancellation()
                let (engine, sharing) = try writable()
                if let sharing, !sharing.isWriting { try await awaitLease(sharing) }
                if let hosts = hostsToCatchUpWith {
                    try await catchUp(with: hosts, to: .near, until: deadline)
                }
                if engine.isMemorySpent { await awaitMemory(engine) }
                return engine
            } catch StorageError.closed(let path) where !isClosed {
                // A reopening, which waits for the turn, has ended the wait for the lease.
                releaseTurn()
                guard try await isReopened(), self.engine !== known else {
                    throw StorageError.closed(path: path)
                }
            } catch {
                releaseTurn()
                throw error
            }
        }
    }

    /// The engine, if the store can be written.
    private func writable() throws(StorageError) -> (TransactionEngine, StoreSharing?) {
        let (engine, sharing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.lifecycle.isClosed)
        }
        if isClosed { throw .closed(path: "The store") }
        if options.readOnly { throw .readOnly }
        return (engine, sharing)
    }

    /// Waits for a checkpoint, if the memory budget is spent on nodes that only a checkpoint can
    /// free.
    func awaitMemory(_ engine: TransactionEngine) async {
        // Unsafe: the engine calls back exactly once.
        await withUnsafeContinuation { continuation in
            engine.checkpointForMemory { continuation.resume() }
        }
    }

    /// Releases the turn to write. Without a next writer, the collected commits are submitted to
    /// the log.
    package func releaseTurn() {
        if !turns.release() { engine.submitGathered() }
    }

    /// Waits until every commit so far is published, or has failed.
    package func drain() async {
        let engine = engine
        // Each continuation is resumed once: by the engine, at once or when the last group is
        // synced.
        _ = try? await withUnsafeThrowingContinuation { continuation in
            engine.awaitTip(.continuation(continuation))
        }
    }
}
