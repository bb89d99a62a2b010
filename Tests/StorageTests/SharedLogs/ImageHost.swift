import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// A host of a realm on a shared log without background work, like ``SharedHost``; optionally with
/// a key, and with threads that read ahead.
struct ImageHost {
    struct Options: Sendable {
        var key: UserKey?
        /// Whether other threads read ahead, and prepare files.
        var preparesInBackground = false
        /// The size of the parts of an image.
        var partBytes = 1 << 12
        /// How often a failed call is repeated; nil for no limit.
        var repetitions: Int? = 2
        /// How long a call waits for its turn and for the engine.
        var writeTimeout: Duration?

        fileprivate var log: LogOptions {
            var options = CrashStore.smallSegments
            options.isCopyOfSharedLog()
            options.preparesInBackground = preparesInBackground
            options.encryptionKey = key
            return options
        }
    }

    /// The values of each row, by its key.
    typealias Rows = [RowKey: [StoredValue]]

    let store: OpenStore
    let journal: SharedJournal

    static let directory = SharedHost.directory
    /// The columns of ``HarnessSchema`` after these are indexes of several columns.
    private static let valueColumns = 8

    /// - Parameter schema: the schema of a new realm; the empty one writes nothing to it.
    init(
        _ log: any SharedLog, _ files: any FileSystem, _ options: Options,
        schema: StoreSchema = HarnessSchema.schema(width: 1)
    ) throws {
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options = options.log
        var realm = SharedRealm(log, key: options.key, timeout: nil)
        realm.repetitions = options.repetitions
        realm.imageBytesMin = 1 << 10
        realm.imagePartBytes = options.partBytes
        opening.sharedRealm = realm
        let account = NodeAccount()
        let opened = try opening.open(account: account) { stored in
            stored.classes.isEmpty ? schema : stored
        }
        let replayed = ReplayedStore(opened, opening.options, account, waitsForDisk: false)
        var storeOptions = OpenStore.Options(hasFiles: true)
        storeOptions.writeTimeout = options.writeTimeout
        let store = OpenStore(replayed, storeOptions, observer: SilentCommitObserver())
        let hosts = try #require(store.join(replayed))
        journal = hosts.journal
        self.store = store
    }

    /// The version that readers see.
    var version: Version { store.engine.latest.version }

    /// Its rows.
    var rows: Rows {
        let latest = store.engine.latest
        return withExtendedLifetime(latest) { Self.rows(latest.view) }
    }

    /// Commits the changes of `body`.
    func commit(_ body: (WorkingTree) -> Void) async throws { try await store.commit(body) }

    // MARK: Folders

    /// The contents of a folder without its log; nil if it has none yet.
    static func contents(
        _ files: any FileSystem, _ options: Options
    ) throws -> (version: Version, rows: Rows)? {
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options = options.log
        opening.options.readOnly = true
        // The tree reads its nodes through the account.
        let account = NodeAccount()
        do {
            let opened = try opening.open(account: account) { $0 }
            defer { try? opened.log.close() }
            let found = withExtendedLifetime((opened, account)) { rows(opened.tree.view) }
            return (opened.version, found)
        } catch StorageError.fileNotFound {
            return nil
        }
    }

    /// The paths of a folder's page files.
    static func pageFiles(_ files: any FileSystem) -> [String] {
        let folder = directory + "/pages"
        return ((try? files.list(folder)) ?? []).map { folder + "/" + $0 }
    }

    // MARK: Rows

    /// The rows of a tree, which the caller retains.
    private static func rows(_ view: TreeView) -> Rows {
        var rows: Rows = [:]
        if view.schema.classes.isEmpty { return rows }
        let columns = view.schema[HarnessSchema.item].columns.prefix(valueColumns)
        var clusters = view.classView(HarnessSchema.item).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                rows[cluster.key(slot)] = columns.enumerated().map { index, column in
                    value(index, column, cluster, slot)
                }
            }
        }
        return rows
    }

    /// One value, or the elements of a container.
    private static func value(
        _ index: Int, _ column: ColumnSchema, _ cluster: Cluster, _ slot: Int
    ) -> StoredValue {
        var values: [StoredValue] = []
        switch column.container {
        case .none: return cluster.value(index, slot, column)
        case .list: cluster.sequence(index, slot, column).forEach { values.append($0) }
        case .set:
            cluster.sequence(index, slot, column).forEach { values.append($0) }
            values.sort()
        case .map:
            let map = cluster.map(index, slot, column)
            for entry in 0..<map.count { values += [map.keys[entry], map.values[entry]] }
        }
        return .list(NestedID(0), values)
    }
}

/// A commit observer without subscribers.
private final class SilentCommitObserver: CommitObserver {
    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) { makeLatest() }
    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool { false }
    func finish(_ failure: StorageError?) {}
    func restart(_ makeLatest: () -> Version) { _ = makeLatest() }
}

/// A file system that detects whether an image was copied: then it has a folder of its own.
final class CopyNoter: WrappedFiles {
    let base: any FileSystem
    private let copies = Atomic<Int>(0)

    init(_ base: any FileSystem = MemoryFileSystem()) { self.base = base }

    var hasCopied: Bool { copies.load(ordering: .relaxed) > 0 }

    func createDirectory(_ path: String) throws(StorageError) {
        if path.hasSuffix("/" + StoreDirectory.imageName) {
            copies.wrappingAdd(1, ordering: .relaxed)
        }
        try base.createDirectory(path)
    }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(path, mode)
    }
}

/// A log whose images can be changed when they are read, and that records which parts were read.
final class ChangedLog: WrappedLog {
    typealias Reading =
        @Sendable (Int, SharedLogImage, any SharedLog) throws(SharedLogError) -> [UInt8]

    let base: any SharedLog
    private let reading: Reading
    private let read = Mutex<[(slot: LogSlot, number: Int)]>([])

    init(
        _ base: any SharedLog,
        _ reading: @escaping Reading = { (number, image, base) throws(SharedLogError) in
            try base.part(number, of: image)
        }
    ) {
        self.base = base
        self.reading = reading
    }

    /// The parts of an image that were read, in order.
    func parts(of image: SharedLogImage) -> [Int] {
        read.withLock { read in read.filter { $0.slot == image.slot }.map { $0.number } }
    }

    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        read.withLock { $0.append((image.slot, number)) }
        return try reading(number, image, base)
    }
}

extension [UInt8] {
    /// A part of an image with other contents and valid checksums.
    func changingContents(
        sealedWith key: UserKey? = nil, _ change: (inout [UInt8]) -> Void
    ) -> [UInt8] {
        guard let realm = SharedImagePart.realm(of: self) else { return self }
        let cipher = key.flatMap { try? SharedLogCipher($0, realm: realm) }
        guard var part = try? SharedImagePart(decoding: self, cipher) else { return self }
        change(&part.contents)
        return part.encoded(cipher)
    }
}
