import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Compactions during which another process takes the lease.
@Suite struct CompactionHandoverTests {
    private static let secret = "deleted secret"

    /// A store in which every other row is deleted, with the deleted values still in its files.
    private func makeFilled(_ disk: SimulatedDisk) throws -> StoreProcess {
        let process = try StoreProcess(disk, StoreProcess.smallPages)
        try process.write { tree in
            for number in Int64(0)..<600 {
                let key = tree.createRow(StoreProcess.item)
                tree.set(.int(number), StoreProcess.item, key, StoreProcess.number)
                let text = "\(number % 2 == 0 ? "a row that is kept" : Self.secret) \(number)"
                tree.set(.string(text), StoreProcess.item, key, StoreProcess.text)
            }
        }
        try process.engine.checkpoint()
        try process.write { _ in process.delete((Int64(0)..<600).filter { $0 % 2 == 1 }) }
        try process.engine.checkpoint()
        return process
    }

    private func workOff(_ plan: inout CompactionPlan, _ process: StoreProcess) throws {
        while !plan.isDone {
            try process.engine.beginBody()
            process.engine.relocate(&plan)
            process.engine.endBody(nil, waiter: .nobody)
        }
    }

    /// Another process had emptied the segments without erasing the deleted values, and its tree
    /// replaced the one in which they were erased. The compaction counted as complete.
    @Test func segmentsEmptiedByAnotherProcessAreNotErased() async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        #expect(!disk.files(holding: Self.secret).isEmpty)
        let planned = try process.engine.planCompaction(isFull: true)
        var plan = try #require(planned)
        try workOff(&plan, process)
        try process.follower.releaseLease()

        let other = try StoreProcess(disk, StoreProcess.smallPages)
        var others = try CompactionPlan(other.engine.latest, victims: plan.victims)
        other.checkpointer.retireTail(in: plan.victims)
        try workOff(&others, other)
        try other.engine.finishCompaction(isFull: false)
        #expect(other.engine.isExecuted(others))
        try other.follower.releaseLease()

        try process.takeOver()
        try workOff(&plan, process)
        try process.engine.finishCompaction()
        let isErased = disk.files(holding: Self.secret).isEmpty
        #expect(isErased == process.engine.isExecuted(plan))
        // An incomplete compaction is restarted.
        if !process.engine.isExecuted(plan) { try process.compact(isFull: true) }
        #expect(disk.files(holding: Self.secret) == [])
        #expect(process.numbers == (Int64(0)..<600).filter { $0 % 2 == 0 })
        #expect(try process.problems() == [])
        await process.close()
        await other.close()
    }

    /// Each undid the steps since the last group, of which a full compaction repeated all: beside
    /// many of them it came to no end.
    @Test func bodiesThatThrowUndoNoStep() async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        let engine = process.engine
        let planned = try engine.planCompaction(isFull: true)
        var plan = try #require(planned)
        try workOff(&plan, process)
        try engine.beginBody()
        process.add(1_000..<1_001, to: engine.tree)
        engine.rollBack()
        engine.endBody(nil, waiter: .nobody)
        engine.publishRelocated(&plan)
        try engine.finishCompaction()
        #expect(engine.isExecuted(plan))
        #expect(disk.files(holding: Self.secret) == [])
        #expect(process.numbers == (Int64(0)..<600).filter { $0 % 2 == 0 })
        #expect(try process.problems() == [])
        await process.close()
    }

    /// A rollback had undone the erasure, and automatic maintenance emptied the segments without
    /// erasing. The compaction counted as complete.
    @Test func aRolledBackErasureIsIncomplete() async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        let engine = process.engine
        let planned = try engine.planCompaction(isFull: true)
        var plan = try #require(planned)
        try workOff(&plan, process)
        // As after a group that the disk has refused.
        engine.groups.withLock { engine.rollBackToPublished(&$0) }

        var others = try CompactionPlan(engine.latest, victims: plan.victims)
        process.checkpointer.retireTail(in: plan.victims)
        try workOff(&others, process)
        engine.publishRelocated(&others)
        try engine.finishCompaction(isFull: false)
        #expect(engine.isExecuted(others))

        engine.publishRelocated(&plan)
        try engine.finishCompaction()
        #expect(!disk.files(holding: Self.secret).isEmpty)
        #expect(!engine.isExecuted(plan))
        try process.compact(isFull: true)
        #expect(disk.files(holding: Self.secret) == [])
        #expect(try process.problems() == [])
        await process.close()
    }

    /// Two compactions that alternate both complete in the end.
    @Test func compactionsOfTwoProcessesBothErase() async throws {
        for seed in testSeeds(30) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            let first = try makeFilled(disk)
            try first.follower.releaseLease()
            let second = try StoreProcess(disk, StoreProcess.smallPages)
            try second.follower.releaseLease()
            let processes = [first, second]
            var plans: [CompactionPlan?] = [nil, nil]
            var done = 0
            while done < 2 {
                let index = random.next(below: 2)
                let process = processes[index]
                try process.takeOver()
                if var plan = plans[index] {
                    if !plan.isDone {
                        try process.engine.beginBody()
                        process.engine.relocate(&plan)
                        process.engine.endBody(nil, waiter: .nobody)
                        plans[index] = plan
                    } else {
                        try process.engine.finishCompaction()
                        plans[index] = nil
                        if process.engine.isExecuted(plan) {
                            done += 1
                            let traces = disk.files(holding: Self.secret)
                            #expect(traces == [], "SEED=\(seed)")
                        }
                    }
                } else {
                    plans[index] = try process.engine.planCompaction(isFull: true)
                }
                if random.oneIn(8) {
                    // Like automatic maintenance, which erases nothing.
                    let root = process.engine.latest
                    let victims = Set(process.checkpointer.contents.segments.keys.prefix(40))
                    var plan = try CompactionPlan(root, victims: victims)
                    try workOff(&plan, process)
                    try process.engine.finishCompaction(isFull: false)
                }
                try process.follower.releaseLease()
            }
            for process in processes { await process.close() }
        }
    }

    /// A plan that was made while another process wrote did not include what was deleted since.
    @Test func planningRequiresTheLease() async throws {
        let disk = SimulatedDisk()
        let process = try makeFilled(disk)
        try process.follower.releaseLease()
        #expect(try process.engine.planCompaction(isFull: true) == nil)
        await process.close()
    }
}
