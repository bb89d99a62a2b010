import Foundation
import Storage
import Synchronization

/// One open store, shared by every handle on it.
final class RealmStore: Sendable {
    let configuration: any StoreConfiguration
    /// The key that the store is opened with by now, which is another after `rekey(to:)`.
    let encryptionKey: Mutex<EncryptionKey?>
    let models: ModelMap
    let writer = WriterActor()
    let versions: VersionTable
    let pinner: VersionPinner
    let hub: CommitHub<Snapshot>
    let pace = WriterPace()

    typealias Lifecycle = StoreLifecycle<UnsafeContinuation<StoreNews, Never>>

    struct State {
        var engine: TransactionEngine
        /// Nil where no other process can have the store open.
        var sharing: StoreSharing?
        /// Why what other processes write is no longer shown.
        var failure: RealmError?
        /// What is under way of closing, reopening and suspending.
        var lifecycle = Lifecycle()
        /// Told when the log has been closed, after which the files can be opened anew. One for
        /// each time that the store was opened.
        var closing = EndSignal()
    }

    let state: Mutex<State>
    /// Whether a compaction, or giving up memory, that nobody asked for is under way.
    let isKeepingUp = Atomic<Bool>(false)
    let account: NodeAccount
    private let empty: SnapshotRoot
    /// Syncs a relaxed store while it is open.
    let syncTimer: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Starts nothing that goes on by itself: see ``started(_:_:)``.
    init(_ configuration: any StoreConfiguration, _ opened: OpenedStore) {
        self.configuration = configuration
        encryptionKey = Mutex(configuration.encryptionKey)
        models = ModelMap(
            storeID: opened.storeID, models: opened.models, schema: opened.tree.schema)
        account = opened.account
        empty = WorkingTree(schema: opened.tree.schema, account: account).capture(version: .zero)
        let versions = VersionTable()
        self.versions = versions
        pinner = VersionPinner(
            writer: writer, table: versions,
            limit: configuration.maximumNumberOfActiveVersions,
            timeout: configuration.releaseTimeout)
        let latest = LatestSnapshot()
        let hub = CommitHub(latest: { latest.take() }, at: { latest.take($0) })
        self.hub = hub
        state = Mutex(State(engine: opened.makeEngine(hub)))
        latest.store.withLock { $0 = WeakStore(self) }
    }

    deinit {
        syncTimer.withLock { $0 }?.cancel()
        let (engine, sharing, closing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.closing, $0.lifecycle.isClosed)
        }
        if isClosed { return }
        hub.end(nil)
        let close: @Sendable () -> Void = { engine.close { _ in closing.finish() } }
        if let sharing { sharing.stop(completion: close) } else { close() }
    }

    var engine: TransactionEngine { state.withLock { $0.engine } }
    var sharing: StoreSharing? { state.withLock { $0.sharing } }
    var closing: EndSignal { state.withLock { $0.closing } }
    var isClosed: Bool { state.withLock { $0.lifecycle.isClosed } }
    var isSuspended: Bool { state.withLock { $0.lifecycle.suspension == .holds } }

    func noteFailure(_ error: RealmError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// How long other processes wait to be noticed, after a store was opened.
    private static let sharingDelay = Duration.milliseconds(5)

    /// From here on, or a moment later, other processes are followed and get their turn to write.
    func beginSharing(_ opened: OpenedStore) {
        let sharing = Self.makeSharing(opened, engine, WeakStore(self))
        state.withLock { $0.sharing = sharing }
        guard let sharing else { return }
        // Watching takes two threads. Whoever has just opened a store and begins to read it would
        // find the processors busy with making them, and with the cooperative pool's, which a task
        // that sleeps would ask for.
        let isLater = Platform.runOnThread { [weak sharing] in
            Platform.pause(for: Self.sharingDelay)
            sharing?.begin()
        }
        if !isLater { sharing.begin() }
    }

    /// A version without any object, for contexts that show none.
    var emptyView: TreeView { empty.view }

    /// Seconds since 1970.
    var now: Double { Date().timeIntervalSince1970 }

    func snapshot(label: String?) -> Snapshot {
        Snapshot(SnapshotHandle(self, label: label))
    }

    /// Why the store no longer writes, nil while it does.
    var failure: RealmError? {
        let (engine, failure) = state.withLock { ($0.engine, $0.failure) }
        return engine.failure.map { RealmError($0) } ?? failure
    }

    /// Takes the turn to write, for a write that may begin now.
    ///
    /// Waits for its turn and then, without keeping it from others, until few enough versions are
    /// held. `prepare` runs each time that the turn has come.
    ///
    /// - Throws: when the store is closed or read-only, too many versions are held, the wait takes
    ///   too long or the task is cancelled; the turn is then not held.
    func takeTurn(
        _ name: String, author: String? = nil, isolation: isolated (any Actor)? = #isolation,
        prepare: (TransactionEngine) async throws -> Void = { _ in }
    ) async throws -> TransactionEngine {
        var deadline: ContinuousClock.Instant?
        while true {
            if !writer.turns.tryTake(name, author: author) {
                try await awaitTurn(name, author: author)
            }
            let engine: TransactionEngine
            do {
                try Task.checkCancellation()
                let sharing: StoreSharing?
                (engine, sharing) = try openEngine()
                if let sharing, !sharing.isWriting { try await awaitLease(sharing) }
                await relieve(engine)
                try await prepare(engine)
                guard pinner.isBounded else { return engine }
                if await pinner.admits(onTopOf: engine.latest.version) { return engine }
            } catch {
                passTurn()
                throw error
            }
            passTurn()
            let limit = deadline ?? pinner.deadline
            deadline = limit
            try await pinner.awaitRelease(until: limit) { engine.latest.version }
        }
    }

    /// Waits for a checkpoint when what only that can free has filled the memory budget.
    func relieve(_ engine: TransactionEngine) async {
        guard engine.needsRelief else { return }
        // Unsafe: the engine calls back exactly once.
        await withUnsafeContinuation { continuation in
            engine.relieve { continuation.resume() }
        }
    }

    /// The engine of a store that can be written.
    private func openEngine() throws -> (TransactionEngine, StoreSharing?) {
        let (engine, sharing, isClosed) = state.withLock {
            ($0.engine, $0.sharing, $0.lifecycle.isClosed)
        }
        if isClosed { throw RealmError.closed }
        if configuration.readOnly { throw RealmError.readOnly }
        return (engine, sharing)
    }

    /// Gives up the turn to write. Commits that were gathered for the next writer's go to the log
    /// when there is none.
    func passTurn() {
        if !writer.turns.release() { engine.submitGathered() }
    }

    /// Waits until every commit so far is published, or known to have failed.
    func drain() async {
        let engine = engine
        // Each continuation is resumed once: by the engine, at once or when the last group is
        // synced.
        try? await withUnsafeThrowingContinuation { continuation in
            engine.awaitTip(.continuation(continuation))
        }
    }

    var statistics: Realm.Statistics {
        let commits = engine.statistics
        return Realm.Statistics(
            commits: commits.commits, syncs: commits.syncs, liveBytes: engine.liveBytes,
            residentBytes: account.byteCount, residentNodes: account.nodeCount,
            diskBytes: (try? engine.allocatedBytes()) ?? 0)
    }
}
