import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Verifying a store while checkpoints remove log segments.
@Suite struct VerifyBesideCheckpointTests {
    private func makeFilled(_ disk: SimulatedDisk) throws -> StoreProcess {
        let process = try StoreProcess(disk) { $0.segmentSizeMax = 2_048 }
        for number in Int64(0)..<100 { try process.insert(number) }
        try process.engine.checkpoint()
        // Several segments of log.
        for number in Int64(100)..<300 { try process.insert(number) }
        #expect(try disk.list("store.realm/log").count > 5)
        return process
    }

    /// The first segments were removed before the verification read the log, which was reported as
    /// a gap.
    @Test(arguments: [false, true])
    func aCheckpointBeforeTheLogIsRead(erases: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        let isDone = Mutex(false)
        let engine = process.engine
        let monitor = ReadingMonitor { _ in
            if isDone.withLock({ $0 }) { return }
            isDone.withLock { $0 = true }
            try? engine.checkpoint(for: erases ? .erasure : .replay, isForced: true)
        }
        #expect(try process.engine.verify(monitor).problems == [])
        #expect(isDone.withLock { $0 })
        await process.close()
    }

    /// The listed segments were removed before they were read.
    @Test(arguments: [0, 3])
    func aCheckpointWhileTheLogIsRead(number: Int) async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        let opened = Mutex<[String: Int]>([:])
        let segments = try disk.list("store.realm/log").filter { $0.hasSuffix(".log") }
        let path = "store.realm/log/" + segments[number]
        let engine = process.engine
        disk.observe { call in
            guard call.moment == .before, call.operation == .open, call.path == path else { return }
            // Once for its header, and once for its contents.
            let count = opened.withLock { opened in
                opened[path, default: 0] += 1
                return opened[path]
            }
            if count == 3 { try? engine.checkpoint(for: .erasure, isForced: true) }
        }
        #expect(try process.engine.verify(ReadingMonitor()).problems == [])
        disk.observe(nil)
        #expect(!(try disk.list("store.realm/log").contains(segments[0])))
        await process.close()
    }

    /// A segment that is missing for another reason is still reported.
    @Test func aMissingSegmentIsFound() async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        let segments = try disk.list("store.realm/log").filter { $0.hasSuffix(".log") }
        try disk.remove("store.realm/log/" + segments[3])
        #expect(try !process.engine.verify(ReadingMonitor()).problems.isEmpty)
        await process.close()
    }
}
