import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// A thread that commits and one that writes checkpoints, on one log.
@Suite struct SyncRaceTests {
    /// Both threads synced one open file at the same time. The system reports a failure once: one
    /// thread received it, and the other acknowledged a commit that was not durable.
    @Test func aFailedSyncIsReportedToBothThreads() throws {
        var commits = 0
        for seed in testSeeds(60) {
            do {
                commits += try SyncRace().run(seed: seed)
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(commits > 0)
    }

    /// A failed sync latches in the file, for both threads.
    @Test func aFileStaysFailed() throws {
        let disk = SimulatedDisk()
        let file = SyncedFile(try disk.open("a.log", .create))
        let bytes = AlignedBuffer(capacity: 64)
        try file.write(UnsafeRawBufferPointer(bytes.bytes), at: 0)
        disk.failNextSync(of: ".log")
        #expect(throws: StorageError.self) { try file.sync() }
        #expect(throws: StorageError.self) { try file.sync() }
        try file.write(UnsafeRawBufferPointer(bytes.bytes), at: 64)
        #expect(throws: StorageError.self) { try file.sync() }
        // The system has reported the failure once, and would not report it again.
        try disk.open("a.log", .readWrite).sync()
    }

    /// As on Linux: each open file reports a failure once, and an unreported one is reported to the
    /// next process that opens the file.
    @Test func theSimulatedDiskReportsAFailureOncePerOpenFile() throws {
        let disk = SimulatedDisk()
        let (one, two) = (try disk.open("a.log", .create), try disk.open("a.log", .readWrite))
        disk.failNextSync(of: ".log")
        #expect(throws: StorageError.self) { try one.sync() }
        try one.sync()
        #expect(throws: StorageError.self) { try two.sync() }
        try two.sync()
        try disk.open("a.log", .readWrite).sync()
    }

    /// A group that was written during the sync of the previous one was marked as visible before it
    /// was synced: another process showed commits that a crash then lost.
    @Test func theHorizonShowsWhatIsSynced() throws {
        let disk = SimulatedDisk()
        let opened = try OpenedLog(disk)
        try opened.append([TestCommit(1, length: 20)])
        let (written, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Atomic<Bool>(true)
        let early = Mutex<[Horizon]>([])
        let (log, database) = (opened.log, opened.log.database)
        disk.observe { call in
            switch (call.moment, call.operation) {
            case (.before, .sync) where call.path.hasSuffix(".log"):
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                Platform.runOnThread {
                    let group = CommitGroupBuffer()
                    try? group.append(TestCommit(3, length: 20))
                    try? log.append(group)
                    ended.signal()
                }
                _ = written.wait(timeout: .now() + .seconds(10))
            case (.after, .write) where call.path.hasSuffix(".log"):
                if !isFirst.load(ordering: .relaxed) { written.signal() }
            case (.after, .write) where call.path.hasSuffix("horizon"):
                let horizon = try? log.store.readHorizon(database: database)
                if let horizon, horizon.visible > horizon.synced {
                    early.withLock { $0.append(horizon) }
                }
            default: break
            }
        }
        try opened.append([TestCommit(2, length: 20)])
        ended.wait()
        disk.observe(nil)
        #expect(early.withLock { $0 } == [])
        #expect(try log.store.readHorizon(database: database)?.visible == log.end?.position)
    }

    /// A process that requires durability saw what a relaxed one had written.
    @Test func durableReadersSeeOnlyDurableCommits() throws {
        let disk = SimulatedDisk()
        var relaxed = LogOptions.small
        relaxed.durability = .written
        let opened = try OpenedLog(disk, "store.realm", relaxed)
        try opened.append([TestCommit(1, length: 20)])
        let isFirst = Atomic<Bool>(true)
        disk.observe { call in
            guard call.moment == .before, call.operation == .sync, call.path.hasSuffix(".log"),
                isFirst.exchange(false, ordering: .relaxed)
            else { return }
            try? opened.append([TestCommit(2, length: 20)])
        }
        try opened.log.sync()
        disk.observe(nil)
        for (options, count) in [(LogOptions.small, 1), (relaxed, 2)] {
            var seen: [Version] = []
            _ = try Log.openBehindWriter(opened.log.store, options, { _ in }) {
                seen.append($0.version)
            }
            #expect(seen.count == count)
        }
    }
}
