import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Open hosts that load an image, on disks without enough space for all of it.
@Suite struct AdoptionSpaceTests {
    /// How the image is loaded.
    enum Way: String, Sendable, CaseIterable {
        /// The host has a tree: the image is copied.
        case copied
        /// Each folder has its own data key: likewise.
        case copiedWithKey
        /// The host has nothing, and adopts the page files.
        case adopted
    }

    static let ways = Way.allCases.filter { $0 != .copiedWithKey || SecretKey.isAvailable }

    /// A host that lacks entries which were trimmed from the log, with one commit after the image.
    private struct Setting {
        let disk: SimulatedDisk
        let realm: ImagedRealm
        let host: ImageHost
        let image: SharedLogImage
        /// The version of the host before.
        let version: Version
        let pageFiles: Set<String>

        init(_ way: Way) async throws {
            var options = ImageHost.Options()
            if way == .copiedWithKey { options.key = .first }
            let (engine, disk) = (MemorySharedLog.Engine(), SimulatedDisk())
            var opened: ImageHost?
            if way != .copied {
                opened = try ImageHost(
                    MemorySharedLog(engine), disk, options, schema: StoreSchema())
            }
            var realm = try ImagedRealm(options, on: engine)
            if way == .copied {
                try await realm.write()
                opened = try realm.open(disk)
                try opened?.store.engine.checkpoint()
            }
            let host = try #require(opened)
            try await realm.fill(10)
            try await realm.makeImages(edits: 1)
            try realm.trim()
            image = try #require(try realm.images.first)
            try await realm.write()
            (version, pageFiles) = (host.version, Set(ImageHost.pageFiles(disk)))
            (self.disk, self.realm, self.host) = (disk, realm, host)
        }

        /// False if there was no space.
        func follows() async throws -> Bool {
            do {
                try await host.store.refreshFromHosts()
                return true
            } catch StorageError.outOfSpace {
                return false
            }
        }

        /// The same if the disk is full from a call on.
        func follows(withSpaceBefore call: Int) async throws -> Bool {
            disk.resetCalls()
            disk.inject(SimulatedDisk.Fault(.noSpace, call: call, isLasting: true))
            defer { disk.resetCalls() }
            return try await follows()
        }

        /// The disk space of the files, without the reserve.
        var usedBytes: Int {
            let reserve = disk.files.first { $0.path == ImageHost.directory + "/reserve" }
            return disk.usedBytes - ((reserve?.length ?? 0) + 4095) / 4096 * 4096
        }

        /// Whether the folder has the image, which its host does not show yet.
        var isUnfinished: Bool {
            host.version == version && host.journal.local.lastVersion > version
        }

        /// Expects that the host is unchanged after an attempt without space, unless the attempt
        /// has loaded the image.
        func checkRefusal(_ place: String) throws {
            #expect(host.store.engine.failure == nil, "\(place)")
            let names = try disk.list(ImageHost.directory)
            #expect(!names.contains(StoreDirectory.imageName), "\(place)")
            if isUnfinished || host.version > version { return }
            #expect(Set(ImageHost.pageFiles(disk)) == pageFiles, "\(place)")
        }

        /// Leaves the folder without the checkpoint: the disk is full after the frame with the tree
        /// was written.
        func leaveUnfinished() async throws {
            // A segment may have to be created for the frame, which is a write as well.
            for last in 1...4 where !isUnfinished {
                let writes = Mutex(0)
                disk.observe { [disk] call in
                    guard call.moment == .after, call.operation == .write,
                        call.path.hasPrefix(ImageHost.directory + "/log/"),
                        call.path.hasSuffix(".log")
                    else { return }
                    let number = writes.withLock { writes in
                        writes += 1
                        return writes
                    }
                    guard number == last else { return }
                    disk.inject(SimulatedDisk.Fault(.noSpace, call: 1, isLasting: true))
                }
                let isDone = try await follows()
                disk.observe(nil)
                disk.resetCalls()
                try #require(!isDone)
            }
            try #require(isUnfinished)
            try checkRefusal("the checkpoint")
        }

        /// Opens a copy of the folder. Of an image that it already has, it reads only the header.
        func checkOpening(_ files: any FileSystem, hasImage: Bool) async throws {
            let log = ChangedLog(MemorySharedLog(realm.engine))
            let again = try realm.open(files, through: log)
            try realm.check(again)
            if hasImage { #expect(!log.parts(of: image).contains { $0 > 0 }) }
            try await again.store.close()
        }
    }

