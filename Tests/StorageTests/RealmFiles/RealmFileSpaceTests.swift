import StorageHarness
import Testing

@testable import Storage

/// Stores that are converted from `.realm` files on disks without enough space.
@Suite struct RealmFileSpaceTests {
    /// A class of 16 objects of 20 KB each.
    private func makeFile() throws -> RealmFile {
        var builder = RealmFileBuilder()
        var random = SeededGenerator(seed: 1)
        let blobs = (0..<16).map { _ in
            builder.blob((0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
        let leaf = builder.refs(blobs, flags: 0x20)
        builder.table("class_A", count: 16, [.init("data", type: 4, leaf: leaf)])
        return try RealmFileReading.open(builder.file())
    }

    /// The commit was refused without an error: an import that had stored nothing succeeded.
    @Test(arguments: [160_000, 240_000, 320_000])
    func aFullDiskIsReported(capacity: Int) throws {
        let file = try makeFile()
        let files = SimulatedDisk()
        files.limit(to: capacity)
        #expect {
            _ = try RealmFileConversionTests.convert(file, to: files)
        } throws: { error in
            if case .outOfSpace? = error as? StorageError { true } else { false }
        }
    }

    @Test func importsThatFitAreStored() throws {
        let file = try makeFile()
        let files = SimulatedDisk()
        files.limit(to: 2_000_000)
        let (opened, _) = try RealmFileConversionTests.convert(file, to: files)
        #expect(opened.tree.count(ClassID(0)) == 16)
        try opened.log.close()
    }
}
