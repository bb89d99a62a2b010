import StorageHarness
import Testing

@testable import Storage

/// Compactions that find a node which cannot be read.
@Suite struct UnreadableCompactionTests {
    /// The text of every row, by its number.
    private func texts(_ tree: WorkingTree) -> [Int64: String] {
        let root = tree.capture(version: Version(1))
        var texts: [Int64: String] = [:]
        withExtendedLifetime(root) {
            var clusters = root.view.classView(StoreProcess.item).makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    texts[cluster.int(0, slot)] = cluster.string(1, slot)
                }
            }
        }
        return texts
    }

    /// Clusters were rewritten without the rows or values that could not be read, and the tree with
    /// them was published, and perhaps written, with the next group.
    @Test func aStepWithAFailedReadIsRolledBack() async throws {
        let disk = SimulatedDisk()
        let expected: [Int64: String]
        do {
            let made = try StoreProcess(disk)
            try made.insert(0..<2_000)
            try made.write { _ in made.delete((Int64(0)..<2_000).filter { $0 % 3 == 0 }) }
            try made.engine.checkpoint()
            expected = texts(made.engine.tree)
            await made.close()
        }
        #expect(expected.count == 1_333)
        var failures = 0
        for call in 1...60 {
            let image = disk.crashImage(seed: 1, .everything)
            let process = try StoreProcess(image)
            var plan = try #require(try process.engine.planCompaction(isFull: true))
            image.resetCalls()
            image.inject(.init(.inputOutput, call: call))
            do {
                while !plan.isDone {
                    try process.engine.beginBody()
                    process.engine.relocate(&plan)
                    process.engine.endBody(nil, waiter: .nobody)
                }
            } catch {
                failures += 1
            }
            image.resetCalls()
            #expect(texts(process.engine.tree) == expected, "call \(call)")
            await process.close()
        }
        #expect(failures > 3)
    }
}
