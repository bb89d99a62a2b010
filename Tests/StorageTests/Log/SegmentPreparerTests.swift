import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Segments that are made ahead, and those that are taken back.
@Suite struct SegmentPreparerTests {
    /// Files that tell when the names of a folder were made durable, the last step of a segment.
    private struct ToldFiles: WrappedFiles {
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

    /// A preparer of a new log.
    private static func preparer(
        _ files: any FileSystem, last: SegmentIndex = SegmentIndex(0), inBackground: Bool = true
    ) throws -> SegmentPreparer {
        try files.createDirectory("log")
        let reserve = SpaceReserve(fileSystem: files, path: "reserve", wanted: 4096)
        try reserve.refill()
        return SegmentPreparer(
            fileSystem: files, directory: "log", reserve: reserve, last: last,
            inBackground: inBackground)
    }

    /// A segment was made ahead while others were given back: it was handed out as the first of
    /// these, and the log had a gap before it.
    @Test func whatWasMadeAheadGoesWithTheSegmentsBeforeIt() throws {
        let files = ToldFiles()
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

    /// For want of a descriptor a segment could not be made ahead, and the commit that came to need
    /// it later failed for that, and stopped the store.
    @Test func aWantOfDescriptorsWhileNobodyNeedsASegmentIsNoFailure() throws {
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

    /// The number behind the greatest one was zero: the log went on in a segment that no opening
    /// looked for.
    @Test func noSegmentComesBehindTheLast() throws {
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

    /// A large group whose second segment could not be made, since another store had taken the
    /// place of this one, removed its first segment from the log of that store.
    @Test func segmentsOfAStoreThatTookThePlaceStay() throws {
        let files = MemoryFileSystem()
        try files.createDirectory("log")
        let isInPlace = Atomic<Bool>(true)
        let preparer = SegmentPreparer(
            fileSystem: files, directory: "log",
            reserve: SpaceReserve(fileSystem: files, path: "reserve", wanted: 4096),
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
