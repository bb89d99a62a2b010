import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Temporary shortages of space, caused by concurrent operations.
@Suite struct PassingShortageTests {
    /// While a checkpoint is written that does not fit, it occupies the remaining space. A
    /// concurrent commit was refused, although it fitted by the time of its refusal.
    @Test func aCommitIsRetriedWhenSpaceMayBeFree() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        try process.engine.checkpoint()
        let isShort = Atomic<Bool>(true)
        let refusals = Atomic<Int>(0)
        disk.observe { call in
            guard call.moment == .before else { return }
            if call.operation == .remove, call.path.hasSuffix("/reserve.new") {
                // Space is being freed after the refusal.
                isShort.store(false, ordering: .relaxed)
            } else if call.operation.takesSpace, call.path.hasSuffix(".log"),
                isShort.load(ordering: .relaxed)
            {
                refusals.wrappingAdd(1, ordering: .relaxed)
                disk.inject(.init(.noSpace, call: disk.callCount + 1))
            }
        }
        try process.insert(300..<330)
        disk.observe(nil)
        let refused = refusals.load(ordering: .relaxed)
        #expect(refused > 0 && process.engine.failure == nil)
        #expect(process.numbers.elementsEqual(0..<330))
        #expect(try process.problems() == [])
        await process.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers.elementsEqual(0..<330))
        await again.close()
    }

    /// It was not repeated before something was committed, which needed the space of the log that
    /// the checkpoint makes obsolete.
    @Test func aRefusedCheckpointIsRepeatedOnceThereIsSpace() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        for number in Int64(0)..<60 {
            if number == 30 { try process.engine.checkpoint() }
            try process.insert(number * 10..<number * 10 + 10)
        }
        let hasRoomForPages = Atomic<Bool>(false)
        let hasCheckpoint = Atomic<Bool>(false)
        disk.observe { call in
            if call.moment == .after {
                if call.operation == .write, call.path.hasSuffix("superblock") {
                    hasCheckpoint.store(true, ordering: .relaxed)
                }
                return
            }
            let isRefused: Bool
            if call.path.hasSuffix(".pages") {
                isRefused = call.operation.takesSpace && !hasRoomForPages.load(ordering: .relaxed)
            } else {
                // The segments of a large transaction are allocated, and all others written.
                isRefused =
                    call.operation == .allocate && call.path.hasSuffix(".log")
                    && !hasCheckpoint.load(ordering: .relaxed)
            }
            if isRefused { disk.inject(.init(.noSpace, call: disk.callCount + 1)) }
        }
        try process.insert(1_000..<1_001, textLength: 20_000)
        #expect(process.numbers.count == 600 && process.engine.failure == nil)
        #expect(hasCheckpoint.load(ordering: .relaxed) == false)
        hasRoomForPages.store(true, ordering: .relaxed)
        try process.insert(1_001..<1_002, textLength: 20_000)
        disk.observe(nil)
        #expect(hasCheckpoint.load(ordering: .relaxed) == true)
        #expect(process.numbers == Array(0..<600) + [1_001])
        #expect(process.engine.failure == nil)
        #expect(try process.problems() == [])
        await process.close()
    }

    /// It was retried with every commit, and took the space from them each time.
    @Test func aCheckpointWithoutSpaceIsNotDueAgainAtOnce() async throws {
        let process = try StoreProcess(SimulatedDisk())
        let schedule = CheckpointSchedule(process.opened)
        /// Whether a checkpoint is due with the log ending there; if so, it has run.
        func isDue(
            at megabytes: UInt64, _ urgency: CheckpointSchedule.Urgency = .none
        ) -> Bool {
            let runs = Runs()
            let ended = DispatchSemaphore(value: 0)
            schedule.runIfDue(at: LogPosition(megabytes << 20), urgency) {
                runs.count.wrappingAdd(1, ordering: .relaxed)
            }
            schedule.run { ended.signal() }
            ended.wait()
            return runs.count.load(ordering: .relaxed) > 0
        }
        #expect(isDue(at: 100))
        #expect(isDue(at: 200))
        schedule.noteShortage()
        #expect(!isDue(at: 300))
        #expect(!isDue(at: 300, .memory))
        // It removes what a page commit has made obsolete: the next one may need that space.
        #expect(isDue(at: 300, .cheap))
        #expect(!isDue(at: 300))
        // There was space for a checkpoint.
        schedule.noteCheckpoint(at: LogPosition(300 << 20))
        #expect(isDue(at: 400))
        schedule.stop {}
        await process.close()
    }

    private final class Runs: Sendable {
        let count = Atomic<Int>(0)
    }
}
