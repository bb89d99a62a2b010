import StorageHarness
import Synchronization
import Testing

@testable import Storage

// Safety: the bytes of arrays and buffers are lent for the calls that write them.

/// A horizon that a power failure has left behind the log, and the processes that read it.
@Suite struct LateHorizonTests {
    /// The header of a segment proves the log before it durable: the first process had nothing to
    /// sync, and did not update the horizon. A second process was shown an older version, until the
    /// first one wrote.
    @Test func aSecondProcessSeesTheVersionOfTheFirst() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let before = try StoreProcess(files, directory: path)
            try before.insert(1)
            let horizon = try files.open(before.log.store.horizonPath, .readWrite)
            let late = try horizon.bytes(in: 0..<Horizon.size)
            try before.insert(2)
            try before.insert(3)
            let end = try #require(before.log.end)
            try before.follower.releaseLease()

            // The power fails while the next segment is begun: its first frame is missing.
            try late.withUnsafeBytes { try horizon.write($0, at: 0) }
            let header = SegmentHeader(
                index: end.segment.next, database: before.log.database,
                firstPosition: end.position, previousHash: end.hash, epochSalt: end.salt,
                lastVersion: before.engine.latest.version)
            let bytes = AlignedBuffer(capacity: SegmentHeader.size)
            header.encode(into: bytes.bytes)
            let segment = try files.open(before.log.store.path(of: header.index), .create)
            try segment.write(UnsafeRawBufferPointer(bytes.bytes), at: 0)
            withExtendedLifetime(bytes) {}

            let first = try StoreProcess(files, directory: path)
            #expect(first.numbers == [1, 2, 3])
            let second = try StoreProcess(files, directory: path)
            #expect(second.numbers == [1, 2, 3])
            try first.insert(4)
            try second.follower.follow()
            #expect(second.numbers == [1, 2, 3, 4])
            try first.follower.releaseLease()
        }
    }

    /// The file, whose next read returns parts of two horizons.
    private final class TornFile: WrappedFile {
        let base: any File
        private let isTorn = Atomic<Bool>(true)

        init(_ base: any File) { self.base = base }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at offset: Int
        ) throws(StorageError) -> Int {
            let count = try base.read(into: buffer, at: offset)
            if isTorn.exchange(false, ordering: .relaxed), count > 0 { buffer[0] ^= 1 }
            return count
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
            try base.write(bytes, at: offset)
        }
    }

    private struct TornFiles: WrappedFiles {
        let base: any FileSystem

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            let file = try base.open(path, mode)
            return path.hasSuffix("horizon") ? TornFile(file) : file
        }
    }

    /// A horizon that was read during a write was considered missing: a backup by a follower lacked
    /// acknowledged commits after the latest checkpoint.
    @Test func aHorizonBeingWrittenIsReadAgain() async throws {
        let files = MemoryFileSystem()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        let store = StoreDirectory(fileSystem: TornFiles(base: files), path: "store.realm")
        let horizon = try store.readHorizon(database: process.log.database)
        #expect(horizon?.synced == process.log.end?.position)
        await process.close()
    }
}
