import StorageHarness
import Testing

@testable import Storage

/// Stores on a full disk.
@Suite struct FullDiskTests {
    // On 8 MB, a full store could neither be emptied nor compacted, because no space was reserved
    // before its first checkpoint; on 40 MB, deleting everything left no space to write.
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

    /// Compaction does not remove history.
    @Test func compactionKeepsHistory() throws {
        let disk = SimulatedDisk()
        var options = FillingStore.options
        options.history = .seconds(1e9)
        let store = try FillingStore(disk, options: options)
        for _ in 0..<30 {
            #expect(try store.insert(200))
            try store.engine.checkpoint()
        }
        let segments = try disk.list("store.realm/log").count
        #expect(segments > 1)
        try store.compact()
        #expect(try disk.list("store.realm/log").count >= segments)
        try store.check()
    }

    @Test func aReserveIsThereBeforeTheFirstCommit() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        let size = disk.files.first { $0.path == "store.realm/reserve" }?.length ?? 0
        #expect(size >= DeletionSpace.emptying(classes: 1, bytes: 0))
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

    /// The power fails repeatedly on a full, or nearly full, disk: acknowledged commits are kept,
    /// and refused ones do not reappear. Afterwards everything can be deleted, and written again.
    @Test func crashesOfFullDisksLoseNothingAndBringNothingBack() throws {
        for seed in testSeeds(20, debug: 8) {
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

    /// Removed files keep their space as long as a version needs them. Only a checkpoint closed
    /// them, for which a full disk had no space: writes were still refused after that version was
    /// released.
    @Test func spaceOfAReleasedVersionIsFreedOnAFullDisk() throws {
        let disk = SimulatedDisk()
        var options = FillingStore.options
        options.segmentSizeGrown = options.segmentSizeMin
        let store = try FillingStore(disk, options: options)
        for _ in 0..<3 { #expect(try store.insert(2_000)) }
        try store.engine.checkpoint()
        #expect(try store.insert(1))
        var held: SnapshotRoot? = store.engine.latest
        #expect(try store.delete { _ in true })
        try store.engine.checkpoint()
        // The tree does not fit into the reserve.
        #expect(try store.insert(2_000))
        disk.limit(to: disk.usedBytes)
        for _ in 0..<2 { #expect(try !store.insert(1_000)) }
        withExtendedLifetime(held) {}
        held = nil
        #expect(try store.insert(1_000))
        try store.check()
    }

    /// A quota may limit the number of files: operations that need a new one are refused.
    @Test func aQuotaOfFilesLosesNothing() throws {
        var refusals = 0
        for seed in testSeeds(24, debug: 8) {
            do {
                refusals += try workWithFewFiles(seed)
            } catch {
                throw Violation("SEED=\(seed): \(error)")
            }
        }
        #expect(refusals > 0)
    }

    /// Returns how many transactions were refused.
    private func workWithFewFiles(_ seed: UInt64) throws -> Int {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        disk.limit(to: 1_000_000)
        let store = try FillingStore(disk)
        disk.limitFiles(to: disk.files.count + random.next(below: 6))
        for _ in 0..<16 {
            switch random.next(below: 8) {
            case 0: _ = try store.delete { $0 % 3 == 0 }
            case 1: try? store.engine.checkpoint()
            case 2: try? store.compact()
            case 3: try store.reopen()
            case 4:
                disk.crash(seed: random.next())
                try store.recover()
            default: _ = try store.insert(1 + random.next(below: 400))
            }
            try store.check()
        }
        disk.limitFiles(to: nil)
        disk.limit(to: nil)
        guard try store.delete(where: { _ in true }), try store.insert(50) else {
            throw Violation("nothing can be written although there is space")
        }
        try store.compact()
        try store.reopen()
        try store.check()
        return store.refusals
    }

    // It was refused if the checkpoint after it did not fit.
    @Test(arguments: [false, true])
    func anyPartOfWhatFillsTheDiskCanBeDeleted(copiesOnWrite: Bool) throws {
        for seed in testSeeds(12, debug: 4) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            disk.limit(to: 150_000 + random.next(below: 900_000), copiesOnWrite: copiesOnWrite)
            let store = try FillingStore(disk)
            do {
                for _ in 0..<2 { try emptyInParts(store, &random) }
            } catch {
                throw Violation("SEED=\(seed): \(error)")
            }
        }
    }

    private func emptyInParts(_ store: FillingStore, _ random: inout SeededGenerator) throws {
        try store.fill()
        while !store.numbers.isEmpty {
            let count = store.numbers.count
            let (step, from) = (2 + random.next(below: 9), random.next(below: count))
            let to = from + 1 + random.next(below: count)
            let chosen = random.next(below: 3)
            let isDone = try store.delete { place in
                switch chosen {
                case 0: place % step == 0
                case 1: from..<to ~= place
                default: place % 2 == 0
                }
            }
            guard isDone else { throw Violation("deleting of \(count) rows was refused") }
            if random.oneIn(2) { do { try store.compact() } catch StorageError.outOfSpace {} }
            if random.oneIn(4) { try store.reopen() }
            if try store.insert(1) { break }
            try store.check()
        }
        try store.check()
        guard try store.delete(where: { _ in true }) else { throw Violation("all was refused") }
        try store.compact()
        guard try store.insert(50) else { throw Violation("nothing can be written") }
    }

    // It was refused together with another transaction of its group, which created rows.
    @Test func aDeletionIsNotRefusedWithWhatOthersCreate() throws {
        let disk = SimulatedDisk()
        disk.limit(to: 400_000)
        let store = try FillingStore(disk)
        try store.fill()
        for _ in 0..<3 {
            _ = try store.insert(1_000, .waiting)
            #expect(try store.delete { $0 % 3 == 0 })
            try store.check()
        }
        #expect(!store.numbers.isEmpty)
    }

    /// The newest page segment's file, and its length.
    private func newestPages(_ disk: SimulatedDisk) throws -> (path: String, length: Int) {
        try #require(disk.files.last { $0.path.hasSuffix(".pages") })
    }

    // The leftover stayed in the newest page segment after its used bytes, and the next deletion
    // lacked this space.
    @Test(arguments: [false, true])
    func aCheckpointThatDoesNotFitLeavesNothing(copiesOnWrite: Bool) throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(50))
        try store.engine.checkpoint()
        for _ in 0..<5 { #expect(try store.insert(1_000)) }
        let (used, length) = (disk.usedBytes, try newestPages(disk).length)
        disk.limit(to: used + (32 << 10), copiesOnWrite: copiesOnWrite)
        #expect(throws: StorageError.self) { try store.engine.checkpoint() }
        #expect(disk.usedBytes == used)
        #expect(try newestPages(disk).length == length)
        disk.limit(to: nil)
        try store.engine.checkpoint()
        #expect(try newestPages(disk).length > length)
        try store.check()
    }

    // The leftover of a process that was killed while it wrote one.
    @Test func leftoversOfACheckpointAreRemovedForADeletion() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(50))
        try store.engine.checkpoint()
        for _ in 0..<5 { #expect(try store.insert(1_000)) }
        disk.crash(seed: 1, .everything)
        try disk.remove("store.realm/reserve")
        try disk.syncDirectory("store.realm")
        let file = try disk.open(newestPages(disk).path, .readWrite)
        try file.allocate(200 << 10)
        try file.sync()
        disk.limit(to: disk.usedBytes)
        try store.recover()
        #expect(try store.delete { $0 % 3 == 0 })
        #expect(try store.delete { _ in true })
        try store.compact()
        #expect(try store.insert(100))
        try store.check()
    }

    /// A process was killed while it probed for space. Its probe stayed while the reserve was
    /// whole: writes were refused on a disk that was mostly unused.
    @Test func theProbeOfAKilledProcessIsRemovedBesideAWholeReserve() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(50))
        try store.engine.checkpoint()
        try disk.open("store.realm/reserve.new", .create).allocate(2 << 20)
        disk.limit(to: disk.usedBytes)
        #expect(try store.insert(2_000))
        #expect(try !disk.list("store.realm").contains("reserve.new"))
        try store.check()
    }

    /// The leftovers of a process that was killed in a large transaction. Without commits after the
    /// newest checkpoint, no other checkpoint removes them, and writes were refused.
    @Test func leftoversOfATransactionAreRemovedWithoutACheckpoint() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(50))
        try store.engine.checkpoint()
        let path = "store.realm/pages/" + PageIndex(900).fileName
        try disk.open(path, .create).allocate(2 << 20)
        disk.limit(to: disk.usedBytes)
        #expect(try store.insert(2_000))
        #expect(!disk.files.contains { $0.path == path })
        try store.check()
    }

    @Test func filesThatOlderVersionsKeptInsteadOfTheReserveGo() throws {
        let disk = SimulatedDisk()
        disk.limit(to: 600_000)
        let store = try FillingStore(disk)
        #expect(try store.insert(500))
        try store.close()
        try disk.remove("store.realm/reserve")
        let former = ["store.realm/reserve-deletion", "store.realm/reserve-checkpoint"]
        for (path, size) in zip(former, [64 << 10, 128 << 10]) {
            try disk.open(path, .create).allocate(size)
        }
        try disk.syncDirectory("store.realm")
        // Another program allocates all free space.
        disk.limit(to: disk.usedBytes)
        try store.recover()
        try store.check()
        // These files were unknown here before the disk was full.
        #expect(try store.delete { _ in true })
        try store.compact()
        try store.fill()
        #expect(store.refusals > 0)
        #expect(try store.delete { _ in true })
        #expect(try store.insert(100))
        try store.check()
        let names = try disk.list("store.realm")
        #expect(names.contains("reserve") && !names.contains { $0.hasPrefix("reserve-") })
    }
}
