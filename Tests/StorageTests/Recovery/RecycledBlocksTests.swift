import StorageHarness
import Testing

@testable import Storage

// Safety: the bytes of an array are lent for the calls that read and write them.

@Suite struct RecycledBlocksTests {
    /// The sync of a segment failed while it was created, and then the power. Its blocks had an
    /// older segment of the same log, with a valid header, and the store was refused: "segment 4 is
    /// missing".
    @Test func aSegmentThatWasNeverWrittenMayHoldAnOlderOne() async throws {
        let files = MemoryFileSystem()
        let store = CrashStore(files, seed: 1)
        try store.open()
        for _ in 0..<20 { try await store.run(.transaction) }
        await store.abandon()
        let log = CrashStore.directory + "/log/"
        let names = try files.list(log.dropLast().description).filter { $0.hasSuffix(".log") }
        let old = try files.open(log + names[0], .readOnly)
        var bytes = [UInt8](repeating: 0, count: try old.size().length)
        _ = try bytes.withUnsafeMutableBytes { try old.read(into: $0, at: 0) }
        let next = SegmentIndex(UInt32(names.count + 1))
        let file = try files.open(log + next.fileName, .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try await Recovery.check(files, store.oracle, seed: 1)
    }
}
