import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts with an empty folder, which adopt the page files of an image.
@Suite struct AdoptedImageTests {
    /// A realm whose log was trimmed: a new host needs an image.
    private struct Setting {
        let engine = MemorySharedLog.Engine()
        var numbers: [Int64] = []

        /// - Parameter images: the number of images.
        init(partBytes: Int = 1 << 10, images: Int = 2) async throws {
            let host = try SharedHost(MemorySharedLog(engine), partBytes: partBytes)
            let log = MemorySharedLog(engine)
            var made: LogSlot?
            var count = 0
            while try count < images || log.head().first == .first {
                numbers.append(Int64(numbers.count))
                try await host.write(Int64(numbers.count) - 1)
                try host.store.makeImageIfDue()
                let newest = try log.images().first?.slot
                if newest != made { count += 1 }
                made = newest
            }
            try await host.store.close()
        }

        func open(
            _ files: any FileSystem, through log: (any SharedLog)? = nil
        ) throws -> SharedHost {
            try SharedHost(log ?? MemorySharedLog(engine), files)
        }

        /// Writes as a host that began with an image, and reads the result as a new host.
        func check(_ host: SharedHost, _ files: any FileSystem) async throws {
            #expect(host.numbers == numbers)
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.write(-1)
            try host.store.engine.checkpoint()
            try await host.store.close()
            let again = try open(files)
            #expect(again.numbers == numbers + [-1])
            #expect(try again.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await again.store.close()
        }
    }

    private static let pagesPath = SharedHost.directory + "/pages/"

    private static func pageFiles(_ files: any FileSystem) -> [String] {
        ((try? files.list(SharedHost.directory + "/pages")) ?? []).map { pagesPath + $0 }
    }

    private static func header(
        _ path: String, _ files: any FileSystem
    ) throws -> PageSegmentHeader {
        let bytes = try files.open(path, .readOnly).bytes(in: 0..<PageSegmentHeader.size)
        // Unsafe: lent for the call.
        return try #require(bytes.withUnsafeBytes { PageSegmentHeader($0) })
    }

    /// Parts end at any offset in headers and nodes.
    @Test(arguments: [29, 64, 1000, 1 << 20])
    func theFolderGetsThePageFilesOfTheImage(partBytes: Int) async throws {
        let setting = try await Setting(partBytes: partBytes)
        let files = CopyFinder()
        let host = try setting.open(files)
        #expect(!files.hasCopied)
        let paths = Self.pageFiles(files)
        #expect(!paths.isEmpty)
        // Each folder is a database of its own.
        for path in paths {
            #expect(try Self.header(path, files).database == host.journal.local.database)
        }
        try await setting.check(host, files)
    }

    @Test func twoHostsOfOneImageAreTwoDatabases() async throws {
        let setting = try await Setting()
        let hosts = try (0..<2).map { _ in try setting.open(MemoryFileSystem()) }
        #expect(hosts[0].journal.local.database != hosts[1].journal.local.database)
        for number in Int64(1)...6 {
            let host = hosts[Int(number % 2)]
            try await host.store.refreshFromHosts()
            try await host.write(-number)
        }
        for host in hosts { try await host.store.refreshFromHosts() }
        #expect(hosts[0].numbers == hosts[1].numbers)
        for host in hosts { try await host.store.close() }
    }

    /// Versions that a host had published before it loaded an image stay unchanged.
    @Test func aFolderThatHasATreeKeepsItForItsReaders() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let writer = try SharedHost(MemorySharedLog(engine))
        let other = try SharedHost(MemorySharedLog(engine))
        let before = other.store.engine.latest
        var count: Int64 = 0
        while try log.head().first <= other.journal.cursor.next {
            try await writer.write(count)
            count += 1
            try writer.store.makeImageIfDue()
        }
        try await other.store.refreshFromHosts()
        #expect(other.numbers == Array(0..<count))
        withExtendedLifetime(before) { #expect(SharedHost.numbers(before.view).isEmpty) }
        #expect(try other.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        for host in [writer, other] { try await host.store.close() }
    }

    // MARK: Crashes

