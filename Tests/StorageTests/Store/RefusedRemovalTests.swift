import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Files that cannot be removed for lack of space, as on a copy-on-write file system.
@Suite struct RefusedRemovalTests {
    /// A store with a checkpoint, and a large log after it, which the next one makes obsolete.
    private static func outdated(_ files: FullFiles) throws -> StoreProcess {
        let process = try StoreProcess(files, StoreProcess.smallPages)
        try process.insert(0..<300, textLength: 100)
        try process.engine.checkpoint()
        try process.write { _ in process.delete(0..<200) }
        for number in Int64(300)..<340 {
            try process.insert(number..<number + 1, textLength: 200)
        }
        return process
    }

    /// Records the versions of the reported checkpoints.
    private final class RecordedCheckpoints: Sendable {
        private let recorded = Mutex<[Version]>([])

        var versions: [Version] { recorded.withLock { $0 } }

        func note(_ event: StoreEvent) {
            if case .checkpoint(let version, _, _, _) = event {
                recorded.withLock { $0.append(version) }
            }
        }
    }

    /// A store stopped writing if a checkpoint was written and could not remove the obsolete files,
    /// although nothing had failed.
    @Test func aStoreContinuesDespiteAFailedRemoval() async throws {
        let disk = SimulatedDisk()
        let files = FullFiles(disk)
        let process = try Self.outdated(files)
        let recorded = RecordedCheckpoints()
        process.engine.checkpoints?.onEvent { recorded.note($0) }
        files.isFull.store(true, ordering: .relaxed)
        #expect(process.engine.checkpointOrLatch() == nil)
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        #expect(process.engine.failure == nil)
        // The checkpoint is valid nevertheless.
        let latest = process.engine.latest
        #expect(recorded.versions == [latest.version])
        #expect(process.checkpointer.contents.version == latest.version)
        #expect(
            process.log.reserve.size >= process.engine.reserveSize(latest, process.checkpointer))
        try process.insert(340)
        // A caller that requests the space gets the error.
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

    /// The reserve was not used for removals, and nothing was ever removed.
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
        // The reserve is refilled.
        #expect(process.log.reserve.isWhole && process.log.reserve.size > 0)
        try process.insert(340)
        #expect(process.numbers == Array(200..<341))
        #expect(try process.problems() == [])
        await process.close()
    }
}
