import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The power fails at each call of a host that loads an image.
@Suite struct AdoptionCrashTests {
    /// The previous contents of the host's folder.
    enum Start: String, Sendable, CaseIterable {
        case nothing
        /// The host is open, and has read only the first entry of the log.
        case versionZero
        /// It has a tree: the image is copied.
        case tree
        /// It has nothing, and the image is copied because each folder has its own data key.
        case key
    }

    static let starts = Start.allCases.filter { $0 != .key || SecretKey.isAvailable }

    /// Whether a crash after the call may leave another disk than one before it.
    private static func changesDisk(_ operation: IOOperation) -> Bool {
        switch operation {
        case .write, .allocate, .truncate, .sync, .createDirectory, .rename, .link, .remove,
            .syncDirectory:
            true
        case .open, .size, .read, .list, .lock: false
        }
    }

    /// Disks after power failures during `body`: after every third call that modifies something,
    /// and with each policy after others.
    private static func crashes(
        of disk: SimulatedDisk, _ policy: CrashPolicy, during body: () async throws -> Void
    ) async throws -> [SimulatedDisk] {
        let policies = CrashPolicy.allCases
        let place = policies.firstIndex(of: policy) ?? 0
        let state = Mutex((calls: 0, crashed: [SimulatedDisk]()))
        disk.observe { call in
            guard call.moment == .after, Self.changesDisk(call.operation) else { return }
            let number = state.withLock { state in
                state.calls += 1
                return state.calls
            }
            guard number % policies.count == place else { return }
            let crashed = disk.crashImage(seed: UInt64(number), policy)
            state.withLock { $0.crashed.append(crashed) }
        }
        defer { disk.observe(nil) }
        try await body()
        return state.withLock { $0.crashed }
    }

    /// The folder is never refused, has the previous contents or at least the image, and continues
    /// from there.
    @Test(arguments: starts, CrashPolicy.allCases)
    func aPowerFailureLeavesThePreviousStateOrTheImage(
        start: Start, policy: CrashPolicy
    ) async throws {
        var options = ImageHost.Options()
        options.partBytes = 1 << 14
        if start == .key { options.key = .first }
        let (engine, disk) = (MemorySharedLog.Engine(), SimulatedDisk())
        var opened: ImageHost?
        if start == .versionZero {
            opened = try ImageHost(
                MemorySharedLog(engine), disk, options, schema: StoreSchema())
        }
        var realm = try ImagedRealm(options, on: engine)
        if start == .tree {
            try await realm.write()
            opened = try realm.open(disk)
        }
        let before = opened?.version ?? .zero
        try await realm.fill(10)
        try await realm.makeImages(edits: 1)
        try realm.trim()
        let newest = try #require(try realm.images.first)
        let image = try realm.version(of: newest)
        try await realm.write()
        let crashes = try await Self.crashes(of: disk, policy) {
            if let opened {
                try await opened.store.refreshFromHosts()
            } else {
                opened = try realm.open(disk)
            }
        }
        let host = try #require(opened)
        try realm.check(host)
        var found: Set<Version> = []
        for (number, crashed) in crashes.enumerated() {
            let contents = try ImageHost.contents(crashed, options)
            let version = contents?.version ?? .zero
            #expect(version == before || version >= image, "\(version) in image \(number)")
            let expected: ImageHost.Rows? = version == .zero ? [:] : realm.versions[version]
            let isVersion = (contents?.rows ?? [:]) == expected
            #expect(isVersion, "\(version) in image \(number)")
            found.insert(version)
            let log = ChangedLog(MemorySharedLog(engine))
            let again = try realm.open(crashed, through: log)
            try realm.check(again, "image \(number)")
            // Of an image that the folder already has, only the header is read.
            let isRead = log.parts(of: newest).contains { $0 > 0 }
            #expect(isRead == (version < image), "image \(number)")
            try await again.store.close()
        }
        let later = found.filter { $0 >= image }
        #expect(found.contains(before) && !later.isEmpty)
        #expect(crashes.count > 5)
        for host in [host, realm.writer] { try await host.store.close() }
    }

    /// The host had not yet recorded its position in the log, and read and copied the image again.
    @Test func anUpToDateFolderDoesNotReadTheImage() async throws {
        var realm = try ImagedRealm()
        try await realm.write()
        let disk = SimulatedDisk()
        let host = try realm.open(disk)
        try await realm.makeImages()
        try await host.store.refreshFromHosts()
        let crashed = disk.crashImage(seed: 1, .everything)
        try realm.trim()
        let image = try #require(try realm.images.first)
        #expect(try ImageHost.contents(crashed, realm.options)?.version == realm.writer.version)
        let files = CopyNoter(crashed)
        let log = ChangedLog(MemorySharedLog(realm.engine))
        let again = try realm.open(files, through: log)
        #expect(log.parts(of: image) == [0])
        #expect(!files.hasCopied)
        try await host.store.close()
        try await realm.checkGoingOn(again, files)
    }

    /// The host begins with the first entry instead, and removes everything of the image.
    @Test func leftoversOfACrashAreRemovedIfTheImageIsGone() async throws {
        var realm = try ImagedRealm()
        try await realm.makeImages()
        let disk = SimulatedDisk()
        let crashed = Mutex<SimulatedDisk?>(nil)
        disk.observe { call in
            guard call.moment == .after, call.operation == .syncDirectory,
                call.path.hasSuffix("/pages")
            else { return }
            let found = disk.crashImage(seed: 1, .everything)
            crashed.withLock { $0 = $0 ?? found }
        }
        let host = try realm.open(disk)
        disk.observe(nil)
        try await host.store.close()
        let left = try #require(crashed.withLock { $0 })
        #expect(!ImageHost.pageFiles(left).isEmpty)
        #expect(try ImageHost.contents(left, realm.options)?.version == .zero)
        try MemorySharedLog(realm.engine).trim(below: .first, imagesBelow: LogSlot(.max))
        let again = try realm.open(left)
        try realm.check(again)
        try again.store.engine.checkpoint()
        let checkpointer = try #require(again.store.engine.checkpoints?.checkpointer)
        let names = checkpointer.contents.segments.keys.map(\.fileName)
        #expect(Set(try left.list(ImageHost.directory + "/pages")) == Set(names))
        try await realm.checkGoingOn(again, left)
    }
}
