import StorageHarness
import Testing

@testable import Storage

/// A host of a realm on a shared log without background work.
struct SharedHost {
    let store: OpenStore
    let hosts: HostSharing

    var journal: SharedJournal { hosts.journal }

    static let directory = "host.realm"

    /// - Parameter schema: the schema of a new realm, with a class whose first column has numbers.
    /// - Parameter partBytes: the size of the parts of an image.
    /// - Parameter writeTimeout: how long a call waits for its turn.
    /// - Parameter history: how much of the log is kept in the folder.
    /// - Parameter monitor: cancels the opening.
    /// - Parameter onPublish: called after every version that readers see.
    init(
        _ log: any SharedLog, _ files: any FileSystem = MemoryFileSystem(),
        schema: StoreSchema = HarnessSchema.schema(width: 1),
        account: NodeAccount = NodeAccount(), partBytes: Int = 1 << 10,
        writeTimeout: Duration? = nil, history: HistoryPolicy = .untilCheckpoint,
        monitor: ReadingMonitor? = nil,
        onPublish: @escaping @Sendable () -> Void = {}
    ) throws {
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options = CrashStore.smallSegments
        opening.options.isCopyOfSharedLog()
        opening.options.history = history
        opening.options.monitor = monitor
        var realm = SharedRealm(log, key: nil, timeout: nil)
        realm.repetitions = 2
        realm.imageBytesMin = 1 << 10
        realm.imagePartBytes = partBytes
        opening.sharedRealm = realm
        let opened = try opening.open(account: account) { stored in
            stored.classes.isEmpty ? schema : stored
        }
        let replayed = ReplayedStore(opened, opening.options, account, waitsForDisk: false)
        var options = OpenStore.Options(hasFiles: true)
        options.writeTimeout = writeTimeout
        let store = OpenStore(replayed, options, observer: HostCommitObserver(onPublish))
        hosts = try #require(store.join(replayed))
        self.store = store
    }

    /// Commits a row with a unique number, at a time of this host's clock; 0 for none.
    func write(_ number: Int64, at time: Double = 0) async throws {
        try await store.commit(at: time) { tree in
            let key = tree.createRow(HarnessSchema.item)
            tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
        }
    }

    /// Commits the changes of `body`.
    func commit(_ body: (WorkingTree) -> Void) async throws { try await store.commit(body) }

    /// The numbers of the rows that readers see.
    var numbers: [Int64] {
        let latest = store.engine.latest
        return withExtendedLifetime(latest) { Self.numbers(latest.view) }
    }

    /// The numbers of the rows of a tree, which the caller retains.
    static func numbers(_ view: TreeView) -> [Int64] {
        if view.schema.classes.isEmpty { return [] }
        var numbers: [Int64] = []
        var clusters = view.classView(HarnessSchema.item).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                numbers.append(cluster.int(0, slot))
            }
        }
        return numbers
    }

    /// The contents of a folder without its log; nil if it has none yet.
    static func contents(
        _ files: any FileSystem, _ directory: String = SharedHost.directory
    ) throws -> [Int64]? {
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options = CrashStore.smallSegments
        opening.options.readOnly = true
        // The tree reads its nodes through the account.
        let account = NodeAccount()
        do {
            let opened = try opening.open(account: account) { $0 }
            defer { try? opened.log.close() }
            return withExtendedLifetime((opened, account)) {
                Self.numbers(opened.tree.view)
            }
        } catch StorageError.fileNotFound {
            return nil
        }
    }

    /// Waits until the status is as expected, for a minute at most; returns the last one.
    @discardableResult
    func awaitStatus(
        _ isExpected: (HostSharing.Status) -> Bool
    ) async throws -> HostSharing.Status {
        try await wait { isExpected(hosts.status) }
        return hosts.status
    }

    /// Whether so much was appended that an image is due.
    var isImageDue: Bool {
        SharedImageMaker(
            engine: store.engine, journal: journal, monitor: ReadingMonitor()
        ).isDue
    }
}

extension OpenStore {
    /// Commits the changes of `body`, at a time of the host's clock; 0 for none.
    func commit(at time: Double = 0, _ body: (WorkingTree) -> Void) async throws {
        var taken = try tryTakeTurn("a write", author: nil)
        if taken == nil { taken = try await takeTurn("a write", author: nil) }
        let engine = try #require(taken)
        defer { releaseTurn() }
        try engine.beginBody()
        body(engine.tree)
        let version = try engine.encodeCommit(author: nil, time: time)
        // Unsafe: the engine resumes the continuation exactly once.
        _ = try await withUnsafeThrowingContinuation { continuation in
            engine.endBody(version, waiter: .continuation(continuation))
        }
    }
}

/// A commit observer whose only subscriber is notified of publications.
private final class HostCommitObserver: CommitObserver {
    private let onPublish: @Sendable () -> Void

    init(_ onPublish: @escaping @Sendable () -> Void) { self.onPublish = onPublish }

    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) {
        makeLatest()
        onPublish()
    }

    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool { false }
    func finish(_ failure: StorageError?) {}
    func restart(_ makeLatest: () -> Version) { _ = makeLatest() }
}