    /// The host stopped following, and kept leftovers of the image.
    @Test(arguments: ways)
    func anOpenHostWithoutSpaceContinuesWithSpace(way: Way) async throws {
        let setting = try await Setting(way)
        var refusals = 0
        for call in stride(from: 1, to: 10_000, by: 3) {
            if try await setting.follows(withSpaceBefore: call) { break }
            try setting.checkRefusal("call \(call)")
            refusals += 1
        }
        #expect(refusals > 0)
        try await setting.realm.checkGoingOn(setting.host, setting.disk)
    }

    /// Another program allocates the space while the image is read and copied.
    @Test(arguments: ways)
    func aFullDiskKeepsNothingOfAnImage(way: Way) async throws {
        let setting = try await Setting(way)
        let disk = setting.disk
        var refusals = 0
        for blocks in 0..<1_000 {
            let used = setting.usedBytes
            if way == .adopted {
                disk.limit(to: disk.usedBytes + blocks * 4096)
            } else {
                // The host has checked that there is enough space.
                disk.observe { call in
                    guard call.moment == .after, call.operation == .remove,
                        call.path.hasSuffix("/reserve.new")
                    else { return }
                    disk.limit(to: disk.usedBytes + blocks * 4096)
                }
            }
            let follows = try await setting.follows()
            disk.observe(nil)
            disk.limit(to: nil)
            if follows { break }
            refusals += 1
            try setting.checkRefusal("\(blocks) blocks")
            if setting.host.version == setting.version, !setting.isUnfinished {
                // The horizon may have been created, and stays.
                #expect(setting.usedBytes <= used + 4096, "\(blocks) blocks")
            }
        }
        #expect(refusals > 0)
        try await setting.realm.checkGoingOn(setting.host, disk)
    }

    /// An open host retries repeatedly: each time it read the whole image.
    @Test func anImageWithoutSpaceIsNotRead() async throws {
        let engine = MemorySharedLog.Engine()
        var realm = try ImagedRealm(on: engine)
        try await realm.write()
        let (disk, log) = (SimulatedDisk(), ChangedLog(MemorySharedLog(engine)))
        let host = try realm.open(disk, through: log)
        try await realm.fill(30)
        try await realm.makeImages()
        try realm.trim()
        let image = try #require(try realm.images.first)
        disk.limit(to: disk.usedBytes + image.bytes / 2)
        for _ in 0..<3 {
            await #expect {
                try await host.store.refreshFromHosts()
            } throws: { error in
                if case StorageError.outOfSpace = error { true } else { false }
            }
        }
        #expect(log.parts(of: image) == [0, 0, 0])
        disk.limit(to: nil)
        try await host.store.refreshFromHosts()
        #expect(log.parts(of: image).suffix(image.parts) == Array(0..<image.parts)[...])
        try await realm.checkGoingOn(host, disk)
    }

    // MARK: Without the checkpoint

    /// The host stopped following and writing.
    @Test(arguments: ways)
    func aHostWithoutSpaceForTheCheckpointResumesWithSpace(way: Way) async throws {
        let setting = try await Setting(way)
        try await setting.leaveUnfinished()
        for _ in 0..<2 {
            #expect(try await !setting.follows(withSpaceBefore: 1))
            try setting.checkRefusal("again")
            #expect(setting.isUnfinished)
        }
        #expect(try await setting.follows())
        try await setting.realm.checkGoingOn(setting.host, setting.disk)
    }

    /// The folder has either its previous tree, or that of the image.
    @Test(arguments: ways, CrashPolicy.allCases)
    func aPowerFailureBeforeTheCheckpointLosesNothing(
        way: Way, policy: CrashPolicy
    ) async throws {
        let setting = try await Setting(way)
        try await setting.leaveUnfinished()
        let crashed = setting.disk.crashImage(seed: 1, policy)
        let found = try ImageHost.contents(crashed, setting.realm.options)?.version ?? .zero
        let image = try setting.realm.version(of: setting.image)
        #expect(found == setting.version || found == image)
        if policy == .everything { #expect(found == image) }
        try await setting.checkOpening(crashed, hasImage: found == image)
        for host in [setting.host, setting.realm.writer] { try await host.store.close() }
    }

    /// A checkpoint of the previous version would remove the files of the newer tree, to which the
    /// log refers.
    @Test(arguments: ways)
    func aHostThatIsClosedBeforeTheCheckpointHasTheImage(way: Way) async throws {
        let setting = try await Setting(way)
        try await setting.leaveUnfinished()
        let files = Set(ImageHost.pageFiles(setting.disk))
        try setting.host.store.engine.checkpoint()
        try await setting.host.store.close()
        #expect(Set(ImageHost.pageFiles(setting.disk)) == files)
        try await setting.checkOpening(setting.disk, hasImage: true)
        try await setting.realm.writer.store.close()
    }
}
