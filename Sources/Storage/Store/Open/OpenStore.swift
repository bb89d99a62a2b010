import Synchronization

/// One store that this process has open: its engine, who may write, what other processes want, and
/// what goes on beside reads and writes.
///
/// Not an actor: snapshots are taken without waiting, and exclusion among writers comes from
/// ``TurnQueue``, whose turn is held across awaits.
package final class OpenStore: Sendable {
    /// How a store behaves while it is open.
    package struct Options: Sendable {
        /// Whether it has files; else it is in memory.
        package var hasFiles: Bool
        package var readOnly = false
        /// How long a write waits for its turn; nil for as long as it takes.
        package var writeTimeout: Duration?
        /// How often the log is synced; nil when every commit is.
        package var syncInterval: Duration?
        /// Told what the store has done, on the thread that did it, perhaps with the write turn: it
        /// takes note and returns. Nil when nobody monitors the store.
        package var onEvent: (@Sendable (StoreEvent) -> Void)?

        var isMonitored: Bool { onEvent != nil }

        package init(hasFiles: Bool) { self.hasFiles = hasFiles }
    }

    typealias Lifecycle = StoreLifecycle<UnsafeContinuation<StoreNews, Never>>

    struct State {
        var engine: TransactionEngine
        /// Nil where no other process can have the store open.
        var sharing: StoreSharing?
        /// Nil where the realm is not on a shared log.
        var hosts: HostSharing?
        /// Why what other processes write is no longer shown.
        var failure: StorageError?
        /// What is under way of closing, reopening and suspending.
        var lifecycle = Lifecycle()
        /// Finished when the log has been closed, after which the files can be opened anew. One for
        /// each time that the store was opened.
        var closing = EndSignal()
    }

    package let options: Options
    /// Who writes, and who waits for that.
    package let turns = TurnQueue()
    package let account: NodeAccount
    /// Whether other hosts append to its log as well.
    package let isOnSharedLog: Bool
    let audience: any StoreAudience
    let state: Mutex<State>
    let upkeep = Upkeep()
    let imageJob = SharedImageJob()
    /// Syncs a relaxed store while it is open.
    let syncTimer: Mutex<Task<Void, Never>?> = Mutex(nil)
    /// Whether nobody uses it any more but what goes on beside reads and writes.
    let isReleased = Atomic<Bool>(false)

    /// Starts nothing that goes on by itself: see ``begin(_:)``.
    package init(_ replayed: ReplayedStore, _ options: Options, audience: any StoreAudience) {
        self.options = options
        self.audience = audience
        account = replayed.account
        isOnSharedLog = replayed.isOnSharedLog
        let engine = replayed.makeEngine(audience, measuresGroups: options.isMonitored)
        state = Mutex(State(engine: engine))
    }

    deinit {
        syncTimer.withLock { $0 }?.cancel()
        let (engine, sharing, hosts, closing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.hosts, $0.closing, $0.lifecycle.isClosed)
        }
        if isClosed { return }
        hosts?.stop()
        imageJob.cancel()
        audience.finish(nil)
        let close: @Sendable () -> Void = { engine.close { _ in closing.finish() } }
        if let sharing { sharing.stop(completion: close) } else { close() }
    }

    package var engine: TransactionEngine { state.withLock { $0.engine } }
    package var sharing: StoreSharing? { state.withLock { $0.sharing } }
    package var hosts: HostSharing? { state.withLock { $0.hosts } }
    package var closing: EndSignal { state.withLock { $0.closing } }
    package var isClosed: Bool { state.withLock { $0.lifecycle.isClosed } }
    /// Whether what goes on beside reads and writes is to end.
    var isEnding: Bool { isReleased.load(ordering: .acquiring) || isClosed }
    package var isSuspended: Bool { state.withLock { $0.lifecycle.suspension == .holds } }

    /// Why the store no longer writes, nil while it does.
    package var failure: StorageError? {
        let (engine, failure) = state.withLock { ($0.engine, $0.failure) }
        return engine.failure ?? failure
    }

    /// The other hosts, where they have appended what is to be applied before a write.
    private var hostsToCatchUpWith: HostSharing? {
        guard isOnSharedLog, let hosts, hosts.journal.isBehind else { return nil }
        return hosts
    }

    // MARK: Turns

    /// Takes the turn to write, and finds the writer lease there, without waiting for either: nil
    /// where that is not so, and nothing was taken.
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

    /// Takes the turn to write and the writer lease, for a write that may begin now.
    ///
    /// - Throws: ``StorageError``: the store is closed or read-only, or the wait takes too long;
    ///   `CancellationError`. The turn is then not held.
    package func takeTurn(
        _ name: String, author: String?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> TransactionEngine {
        if isOnSharedLog { await hosts?.awaitTurn(timeout: options.writeTimeout) }
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
                if let hosts = hostsToCatchUpWith { try await catchUp(with: hosts, to: .near) }
                if engine.isMemorySpent { await awaitMemory(engine) }
                return engine
            } catch StorageError.closed(let path) where !isClosed {
                // A reopening has ended the wait for the lease, and itself waits for the turn.
                releaseTurn()
                guard await isReopened(), self.engine !== known else {
                    throw StorageError.closed(path: path)
                }
            } catch {
                releaseTurn()
                throw error
            }
        }
    }

    /// The engine of a store that can be written.
    private func writable() throws(StorageError) -> (TransactionEngine, StoreSharing?) {
        let (engine, sharing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.lifecycle.isClosed)
        }
        if isClosed { throw .closed(path: "The store") }
        if options.readOnly { throw .readOnly }
        return (engine, sharing)
    }

    /// Waits for a checkpoint when what only that can free has filled the memory budget.
    func awaitMemory(_ engine: TransactionEngine) async {
        // Unsafe: the engine calls back exactly once.
        await withUnsafeContinuation { continuation in
            engine.checkpointForMemory { continuation.resume() }
        }
    }

    /// Gives up the turn to write. Commits that were gathered for the next writer's go to the log
    /// when there is none.
    package func releaseTurn() {
        if !turns.release() { engine.submitGathered() }
    }

    /// Waits until every commit so far is published, or known to have failed.
    package func drain() async {
        let engine = engine
        // Each continuation is resumed once: by the engine, at once or when the last group is
        // synced.
        _ = try? await withUnsafeThrowingContinuation { continuation in
            engine.awaitTip(.continuation(continuation))
        }
    }
}
