import StorageHarness
import Testing

@testable import Storage

/// Verifying the retained history, before the log that the store needs.
@Suite struct VerifyHistoryTests {
    private static let folder = "store.realm/log"

    /// A store whose log has several segments of history; returns these, too.
    private func makeFilled(_ disk: SimulatedDisk) throws -> (StoreProcess, segments: [String]) {
        let process = try StoreProcess(disk) {
            $0.segmentSizeMax = 2_048
            $0.history = .bytes(1 << 20)
        }
        for number in Int64(0)..<200 { try process.insert(number) }
        try process.engine.checkpoint()
        let needed = try #require(process.log.firstNeededSegment)
        let history = try disk.list(Self.folder).filter { name in
            SegmentIndex(fileName: name).map { $0 < needed } ?? false
        }
        #expect(history.count > 5)
        return (process, history)
    }

    private func problems(_ process: StoreProcess) throws -> [StoreProblem] {
        try process.engine.verify(ReadingMonitor()).problems
    }

    @Test func everyCommitIsRead() async throws {
        let (process, segments) = try makeFilled(SimulatedDisk())
        let outcome = try process.engine.verify(ReadingMonitor())
        #expect(outcome.problems == [])
        #expect(outcome.counts.commits >= 200)
        #expect(outcome.counts.segments > segments.count)
        await process.close()
    }

    /// The verification began after the history, and missed its damage.
    @Test func damageIsFoundWhereItIs() async throws {
        let disk = SimulatedDisk()
        let (process, segments) = try makeFilled(disk)
        let path = Self.folder + "/" + segments[2]
        disk.damage(path, at: 400)
        let found = try problems(process)
        #expect(found.contains { $0.kind == .log && $0.place.file == path })
        #expect(found.allSatisfy { $0.kind == .log })
        await process.close()
    }

    @Test func aHeaderThatIsDamagedIsFound() async throws {
        let disk = SimulatedDisk()
        let (process, segments) = try makeFilled(disk)
        let path = Self.folder + "/" + segments[2]
        disk.damage(path, at: 40)
        let found = try problems(process)
        #expect(found.map(\.place.file) == [path])
        await process.close()
    }

    /// The oldest segments may be removed at any time.
    @Test func segmentsRemovedMeanwhileAreNotDamage() async throws {
        let disk = SimulatedDisk()
        let (process, segments) = try makeFilled(disk)
        var verifier = try LogVerifier(process.log)
        for name in segments.prefix(4) { try disk.remove(Self.folder + "/" + name) }
        var tally = VerificationTally(total: 1, monitor: ReadingMonitor())
        try verifier.verify(&tally)
        #expect(tally.problems == [])
        #expect((1..<200).contains(tally.counts.commits))
        await process.close()
    }

    /// A crash may undo any of the removals after a checkpoint.
    @Test func segmentsBeforeAGapAreLeftovers() async throws {
        let disk = SimulatedDisk()
        let (process, segments) = try makeFilled(disk)
        try disk.remove(Self.folder + "/" + segments[2])
        disk.damage(Self.folder + "/" + segments[1], at: 400)
        #expect(try problems(process) == [])
        await process.close()
    }
}
