import Foundation
import Storage
import Synchronization

/// One open store as models see it, shared by every handle on it: what stands in the files is part
/// of ``OpenStore``.
final class RealmStore: Sendable {
    let configuration: any StoreConfiguration
    /// The key that the store is opened with by now, which is another after `rekey(to:)`.
    let encryptionKey: Mutex<EncryptionKey?>
    let models: ModelMap
    let open: OpenStore
    let writer: WriterActor
    let versions: VersionTable
    let pinner: VersionPinner
    let hub: CommitHub<Snapshot>
    let pace = WriterPace()
    /// Nil when nobody monitors the store.
    let monitoring: StoreMonitoring?
    private let empty: SnapshotRoot

    /// Starts nothing that goes on by itself: see ``OpenStore/begin(_:)``.
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
        let open = OpenStore(replayed, options, audience: HubAudience(hub))
        self.open = open
        let writer = WriterActor(turns: open.turns)
        self.writer = writer
        let limit = configuration.maximumNumberOfActiveVersions
        let versions = VersionTable(limit: limit) { open.isClosed ? nil : open.engine.latest.name }
        self.versions = versions
        pinner = VersionPinner(
            writer: writer, table: versions, limit: limit,
            timeout: configuration.releaseTimeout)
        latest.store.withLock { $0 = WeakStore(self) }
    }

    /// A store of what was opened, with what goes on beside its reads and writes.
    static func started(
        _ configuration: any StoreConfiguration, _ opened: OpenedStore
    ) -> RealmStore {
        let store = RealmStore(configuration, opened)
        store.open.begin(opened.replayed)
        store.monitoring?.begin(store)
        return store
    }

    // Nobody is left to read on; the files may be in use for a moment longer.
    deinit {
        monitoring?.stop()
        open.release()
        if !open.isClosed { hub.end(nil) }
    }

    var account: NodeAccount { open.account }
    var engine: TransactionEngine { open.engine }
    var isClosed: Bool { open.isClosed }

    /// A version without any object, for contexts that show none.
    var emptyView: TreeView { empty.view }

    /// Seconds since 1970.
    var now: Double { Date().timeIntervalSince1970 }

    func snapshot(label: String?) -> Snapshot {
        Snapshot(SnapshotHandle(self, label: label))
    }

    /// Why the store no longer writes, nil while it does.
    var failure: RealmError? { open.failure.map { RealmError($0) } }

    /// Takes the turn to write where nothing has to be waited for; else nil, and nothing was taken.
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

    /// Takes the turn to write, for a write that may begin now.
    ///
    /// Waits for its turn and then, without keeping it from others, until few enough versions are
    /// held. `prepare` runs each time that the turn has come.
    ///
    /// - Throws: when the store is closed or read-only, too many versions are held, the wait takes
    ///   too long or the task is cancelled; the turn is then not held.
    func takeTurn(
        _ name: String, author: String? = nil, isolation: isolated (any Actor)? = #isolation,
        prepare: ((TransactionEngine) async throws -> Void)? = nil
    ) async throws -> TransactionEngine {
        var deadline: ContinuousClock.Instant?
        while true {
            let engine: TransactionEngine
            do {
                engine = try await open.takeTurn(name, author: author)
            } catch let error as StorageError {
                throw RealmError(error)
            }
            do {
                try await prepare?(engine)
            } catch {
                releaseTurn()
                throw error
            }
            guard pinner.isBounded else { return engine }
            if await pinner.admits(onTopOf: engine.latest.name) { return engine }
            releaseTurn()
            let limit = deadline ?? pinner.deadline
            deadline = limit
            try await pinner.awaitRelease(until: limit) { open.engine.latest.name }
        }
    }

    /// Gives up the turn to write.
    func releaseTurn() { open.releaseTurn() }

    /// Closes the log behind every write that has begun.
    func close() async throws {
        defer {
            // Writes that wait for a version to be released find the store closed.
            versions.endWaits()
            // Snapshots stay readable, and others may remove the files from here on.
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

/// Those who watch a store, as its engine knows them.
///
/// A type of its own rather than a conformance of the generic hub, which would not be specialised
/// behind the protocol.
private final class HubAudience: StoreAudience {
    private let hub: CommitHub<Snapshot>

    init(_ hub: CommitHub<Snapshot>) { self.hub = hub }

    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) {
        hub.publish(commits, makeLatest: makeLatest)
    }

    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool {
        hub.tellsEveryVersion(of: classes)
    }

    func finish(_ failure: StorageError?) { hub.end(failure.map { RealmError($0) }) }

    func restart(_ makeLatest: () -> Version) { hub.restart(makeLatest) }
}
