import StorageHarness
import Testing

@testable import Storage

/// The page files of copies, such as images.
@Suite struct CopiedFilesTests {
    /// A host that was just opened has almost nothing in memory: its copies had page files of 8
    /// KiB.
    @Test func aCopyHasFilesAsLargeAsItsTreeWantsThem() async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        let first = try SharedHost(MemorySharedLog(engine), files)
        try await first.commit { tree in
            for number in Int64(0)..<10_000 {
                let key = tree.createRow(HarnessSchema.item)
                tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
            }
        }
        try first.store.engine.checkpoint()
        try await first.store.close()
        let again = try SharedHost(MemorySharedLog(engine), files)
        let stored = again.store.engine.storedBytes
        try #require(stored > 100 << 10)
        try StoreCopy(of: again.store.engine.latest, to: files, directory: "copy").write()
        #expect((2...16).contains(try files.list("copy/pages").count))
        try await again.store.close()
    }
}