    /// The power fails at each of many calls of an opening: the folder has nothing or everything,
    /// and the next opening succeeds.
    @Test(arguments: CrashPolicy.allCases)
    func aPowerFailureLeavesNothingOrEverything(policy: CrashPolicy) async throws {
        let setting = try await Setting()
        var found: Set<Int> = []
        var leftPages = 0
        // Each policy covers other calls.
        let first = 1 + (CrashPolicy.allCases.firstIndex(of: policy) ?? 0)
        for call in stride(from: first, to: 2_000, by: 4) {
            let disk = SimulatedDisk()
            disk.inject(SimulatedDisk.Fault(.inputOutput, call: call, isLasting: true))
            let host = try? setting.open(disk)
            let isDone = disk.faultyCallCount == 0
            try? await host?.store.close()
            disk.crash(seed: UInt64(call), policy)
            leftPages += Self.pageFiles(disk).count
            let numbers = try SharedHost.contents(disk) ?? []
            #expect(numbers.isEmpty || numbers == setting.numbers, "call \(call)")
            found.insert(numbers.count)
            let again = try setting.open(disk)
            #expect(again.numbers == setting.numbers, "call \(call)")
            let verified = try again.store.engine.verify(ReadingMonitor())
            #expect(verified.problems.isEmpty, "call \(call)")
            try await again.store.close()
            if isDone { break }
        }
        #expect(found == [0, setting.numbers.count])
        #expect(leftPages > 0)
    }

    /// No reference becomes durable before its target.
    @Test func thePageFilesAreDurableBeforeTheLogSaysSo() async throws {
        let setting = try await Setting()
        let disk = SimulatedDisk()
        let counts = Mutex((early: 0, all: 0))
        disk.observe { call in
            guard call.moment == .before, call.operation == .write, call.path.contains("/log/")
            else { return }
            let isEarly = disk.unsyncedPaths.contains { $0.contains("/pages/") }
            counts.withLock { counts in
                counts.all += 1
                if isEarly { counts.early += 1 }
            }
        }
        let host = try setting.open(disk)
        disk.observe(nil)
        let (early, all) = counts.withLock { $0 }
        #expect(early == 0 && all > 0)
        try await host.store.close()
    }

    /// The disk is full, or fails, at one call after the other: the host opens once the fault is
    /// over.
    @Test(arguments: [SimulatedDisk.Fault.Kind.noSpace, .shortWrite, .failedSync])
    func aFailingDiskIsRetried(kind: SimulatedDisk.Fault.Kind) async throws {
        let setting = try await Setting()
        var failures = 0
        for call in stride(from: 1, to: 2_000, by: 4) {
            let disk = SimulatedDisk()
            disk.inject(SimulatedDisk.Fault(kind, call: call, isLasting: kind == .noSpace))
            let host = try? setting.open(disk)
            let isDone = disk.callCount < call
            if host == nil { failures += 1 }
            try? await host?.store.close()
            disk.resetCalls()
            let again = try setting.open(disk)
            #expect(again.numbers == setting.numbers, "\(kind) at call \(call)")
            #expect(try again.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await again.store.close()
            if isDone { break }
        }
        #expect(failures > 0)
    }

    @Test func aDiskTooSmallForTheImageIsCleared() async throws {
        let setting = try await Setting()
        let disk = SimulatedDisk()
        var opening = try setting.open(disk)
        try await opening.store.close()
        let needed = disk.usedBytes
        var refusals = 0
        for capacity in stride(from: 4096, to: needed, by: 4096) {
            let disk = SimulatedDisk()
            disk.limit(to: capacity)
            do {
                opening = try setting.open(disk)
                try await opening.store.close()
            } catch StorageError.outOfSpace {
                refusals += 1
                #expect(Self.pageFiles(disk).isEmpty, "with \(capacity) bytes")
            } catch StorageError.io {
                // The call creates the folder itself.
            }
            disk.limit(to: nil)
            let host = try setting.open(disk)
            #expect(host.numbers == setting.numbers)
            try await host.store.close()
        }
        #expect(refusals > 0)
    }

    // MARK: Damage

    /// One bit of the image was changed, with valid checksums of its part: the host loads another
    /// image, or reports that none is usable. It never shows wrong contents.
    @Test func damageIsDetectedBeforeAnythingIsAdopted() async throws {
        let setting = try await Setting()
        let log = MemorySharedLog(setting.engine)
        let newest = try #require(try log.images().first)
        var refused = 0
        for number in 1..<newest.parts {
            let size = try log.part(number, of: newest).count - SharedImagePart.headerSize
            for offset in stride(from: number * 7 % 500, to: size, by: 500) {
                let files = MemoryFileSystem()
                let damaged = DamagedLog(
                    MemorySharedLog(setting.engine), slot: newest.slot, part: number
                ) { $0[offset] ^= 0x10 }
                let host = try setting.open(files, through: damaged)
                #expect(host.numbers == setting.numbers)
                let verified = try host.store.engine.verify(ReadingMonitor())
                #expect(verified.problems.isEmpty, "part \(number), offset \(offset)")
                if damaged.othersRead > 0 { refused += 1 }
                try await host.store.close()
            }
        }
        // All changes except those in the log, and in the other copies of the superblock.
        #expect(refused > 5)
    }

