import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Compaction plans, for which every cluster is read.
@Suite struct CompactionPlanTests {
    private func smallPages(_ options: inout LogOptions) {
        options.pages.segmentSizeMin = 16 << 10
        options.pages.segmentSizeGrown = 16 << 10
    }

    /// A closed store whose page files still have the first texts of all rows.
    private func makeWasteful(_ disk: SimulatedDisk) async throws {
        let process = try StoreProcess(disk, smallPages)
        try process.insert(0..<6_000)
        try process.engine.checkpoint()
        try process.write { tree in
            for number in Int64(0)..<6_000 {
                guard let key = tree.find(StoreProcess.item, primaryKey: .int(number)) else {
                    continue
                }
                let text = StoredValue.string("other \(number)")
                tree.set(text, StoreProcess.item, key, StoreProcess.text)
            }
        }
        try process.engine.checkpoint()
        await process.close()
    }

    private static func addRow(to engine: TransactionEngine) throws {
        try engine.beginBody()
        let key = engine.tree.createRow(StoreProcess.item)
        engine.tree.set(.int(10_000), StoreProcess.item, key, StoreProcess.number)
        engine.tree.set(.string("new"), StoreProcess.item, key, StoreProcess.text)
        engine.endBody(try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
        try engine.checkpoint()
    }

    /// Whether a checkpoint on another thread would have to wait now. The thread that blocks it
    /// cannot check that itself.
    private static func wouldWait(_ engine: TransactionEngine) -> Bool {
        let asked = DispatchSemaphore(value: 0)
        let isBusy = Mutex(false)
        Platform.runOnThread {
            isBusy.withLock { $0 = engine.isCheckpointing }
            asked.signal()
        }
        asked.wait()
        return isBusy.withLock { $0 }
    }

    /// A checkpoint behind the plan wrote deleted values to a segment that the plan does not empty,
    /// so they were not erased.
    @Test func valuesWrittenDuringACompactionAreErasedToo() async throws {
        let disk = SimulatedDisk()
        let secret = "deleted secret"
        let process = try StoreProcess(disk) { options in
            options.pages.segmentSizeMin = 256 << 10
            options.pages.segmentSizeGrown = 256 << 10
        }
        try process.write { tree in
            for number in Int64(0)..<600 {
                let key = tree.createRow(StoreProcess.item)
                tree.set(.int(number), StoreProcess.item, key, StoreProcess.number)
                let text = "\(number % 3 == 1 ? secret : "a row that is kept") \(number)"
                tree.set(.string(text), StoreProcess.item, key, StoreProcess.text)
            }
        }
        try process.engine.checkpoint()
        try process.write { _ in process.delete(stride(from: Int64(1), to: 600, by: 3)) }
        var compaction = Compaction(isFull: true)
        try process.engine.perform(&compaction)
        try process.write { tree in
            for number in stride(from: Int64(0), to: 600, by: 6) {
                guard let key = tree.find(StoreProcess.item, primaryKey: .int(number)) else {
                    continue
                }
                tree.set(.string("changed"), StoreProcess.item, key, StoreProcess.text)
            }
            // These rows keep the segments in use that the changed clusters are written to.
            process.add(1_000..<3_000, to: tree)
        }
        try process.engine.checkpoint()
        while compaction.step != nil { try process.engine.perform(&compaction) }
        let traces = disk.files(holding: secret)
        #expect(traces == [])
        let numbers: [Int64] = (0..<600).filter { $0 % 3 != 1 } + Array(1_000..<3_000)
        #expect(process.numbers == numbers)
        #expect(try process.problems() == [])
        await process.close()
    }

    /// Checkpoints waited until all of the store was read, and with them every writer with a large
    /// commit, or in need of memory that a checkpoint frees.
    @Test(arguments: [false, true])
    func checkpointsContinueDuringPlanning(isFull: Bool) async throws {
        let disk = SimulatedDisk()
        try await makeWasteful(disk)
        // None of the store's clusters is in memory.
        let process = try StoreProcess(disk, smallPages)
        let engine = process.engine
        let before = process.checkpointer.contents.version
        let hasAdded = Atomic<Bool>(false)
        disk.observe { call in
            guard call.moment == .before, call.operation == .read, call.path.contains("/pages/"),
                !hasAdded.load(ordering: .relaxed),
                // A full compaction begins with a checkpoint of its own.
                !Self.wouldWait(engine)
            else { return }
            hasAdded.store(true, ordering: .relaxed)
            try? Self.addRow(to: engine)
        }
        let planned = try engine.planCompaction(isFull: isFull)
        disk.observe(nil)
        #expect(process.checkpointer.contents.version > before)
        var plan = try #require(planned)
        while !plan.isDone {
            try engine.beginBody()
            engine.relocate(&plan)
            engine.endBody(nil, waiter: .nobody)
        }
        try engine.finishCompaction(isFull: isFull)
        #expect(isFull || engine.isExecuted(plan))
        let numbers: [Int64] = Array(0..<6_000) + [10_000]
        #expect(process.numbers == numbers)
        #expect(try process.problems() == [])
        await process.close()
    }

    /// Probing for space allocates it for a moment. A concurrent checkpoint found the disk full.
    @Test func spaceIsProbedBetweenCheckpoints() async throws {
        let disk = SimulatedDisk()
        try await makeWasteful(disk)
        let process = try StoreProcess(disk, smallPages)
        let engine = process.engine
        // Without the reserve there may be too little space.
        try #require(engine.segments).reserve.spend()
        let hasLooked = Atomic<Bool>(false)
        let isAlone = Atomic<Bool>(true)
        disk.observe { call in
            guard call.moment == .before, call.path.hasSuffix("/reserve.new") else { return }
            hasLooked.store(true, ordering: .relaxed)
            if !Self.wouldWait(engine) { isAlone.store(false, ordering: .relaxed) }
        }
        let plan = try engine.planCompaction(isFull: false)
        disk.observe(nil)
        let found = hasLooked.load(ordering: .relaxed)
        let wasAlone = isAlone.load(ordering: .relaxed)
        #expect(found && wasAlone)
        #expect(plan?.isPartial == false)
        await process.close()
    }
}
