import StorageHarness
import Testing

@testable import Storage

/// Stores of which somebody has copied the files, or a part of them.
@Suite struct CopiedStoreTests {
    /// A realm that was copied file by file, without what was never written, had a reserve of its
    /// length and without any space: on a full disk nothing could be deleted.
    @Test func aReserveWithoutBlocksIsClaimedAnew() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let length = 256 << 10
            let copy = try files.open(root + "/reserve", .create)
            let end = AlignedBuffer(capacity: 8)
            try copy.write(UnsafeRawBufferPointer(end.bytes.slice(0..<8)), at: length - 8)
            withExtendedLifetime(end) {}
            let reserve = SpaceReserve(
                fileSystem: files, path: root + "/reserve", wanted: length)
            try reserve.refill()
            let found = try files.open(root + "/reserve", .readOnly).size()
            #expect(found.length == length && found.allocated >= length)
            #expect(reserve.isWhole && reserve.size == length)
        }
    }

    /// What was left passed for a store that was still to be made, and the page files were removed.
    @Test(arguments: [false, true])
    func pageFilesAloneAreADamagedStore(readOnly: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk) { $0.isShared = false }
        try process.insert(0..<100)
        try process.engine.checkpoint()
        await process.close()
        for name in try disk.list("store.realm/log") { try disk.remove("store.realm/log/" + name) }
        try disk.remove("store.realm/superblock")
        let pages = try disk.list("store.realm/pages")
        #expect(!pages.isEmpty)
        do {
            _ = try StoreProcess(disk) { options in
                options.isShared = false
                options.readOnly = readOnly
            }
            Issue.record("there is nothing to open")
        } catch StorageError.corrupted {
            #expect(try disk.list("store.realm/pages") == pages)
        }
    }
}