    /// Without another image and without entries, opening fails and leaves nothing.
    @Test func openingFailsIfAllImagesAreDamaged() async throws {
        let setting = try await Setting()
        let files = MemoryFileSystem()
        let damaged = DamagedLog(MemorySharedLog(setting.engine), slot: nil, part: 10_000) {
            $0[100] ^= 0x10
        }
        #expect {
            try setting.open(files, through: damaged)
        } throws: { error in
            guard case StorageError.sharedLogTrimmed = error else {
                if case StorageError.sharedLogDiverged = error { return true }
                return false
            }
            return true
        }
        #expect(Self.pageFiles(files).isEmpty)
        let host = try setting.open(files)
        try await setting.check(host, files)
    }

    /// The disk may lack the space for both the leftovers and the image.
    @Test func leftoversAreRemovedBeforeAnImageIsLoaded() async throws {
        let setting = try await Setting()
        let files = MemoryFileSystem()
        let mortal = MortalFiles(files)
        let deadly = DamagedLog(MemorySharedLog(setting.engine), slot: nil, part: 1) { _ in
            mortal.kill()
        }
        #expect(throws: (any Error).self) { try setting.open(mortal, through: deadly) }
        // A page file of a larger image, and an image that was being copied.
        let copy = SharedHost.directory + "/" + StoreDirectory.imageName
        for path in [SharedHost.directory + "/pages", copy] { try files.createDirectory(path) }
        let leftovers = [
            Self.pagesPath + PageIndex(1000).fileName, copy + "/" + StoreDirectory.superblockName,
        ]
        for path in leftovers { _ = try files.open(path, .create) }
        let left = Mutex<[String]?>(nil)
        let watched = DamagedLog(MemorySharedLog(setting.engine), slot: nil, part: 1) { _ in
            let found = leftovers.filter { (try? files.open($0, .readOnly)) != nil }
            left.withLock { $0 = $0 ?? found }
        }
        let host = try setting.open(files, through: watched)
        #expect(left.withLock { $0 } == [])
        try await setting.check(host, files)
    }

    /// A newer version of the library has created it.
    @Test func anImageOfAnotherFormatIsRefused() async throws {
        let setting = try await Setting(partBytes: 1 << 20)
        let files = MemoryFileSystem()
        let log = DamagedLog(MemorySharedLog(setting.engine), slot: nil, part: 1) { contents in
            let name = Array(StoreDirectory.superblockName.utf8)
            let start = SharedImageWriter.idSize + SharedImageWriter.headSizeMin + name.count
            // Unsafe: lent for the closure.
            contents.withUnsafeMutableBytes { bytes in
                for slot in 0..<4 {
                    let offset = start + slot * Superblock.slotSize
                    let fields = bytes.slice(offset..<offset + Superblock.contentSize)
                    fields.store(StoreFormat.version + 1, at: 8)
                    let checked = UnsafeRawBufferPointer(fields).slice(0..<Superblock.checkedSize)
                    fields.store(XXH64.hash(checked), at: Superblock.checkedSize)
                }
            }
        }
        let error = StorageError.unsupportedFormat(
            found: StoreFormat.version + 1, supported: StoreFormat.version)
        #expect(throws: error) { try setting.open(files, through: log) }
        #expect(Self.pageFiles(files).isEmpty)
    }
}

/// A file system that detects whether a tree was copied: then the image has a folder of its own.
private final class CopyFinder: WrappedFiles {
    let base: any FileSystem = MemoryFileSystem()
    private let copied = Atomic(false)

    var hasCopied: Bool { copied.load(ordering: .relaxed) }

    func createDirectory(_ path: String) throws(StorageError) {
        if path.hasSuffix("/" + StoreDirectory.imageName) {
            copied.store(true, ordering: .relaxed)
        }
        try base.createDirectory(path)
    }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(path, mode)
    }
}

/// A log with an image that has other contents in one part, with valid checksums.
private final class DamagedLog: WrappedLog {
    let base: any SharedLog
    /// How often another image was read.
    private let others = Atomic(0)
    var othersRead: Int { others.load(ordering: .relaxed) }
    private let slot: LogSlot?
    private let part: Int
    private let change: @Sendable (inout [UInt8]) -> Void

    /// - Parameter slot: the image; nil for all.
    /// - Parameter part: the part; the last one if there are fewer.
    init(
        _ base: any SharedLog, slot: LogSlot?, part: Int,
        _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) {
        self.base = base
        self.slot = slot
        self.part = part
        self.change = change
    }

    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        let bytes = try base.part(number, of: image)
        if let slot, image.slot != slot {
            others.wrappingAdd(1, ordering: .relaxed)
            return bytes
        }
        guard number == min(part, image.parts - 1),
            var part = try? SharedImagePart(decoding: bytes, nil)
        else { return bytes }
        change(&part.contents)
        return part.encoded(nil)
    }
}
