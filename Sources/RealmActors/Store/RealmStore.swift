import Foundation
import Storage
import Synchronization

/// One open store with its models, shared by every handle on it. ``OpenStore`` manages its files.
final class RealmStore: Sendable {
    let configuration: any StoreConfiguration
    /// The present key of the store, which `rekey(to:)` replaces.
    let encryptionKey: Mutex<EncryptionKey?>
    let models: ModelMap
    let open: OpenStore
    let writer: WriterActor
    let versions: VersionTable
    let pinner: VersionPinner
    let hub: CommitHub<Snapshot>
    let pace = WriterPace()
    /// Nil without a monitor.
    let monitoring: StoreMonitoring?
    private let empty: SnapshotRoot

    /// Starts no background work: see ``OpenStore/begin(_:)``.
    init(_ configuration: any StoreConfiguration, _ opened: OpenedStore) {
        self.configuration = configuration
        encryptionKey = Mutex(configuration.encryptionKey)
        let replayed = opened.replayed
        let schema = replayed.tree.schema
        models = ModelMap(
            storeID: opened.storeID, history: opened.history, models: opened.models,
            schema: schema)
        empty = WorkingTree(schema: schema, account: replayed.account).capture(version: .zero)
        let latest = LatestSnapshot()
        let hub = CommitHub(latest: { latest.take() }, at: { latest.take($0) })
        self.hub = hub
        let monitoring = StoreMonitoring(configuration)
        self.monitoring = monitoring
        var options = configuration.openOptions
        if let monitoring { options.onEvent = { monitoring.note($0) } }
        let open = OpenStore(replayed, options, observer: HubCommitObserver(hub))
        self.open = open
        let writer = WriterActor(turns: open.turns)
        self.writer = writer
        let versions = VersionTable()
        self.versions = versions
        // Weak: the hub, which the open store refers to, keeps the queue.
        let queue = AdmissionQueue(
            table: versions, limit: configuration.maximumNumberOfActiveVersions,
            timeout: configuration.releaseTimeout
        ) { [weak open] in
            guard let open, !open.isClosed else { return nil }
            let engine = open.engine
            return engine.failure == nil ? engine.latestName : nil
        }
        if queue.hasQueue { hub.watchVersions(queue) }
        pinner = VersionPinner(writer: writer, queue: queue)
        latest.store.withLock { $0 = WeakStore(self) }
    }

    /// Makes a store and starts its background work.
    static func started(
        _ configuration: any StoreConfiguration, _ opened: OpenedStore
    ) -> RealmStore {
        let store = RealmStore(configuration, opened)
        store.open.begin(opened.replayed)
        store.monitoring?.begin(store)
        return store
    }

    // The last handle was released; the files may be in use for a moment longer.
    deinit {
        monitoring?.stop()
        open.release()
        if !open.isClosed { hub.end(nil) }
    }

    var account: NodeAccount { open.account }
    var engine: TransactionEngine { open.engine }
    var isClosed: Bool { open.isClosed }

    /// A version without any object, for invalidated contexts.
    var emptyView: TreeView { empty.view }

    /// Seconds since 1970.
    var now: Double { Date().timeIntervalSince1970 }

    func snapshot(label: String?) -> Snapshot {
        Snapshot(SnapshotHandle(self, label: label))
    }

    /// Why the store no longer accepts writes; nil while it does.
    var failure: RealmError? { open.failure.map { RealmError($0) } }

    /// Takes the turn without waiting; nil, without taking it, if it would have to wait.
    ///
    /// - Throws: when the store is closed or read-only, or the task is cancelled.
    func tryTakeTurn(_ name: String, author: String?) throws -> TransactionEngine? {
        try Task.checkCancellation()
        if pinner.isBounded { return nil }
        do throws(StorageError) {
            return try open.tryTakeTurn(name, author: author)
        } catch {
            throw RealmError(error)
        }
    }

    /// Takes the turn for a write that may then begin.
    ///
    /// When too many versions are held, releases the turn, waits until some of them are released,
    /// and tries again, before writes that arrived later. `refresh` advances a live realm to the
    /// newest version: each time that the turn was taken, when every commit so far is published,
    /// and without the turn after each newer version while the write waits.
    ///
    /// - Throws: when the store is closed or read-only, too many versions are held, the wait times
    ///   out or the task is cancelled; the turn is then not held.
    func takeTurn(
        _ name: String, author: String? = nil, isolation: isolated (any Actor)? = #isolation,
        refresh: (() -> Void)? = nil
    ) async throws -> TransactionEngine {
        var place: AdmissionQueue.Place?
        defer { pinner.leave(place) }
        while true {
            let engine: TransactionEngine
            do {
                engine = try await open.takeTurn(name, author: author)
            } catch let error as StorageError {
                throw RealmError(error)
            }
            var shown: VersionName?
            if let refresh {
                do {
                    try await awaitTip(of: engine, isolation: isolation)
                } catch {
                    releaseTurn()
                    throw error
                }
                // Read first: other processes may commit while the realm advances.
                if pinner.isBounded { shown = engine.latestName }
                // Before the held versions are counted, so that the version that the realm leaves
                // does not count.
                refresh()
            }
            // A store that has failed refuses the write when that begins.
            guard pinner.isBounded, engine.failure == nil else { return engine }
            let latest = engine.latestName
            if await pinner.admits(&place, onTopOf: latest, shown: shown) { return engine }
            releaseTurn()
            while try await pinner.awaitRelease(place) == .advance { refresh?() }
        }
    }

    /// Waits until every commit so far is published.
    private func awaitTip(
        of engine: TransactionEngine, isolation: isolated (any Actor)?
    ) async throws {
        try await RealmError.translating(isolation: isolation) {
            // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
            _ = try await withUnsafeThrowingContinuation(isolation: isolation) { continuation in
                engine.awaitTip(.continuation(continuation))
            }
        }
    }

    /// Releases the turn.
    func releaseTurn() { open.releaseTurn() }

    /// Closes the log after every write that has begun.
    func close() async throws {
        defer {
            // Writes that wait for a version to be released find the store closed.
            pinner.resumeEligible()
            // Snapshots stay readable, and other processes may remove the files from here on.
            if isClosed { account.trapsOnFailure = false }
        }
        try await RealmError.translating { try await open.close() }
    }

    var statistics: Realm.Statistics {
        let engine = engine
        let commits = engine.statistics
        return Realm.Statistics(
            commits: commits.commits, syncs: commits.syncs, liveBytes: engine.liveBytes,
            residentBytes: account.byteCount, residentNodes: account.nodeCount,
            diskBytes: (try? engine.allocatedBytes()) ?? 0)
    }
}

extension StoreConfiguration {
    fileprivate var openOptions: OpenStore.Options {
        var options = OpenStore.Options(hasFiles: path != nil)
        options.readOnly = readOnly
        options.writeTimeout = writeTimeout
        options.syncInterval = syncInterval
        return options
    }
}

/// Notifies the subscribers of a store on behalf of its engine.
///
/// A type of its own rather than a conformance of the generic hub, which would not be specialised
/// behind the protocol.
private final class HubCommitObserver: CommitObserver {
    private let hub: CommitHub<Snapshot>

    init(_ hub: CommitHub<Snapshot>) { self.hub = hub }

    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) {
        hub.publish(commits, makeLatest: makeLatest)
    }

    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool {
        hub.deliversEveryVersion(of: classes)
    }

    func finish(_ failure: StorageError?) { hub.end(failure.map { RealmError($0) }) }

    func restart(_ makeLatest: () -> Version) { hub.restart(makeLatest) }
}
