import StorageHarness
import Testing

@testable import Storage

/// Stores of which somebody has copied some or all files.
@Suite struct CopiedStoreTests {
    /// A realm that was copied file by file, without unwritten blocks, had a reserve of the right
    /// length but without space: on a full disk nothing could be deleted.
    @Test func aSparseReserveIsRefilled() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let length = 256 << 10
            let copy = try files.open(root + "/reserve", .create)
            let end = AlignedBuffer(capacity: 8)
            try copy.write(UnsafeRawBufferPointer(end.bytes.slice(0..<8)), at: length - 8)
            withExtendedLifetime(end) {}
            let reserve = SpaceReserve(
                fileSystem: files, path: root + "/reserve", targetSize: length)
            try reserve.refill()
            let found = try files.open(root + "/reserve", .readOnly).size()
            #expect(found.length == length && found.allocated >= length)
            #expect(reserve.isWhole && reserve.size == length)
        }
    }

    /// The remaining files were taken for a store whose creation was interrupted, and the page
    /// files were removed.
    @Test(arguments: [false, true])
    func pageFilesAloneAreADamagedStore(readOnly: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk, isShared: false)
        try process.insert(0..<100)
        try process.engine.checkpoint()
        await process.close()
        for name in try disk.list("store.realm/log") { try disk.remove("store.realm/log/" + name) }
        try disk.remove("store.realm/superblock")
        let pages = try disk.list("store.realm/pages")
        #expect(!pages.isEmpty)
        do {
            _ = try StoreProcess(disk, isShared: false) { $0.readOnly = readOnly }
            Issue.record("there is nothing to open")
        } catch StorageError.corrupted {
            #expect(try disk.list("store.realm/pages") == pages)
        }
    }

    /// Some tools copy no empty folders, as that of the page files is before the first checkpoint:
    /// this one failed, and the store stopped writing.
    @Test(arguments: testSeeds(8))
    func theEmptyFolderOfPageFilesMayBeMissing(seed: UInt64) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<100)
        disk.crash(seed: seed)
        try disk.remove("store.realm/pages")
        try disk.syncDirectory("store.realm")
        let opened = try StoreProcess(disk)
        #expect(try opened.engine.allocatedBytes() > 0)
        try opened.engine.checkpoint()
        #expect(opened.engine.failure == nil)
        try opened.insert(100)
        disk.crash(seed: seed)
        let again = try StoreProcess(disk)
        #expect(again.numbers.elementsEqual(0..<101))
        #expect(try again.problems() == [])
        await again.close()
    }
}
