import Storage

/// A host of a realm on a simulated shared log: a process with a disk of its own.
final class SimulatedHost {
    private static let directory = "host.realm"

    /// What a host has of the realm, as its readers see it.
    struct View: Hashable {
        let version: Version
        /// The numbers of the commits, in their order.
        let commits: [Int64]
    }

    private var disk = SimulatedDisk()
    private let engine: SimulatedSharedLog.Engine
    private var files: MortalFiles
    private(set) var log: SimulatedSharedLog
    private(set) var store: OpenStore?

    init(_ engine: SimulatedSharedLog.Engine) {
        self.engine = engine
        files = MortalFiles(disk)
        log = SimulatedSharedLog(engine)
    }

    /// False when the engine cannot be reached for long enough.
    func open() throws -> Bool {
        files = MortalFiles(disk)
        log = SimulatedSharedLog(engine)
        var options = CrashStore.smallSegments
        options.isCopyOfSharedLog()
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options = options
        var realm = SharedRealm(log, key: nil, timeout: nil)
        realm.repetitions = 8
        realm.imageBytesMin = 1 << 10
        realm.imagePartBytes = 1 << 10
        opening.sharedRealm = realm
        let account = NodeAccount()
        do {
            let opened = try opening.open(account: account) { stored in
                stored.classes.isEmpty ? HarnessSchema.schema(width: 1) : stored
            }
            let replayed = ReplayedStore(opened, options, account, waitsForDisk: false)
            let store = OpenStore(
                replayed, OpenStore.Options(hasFiles: true),
                audience: HarnessAudience(onPublish: {}))
            store.join(replayed)
            self.store = store
            return true
        } catch StorageError.sharedLogUnavailable {
            return false
        } catch StorageError.commitOutcomeUnknown {
            return false
        }
    }

    func close() async throws {
        let closing = store
        store = nil
        try await closing?.close()
    }

    /// The process dies, and with `policy` the machine stops.
    func crash(_ seed: UInt64, _ policy: CrashPolicy?) async {
        files.kill()
        try? await close()
        if let policy { disk.crash(seed: seed, policy) }
    }

    /// Nothing is left of its files.
    func loseFolder() { disk = SimulatedDisk() }

    /// Commits a row that says which commit it is, and which was the last one that its body saw.
    /// Returns the version.
    func commit(_ number: Int64) async throws -> Version? {
        guard let store else { return nil }
        var taken = try store.tryTakeTurn("a write", author: nil)
        if taken == nil { taken = try await store.takeTurn("a write", author: nil) }
        guard let engine = taken else { return nil }
        let version: Version?
        do {
            try engine.beginBody()
            let seen = try Self.commits(engine.tree.view).last ?? 0
            let key = engine.tree.createRow(HarnessSchema.item)
            for (column, value) in [
                (HarnessSchema.Column.number, number), (HarnessSchema.Column.twin, seen),
            ] {
                engine.tree.set(.int(value), HarnessSchema.item, key, ColumnID(column))
            }
            version = try engine.encodeCommit(author: nil, time: 0)
        } catch {
            store.releaseTurn()
            throw error
        }
        // Unsafe: the engine resumes the continuation exactly once.
        _ = try await withUnsafeThrowingContinuation { continuation in
            engine.endBody(version, waiter: .continuation(continuation)) { store.releaseTurn() }
        }
        return version
    }

    /// Reads everything that was committed before.
    func refresh() async throws { try await store?.refreshFromHosts() }

    /// Makes an image, if one is due and the engine can be reached.
    func makeImage() throws {
        do {
            try store?.makeImageIfDue()
        } catch StorageError.sharedLogUnavailable {}
    }

    /// As ``makeImage()``, and dies at a part of it, or behind the last one.
    func makeImage(dyingAtPart part: Int) async {
        log.die(afterParts: part) { [files] in files.kill() }
        try? store?.makeImageIfDue()
        await crash(0, nil)
    }

    func checkpoint() throws { try store?.engine.checkpoint() }

    /// What readers see by now.
    func view() throws -> View? {
        guard let latest = store?.engine.latest else { return nil }
        return try withExtendedLifetime(latest) {
            View(version: latest.version, commits: try Self.commits(latest.view))
        }
    }

    func verify() throws {
        guard let problem = try store?.engine.verify(ReadingMonitor()).problems.first
        else { return }
        throw Violation("verification finds \(problem)")
    }

    /// The commits, of which each has seen the one before.
    private static func commits(_ view: TreeView) throws -> [Int64] {
        var commits: [Int64] = []
        var clusters = view.classView(HarnessSchema.item).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let seen = cluster.int(HarnessSchema.Column.twin, slot)
                guard seen == commits.last ?? 0 else {
                    throw Violation("a commit has seen \(seen), and stands behind \(commits)")
                }
                commits.append(cluster.int(HarnessSchema.Column.number, slot))
            }
        }
        return commits
    }
}
