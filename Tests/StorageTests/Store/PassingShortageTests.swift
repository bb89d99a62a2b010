import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Space that is missing for a moment, because something that is done beside the commits has it.
@Suite struct PassingShortageTests {
    /// As long as a checkpoint is written that there is not enough space for, it has what there is.
    /// A commit that came meanwhile was refused, although it fitted by the time of its refusal.
    @Test func aCommitIsTriedAgainWhenTheSpaceMayBeBack() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        try process.engine.checkpoint()
        let isShort = Atomic<Bool>(true)
        let refusals = Atomic<Int>(0)
        disk.observe { call in
            guard call.moment == .before else { return }
            if call.operation == .remove, call.path.hasSuffix("/reserve.new") {
                // Room is being made, behind the refusal.
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

    /// It was tried again with every commit, and took the space from them each time.
    @Test func aCheckpointWithoutSpaceIsNotDueAgainAtOnce() async throws {
        let process = try StoreProcess(SimulatedDisk())
        let schedule = CheckpointSchedule(process.opened)
        /// Whether one is due with the log ending there; it has run then.
        func isDue(
            at megabytes: UInt64, _ haste: CheckpointSchedule.Haste = .none
        ) -> Bool {
            let runs = Runs()
            let ended = DispatchSemaphore(value: 0)
            schedule.runIfDue(at: LogPosition(megabytes << 20), haste) {
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
        #expect(isDue(at: 300, .isCheap))
        #expect(!isDue(at: 300))
        // There was space for one.
        schedule.noteCheckpoint(at: LogPosition(300 << 20))
        #expect(isDue(at: 400))
        schedule.stop {}
        await process.close()
    }

    private final class Runs: Sendable {
        let count = Atomic<Int>(0)
    }
}
