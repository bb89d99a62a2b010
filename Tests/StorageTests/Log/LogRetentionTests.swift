import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Which segments are retained as history, and the cost of determining that.
@Suite struct LogRetentionTests {
    private static let hour = 3_600.0
    private static let folder = "store.realm/log"

    private func makeProcess(
        _ disk: SimulatedDisk, _ history: HistoryPolicy
    ) throws -> StoreProcess {
        try StoreProcess(disk) { options in
            options.segmentSizeMax = 2_048
            options.history = history
        }
    }

    /// Commits one row at each of the times, in seconds since 1970.
    private func insert(_ times: Range<Int64>, in process: StoreProcess) throws {
        for time in times {
            try process.engine.beginBody()
            process.add(time..<time + 1, to: process.engine.tree, textLength: 200)
            let commit = try process.engine.encodeCommit(author: nil, time: Double(time))
            process.engine.endBody(commit, waiter: .nobody)
        }
        try process.engine.checkpoint()
    }

    /// Every checkpoint opened each retained segment: thousands of files, every second.
    @Test(arguments: [HistoryPolicy.bytes(1 << 20), .seconds(1e12)])
    func aCheckpointOpensNoSegmentThatIsKnown(history: HistoryPolicy) async throws {
        let disk = SimulatedDisk()
        let process = try makeProcess(disk, history)
        try insert(1_000..<1_300, in: process)
        let kept = try disk.list(Self.folder).count
        #expect(kept > 30)
        let opened = Atomic<Int>(0)
        disk.observe { call in
            let isLog = call.path.hasSuffix(".log")
            guard call.moment == .before, call.operation == .open, isLog else { return }
            opened.wrappingAdd(1, ordering: .relaxed)
        }
        try insert(1_300..<1_301, in: process)
        disk.observe(nil)
        #expect(opened.load(ordering: .relaxed) < 10)
        #expect(try disk.list(Self.folder).count >= kept)
        await process.close()
    }

    /// If the disk could not read a segment of the history any more, the next checkpoint stopped
    /// the store.
    @Test func historyThatCannotBeReadStopsNothing() async throws {
        let disk = SimulatedDisk()
        let files = RefusingFiles(disk) { path, mode in
            mode == .readOnly && path.hasSuffix(".log")
                ? .io(operation: .read, path: path, errno: Platform.inputOutput) : nil
        }
        let process = try StoreProcess(files) { options in
            options.segmentSizeMax = 2_048
            options.history = .seconds(1e12)
        }
        try insert(1_000..<1_040, in: process)
        let kept = try disk.list(Self.folder).count
        files.isRefusing = true
        try insert(1_040..<1_080, in: process)
        files.isRefusing = false
        #expect(process.engine.failure == nil)
        #expect(try disk.list(Self.folder).count > kept)
        #expect(try process.problems() == [])
        await process.close()
    }

    /// Subscribing to the commits behind a recent one opened each retained segment.
    @Test func aReaderOpensNoSegmentBeforeItsPlace() async throws {
        let disk = SimulatedDisk()
        let process = try makeProcess(disk, .bytes(1 << 20))
        try insert(1_000..<1_300, in: process)
        #expect(try disk.list(Self.folder).count > 30)
        let version = process.engine.latest.version
        try insert(1_300..<1_302, in: process)
        let opened = Atomic<Int>(0)
        disk.observe { call in
            let isLog = call.path.hasSuffix(".log")
            guard call.moment == .before, call.operation == .open, isLog else { return }
            opened.wrappingAdd(1, ordering: .relaxed)
        }
        var cursor = try HistoryCursor(behind: version, of: process.engine)
        let commits = try cursor.next(of: process.engine, atLeast: 2) ?? []
        disk.observe(nil)
        #expect(commits.map(\.time) == [1_300, 1_301])
        #expect(opened.load(ordering: .relaxed) < 25)
        await process.close()
    }

    /// The retention of a process, evaluated at times that the test chooses.
    private final class Clock: Sendable {
        let moment: Mutex<LogRetention.Moment>

        init(_ time: Double) {
            moment = Mutex(LogRetention.Moment(time: time, instant: .now))
        }

        /// Advances both clocks; the wall clock also by `difference`, as if a user had set it.
        func advance(by seconds: Double, setBy difference: Double = 0) {
            moment.withLock {
                $0.time += seconds + difference
                $0.instant = $0.instant + .seconds(seconds)
            }
        }
    }

    /// How many of the segments before the checkpoint are retained.
    private func look(
        _ retention: LogRetention, _ process: StoreProcess
    ) throws -> (kept: Int, all: Int) {
        let superblock = process.log.state.withLock { $0.superblock }
        let record = try #require(superblock.checkpoint?.record)
        let older = try process.log.store.fileSystem.list(Self.folder)
            .compactMap { SegmentIndex(fileName: $0) }
            .filter { $0 < record.replayStart.segment }
        let first = try retention.firstKept(
            of: older, by: record, process.log.store, process.log.database)
        return (older.count { $0 >= first }, older.count)
    }

    /// After the clock was set forward by some hours, all history was considered expired, and
    /// removed.
    @Test func aClockThatIsSetForwardCostsNoHistory() async throws {
        let process = try makeProcess(SimulatedDisk(), .seconds(1e12))
        let clock = Clock(1_000)
        let retention = LogRetention(.seconds(Self.hour)) { clock.moment.withLock { $0 } }
        for round in Int64(0)..<3 {
            try insert(1_000 + round * 40..<1_040 + round * 40, in: process)
            clock.advance(by: 40)
            let (kept, all) = try look(retention, process)
            #expect(kept == all && all > 3)
        }
        // The next commits have times of the clock before it was set, and are evaluated by the new
        // one.
        try insert(1_120..<1_160, in: process)
        clock.advance(by: 40, setBy: 10 * Self.hour)
        let (kept, all) = try look(retention, process)
        #expect(kept == all)
        // The last segment may contain later commits.
        clock.advance(by: 2 * Self.hour)
        #expect(try look(retention, process).kept <= 1)
        await process.close()
    }

    /// After the clock was set back, history was retained for so much longer.
    @Test func aClockThatIsSetBackKeepsNoMoreHistory() async throws {
        let process = try makeProcess(SimulatedDisk(), .seconds(1e12))
        let clock = Clock(100_000)
        let retention = LogRetention(.seconds(Self.hour)) { clock.moment.withLock { $0 } }
        try insert(100_000..<100_080, in: process)
        clock.advance(by: 80)
        let (kept, all) = try look(retention, process)
        #expect(kept == all && all > 3)
        clock.advance(by: 2 * Self.hour, setBy: -20 * Self.hour)
        #expect(try look(retention, process).kept <= 1)
        await process.close()
    }
}
