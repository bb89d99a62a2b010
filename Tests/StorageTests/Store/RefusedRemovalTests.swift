import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Files that cannot be removed for want of space: where nothing is written in place, that takes
/// some, too.
@Suite struct RefusedRemovalTests {
    /// A file system that removes nothing of log and pages while it is asked not to.
    final class FullFiles: WrappedFiles {
        let base: any FileSystem
        let isFull = Atomic<Bool>(false)
        /// Whether there is space while the store's reserve is not there.
        let hasOnlyReserve = Atomic<Bool>(false)
        /// Whether segments that have something are not written anew from their beginning either.
        let keepsBegins = Atomic<Bool>(false)
        let refusals = Atomic<Int>(0)

        init(_ base: any FileSystem) { self.base = base }

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            let file = try base.open(path, mode)
            return path.hasSuffix(".log") ? FullFile(base: file, path: path, files: self) : file
        }

        func remove(_ path: String) throws(StorageError) {
            let isMeant = path.hasSuffix(".log") || path.hasSuffix(".pages")
            if isMeant, isRefusing, (try? base.open(path, .readOnly)) != nil {
                refusals.wrappingAdd(1, ordering: .relaxed)
                throw .io(operation: .remove, path: path, errno: Platform.noSpace)
            }
            try base.remove(path)
        }

        fileprivate var isRefusing: Bool {
            if isFull.load(ordering: .relaxed) { return true }
            return hasOnlyReserve.load(ordering: .relaxed)
                && (try? base.open("store.realm/reserve", .readOnly)) != nil
        }
    }

    private final class FullFile: WrappedFile {
        let base: any File
        private let path: String
        private let files: FullFiles

        init(base: any File, path: String, files: FullFiles) {
            (self.base, self.path, self.files) = (base, path, files)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
            let isKept = files.keepsBegins.load(ordering: .relaxed) && files.isRefusing
            if isKept, offset == 0, try base.size().length > 0, bytes.allSatisfy({ $0 == 0 }) {
                throw .outOfSpace(path: path)
            }
            try base.write(bytes, at: offset)
        }
    }

    /// A store with a checkpoint, and much behind it that makes it superfluous.
    private static func outdated(_ files: FullFiles) throws -> StoreProcess {
        let process = try StoreProcess(files) { options in
            options.pages.segmentSizeMin = 4 << 10
            options.pages.segmentSizeGrown = 4 << 10
        }
        try process.insert(0..<300, textLength: 100)
        try process.engine.checkpoint()
        try process.write { _ in process.delete(0..<200) }
        for number in Int64(300)..<340 {
            try process.insert(number..<number + 1, textLength: 200)
        }
        return process
    }

    /// Notes the versions of the checkpoints that are told of.
    private final class ToldCheckpoints: Sendable {
        private let told = Mutex<[Version]>([])

        var versions: [Version] { told.withLock { $0 } }

        func note(_ event: StoreEvent) {
            if case .checkpoint(let version, _, _, _) = event {
                told.withLock { $0.append(version) }
            }
        }
    }

    /// A store stopped writing when a checkpoint was written and could not remove what was behind
    /// it, although nothing had failed.
    @Test func aStoreGoesOnWithWhatCannotBeRemoved() async throws {
        let disk = SimulatedDisk()
        let files = FullFiles(disk)
        let process = try Self.outdated(files)
        let told = ToldCheckpoints()
        process.engine.checkpoints?.onEvent { told.note($0) }
        files.isFull.store(true, ordering: .relaxed)
        #expect(process.engine.checkpointOrLatch() == nil)
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        #expect(process.engine.failure == nil)
        // It counts all the same.
        let latest = process.engine.latest
        #expect(told.versions == [latest.version])
        #expect(process.checkpointer.contents.version == latest.version)
        #expect(
            process.log.reserve.size >= process.engine.reserveSize(latest, process.checkpointer))
        try process.insert(340)
        // Who asks for the space is told.
        #expect {
            try process.compact(isFull: true)
        } throws: { error in
            if case .outOfSpace? = error as? StorageError { true } else { false }
        }
        files.isFull.store(false, ordering: .relaxed)
        try process.insert(341)
        try process.compact(isFull: true)
        #expect(process.numbers == Array(200..<342))
        #expect(try process.problems() == [])
        #expect(try disk.list("store.realm/log").count { $0.hasSuffix(".log") } == 1)
        await process.close()

        let again = try StoreProcess(disk)
        #expect(again.numbers == Array(200..<342))
        #expect(try again.problems() == [])
        await again.close()
    }

    /// The space that is kept for what makes a store smaller was not used for it, and nothing was
    /// ever removed.
    @Test func theReserveIsSpentOnRemovals() async throws {
        let disk = SimulatedDisk()
        let files = FullFiles(disk)
        let process = try Self.outdated(files)
        files.hasOnlyReserve.store(true, ordering: .relaxed)
        try process.engine.checkpoint()
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        let contents = process.checkpointer.contents
        let unused = try process.checkpointer.pages.list().filter {
            !contents.uses($0) && $0 != contents.segments.last?.key
        }
        #expect(unused.isEmpty)
        let needed = try #require(process.log.firstNeededSegment)
        let segments = try disk.list("store.realm/log").compactMap { SegmentIndex(fileName: $0) }
        #expect(segments.min() == needed)
        // What was given up is there again.
        #expect(process.log.reserve.isWhole && process.log.reserve.size > 0)
        try process.insert(340)
        #expect(process.numbers == Array(200..<341))
        #expect(try process.problems() == [])
        await process.close()
    }
}
