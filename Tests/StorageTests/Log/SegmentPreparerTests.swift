import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Segments that are prepared, and segments that are returned.
@Suite struct SegmentPreparerTests {
    /// A file system that reports when the names of a folder are durable, the last step of creating
    /// a segment.
    private struct ReportingFiles: WrappedFiles {
        let base: any FileSystem = MemoryFileSystem()
        let isDurable = DispatchSemaphore(value: 0)

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            try base.open(path, mode)
        }

        func syncDirectory(_ path: String) throws(StorageError) {
            try base.syncDirectory(path)
            isDurable.signal()
        }
    }

    /// The preparer of a new log.
    private static func preparer(
        _ files: any FileSystem, last: SegmentIndex = SegmentIndex(0), inBackground: Bool = true
    ) throws -> SegmentPreparer {
        try files.createDirectory("log")
        let reserve = SpaceReserve(fileSystem: files, path: "reserve", targetSize: 4096)
        try reserve.refill()
        return SegmentPreparer(
            fileSystem: files, directory: "log", reserve: reserve, last: last,
            inBackground: inBackground)
    }

    /// A segment was prepared while others were returned: it was handed out as the first of these,
    /// and the log had a gap before it.
    @Test func aPreparedSegmentIsRemovedWithReturnedOnes() throws {
        let files = ReportingFiles()
        let preparer = try Self.preparer(files)
        defer { preparer.stop() }
        let given = try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        files.isDurable.wait()
        preparer.prepare(size: 4096)
        files.isDurable.wait()
        try #require(preparer.spareSize == 4096)
        preparer.returnUnused([given])
        let next = try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        #expect(given.index == .first && next.index == .first)
        #expect(try files.list("log") == [SegmentIndex.first.fileName])
    }

    /// A segment could not be prepared for lack of a descriptor. The commit that needed it later
    /// failed because of that, and stopped the store.
    @Test func aLackOfDescriptorsWhilePreparingIsNotAFailure() throws {
        let isRefused = DispatchSemaphore(value: 0)
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            guard path.hasSuffix(".log") else { return nil }
            isRefused.signal()
            return .io(operation: .open, path: path, errno: 24)
        }
        let preparer = try Self.preparer(files)
        defer { preparer.stop() }
        files.isRefusing = true
        preparer.prepare(size: 4096)
        isRefused.wait()
        files.isRefusing = false
        #expect(try preparer.take(minimum: 4096, size: 4096, isZeroed: true).index == .first)
    }

    /// The number after the greatest one was zero: the log continued in a segment that no opening
    /// reads.
    @Test func noSegmentFollowsTheLast() throws {
        let files = MemoryFileSystem()
        let preparer = try Self.preparer(
            files, last: SegmentIndex(UInt32.max - 1), inBackground: false)
        defer { preparer.stop() }
        let last = try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        #expect(last.index == .last)
        #expect {
            try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        } throws: { error in
            if case .invalid? = error as? StorageError { true } else { false }
        }
        #expect(try files.list("log") == [SegmentIndex.last.fileName])
        preparer.returnUnused([last])
        #expect(try preparer.take(minimum: 4096, size: 4096, isZeroed: true).index == .last)
    }

    /// A large group, whose second segment could not be created because another store had replaced
    /// this one, removed its first segment from the log of that store.
    @Test func segmentsOfAReplacingStoreAreKept() throws {
        let files = MemoryFileSystem()
        try files.createDirectory("log")
        let isInPlace = Atomic<Bool>(true)
        let preparer = SegmentPreparer(
            fileSystem: files, directory: "log",
            reserve: SpaceReserve(fileSystem: files, path: "reserve", targetSize: 4096),
            last: SegmentIndex(0), inBackground: false
        ) { isInPlace.load(ordering: .relaxed) }
        defer { preparer.stop() }
        let first = try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        isInPlace.store(false, ordering: .relaxed)
        #expect(throws: StorageError.replaced(path: ".")) {
            _ = try preparer.take(minimum: 4096, size: 4096, isZeroed: true)
        }
        preparer.returnUnused([first])
        #expect(throws: StorageError.replaced(path: ".")) { try preparer.revoke([first]) }
        #expect(try files.list("log") == [first.index.fileName])
    }
}
