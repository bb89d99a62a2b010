import StorageHarness
import Testing

@testable import Storage

/// Stores on a disk that is full.
@Suite struct FullDiskTests {
    // On 8 MB a store that was filled could neither be emptied nor compacted, because nothing had
    // been kept for that before its first checkpoint; on 40 MB deleting all left no space to write.
    @Test(arguments: [200_000, 500_000, 2_000_000], [false, true])
    func whatFillsTheDiskCanBeDeletedAndWrittenAgain(capacity: Int, copiesOnWrite: Bool) throws {
        let disk = SimulatedDisk()
        disk.limit(to: capacity, copiesOnWrite: copiesOnWrite)
        var random = SeededGenerator(seed: UInt64(capacity))
        let store = try FillingStore(disk)
        try store.wayOut(rounds: capacity > 1_000_000 ? 1 : 3, random: &random)
        #expect(store.refusals > 0)
        try store.reopen()
        try store.check()
    }

    @Test func aReserveIsThereBeforeTheFirstCommit() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        let size = disk.files.first { $0.path == "store.realm/reserve" }?.length ?? 0
        #expect(size >= SpaceNeed.emptying(classes: 1, bytes: 0))
        #expect(disk.usedBytes <= 128 << 10)
        try store.close()
    }

    @Test func aReserveGrowsWithTheStoreAndShrinksWithIt() throws {
        func reserve() -> Int {
            disk.files.first { $0.path == "store.realm/reserve" }?.length ?? 0
        }
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        let small = reserve()
        for _ in 0..<10 { #expect(try store.insert(2_000)) }
        try store.engine.checkpoint()
        let stored = store.engine.storedBytes
        #expect(reserve() > stored / 16 && reserve() < stored / 2 + small)
        #expect(try store.delete { _ in true })
        try store.compact()
        #expect(reserve() <= 2 * small)
    }

    /// The power fails again and again on a disk that is full, or nearly: what was acknowledged is
    /// there, and nothing that was refused. All of it can be deleted then, and written again.
    @Test func crashesOfFullDisksLoseNothingAndBringNothingBack() throws {
        for seed in testSeeds(20) {
            do { try crashWhenFull(seed) } catch { throw Violation("SEED=\(seed): \(error)") }
        }
    }

    private func crashWhenFull(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        disk.limit(to: 150_000 + random.next(below: 200_000), copiesOnWrite: random.oneIn(2))
        let store = try FillingStore(disk)
        for _ in 0..<6 {
            for _ in 0..<random.next(below: 12) {
                switch random.next(below: 6) {
                case 0: _ = try store.delete { $0 % 3 == 0 }
                case 1: try? store.engine.checkpoint()
                case 2: try store.fill(batch: 100)
                default: _ = try store.insert(1 + random.next(below: 300))
                }
            }
            disk.crash(seed: random.next())
            try store.recover()
            try store.check()
        }
        guard try store.delete(where: { _ in true }) else {
            throw Violation("deleting all was refused")
        }
        try store.compact()
        guard try store.insert(50) else { throw Violation("nothing can be written") }
    }
}
