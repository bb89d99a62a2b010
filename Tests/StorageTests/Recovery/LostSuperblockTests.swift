import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Superblocks that are lost, wholly or in their newest generation, and remade from the log.
@Suite struct LostSuperblockTests {
    /// A checkpoint had removed the first parts of a large transaction. When the superblock was
    /// lost later, the last part, with which the log began, passed for damage.
    @Test(arguments: testSeeds(8))
    func aSuperblockIsRemadeFromALogThatBeginsAmidATransaction(seed: UInt64) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        try process.insert(1..<2, textLength: 20_000)
        try process.engine.checkpoint()
        #expect(try disk.list("store.realm/log").first != SegmentIndex.first.fileName)
        // The next segment says the version of the transaction that lacks parts, or a later one.
        if seed.isMultiple(of: 2) { try process.insert(2) }
        try process.insert(3..<4, textLength: 20_000)
        let contents = process.contents
        disk.crash(seed: seed)
        try disk.remove("store.realm/superblock")
        let again = try StoreProcess(disk)
        #expect(again.contents == contents)
        #expect(try again.problems() == [])
        try again.insert(4)
        try again.engine.checkpoint()
        await again.close()
        let last = try StoreProcess(disk)
        #expect(last.contents.count == contents.count + 1)
        await last.close()
    }

    private static let log = "store.realm/log/"

    /// Writes three commits that need several segments, and a checkpoint of them.
    private func fill(_ process: StoreProcess) throws {
        try process.insert(0)
        for number in Int64(1)..<3 { try process.insert(number..<number + 1, textLength: 20_000) }
        try process.engine.checkpoint()
        let needed = try #require(process.log.firstNeededSegment)
        #expect(needed > SegmentIndex.first.next)
    }

    /// A power failure had undone the removal of obsolete segments, but not of all. When the
    /// superblock was lost later, the gap passed for damage.
    @Test(arguments: [false, true])
    func leftoversBeforeAGapAreNotNeeded(readOnly: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        let leftover = SegmentIndex.first.fileName
        try process.insert(10)
        let bytes = try disk.contents(of: Self.log + leftover)
        try fill(process)
        try process.insert(3)
        let contents = process.contents
        disk.crash(seed: 1, .everything)
        #expect(try !disk.list("store.realm/log").contains(leftover))
        try disk.replace(Self.log + leftover, with: bytes)
        try disk.remove("store.realm/superblock")
        let again = try StoreProcess(disk) { $0.readOnly = readOnly }
        #expect(again.contents == contents)
        #expect(try again.problems() == [])
        if !readOnly {
            try again.insert(4)
            try again.engine.checkpoint()
            #expect(try !disk.list("store.realm/log").contains(leftover))
            #expect(try again.problems() == [])
        }
        await again.close()
    }

    /// Damage in the history, which an opening with a superblock does not read, passed for damage
    /// of the store.
    @Test func damageInTheHistoryIsNotReported() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk) { $0.history = .bytes(1 << 20) }
        try fill(process)
        try process.insert(3)
        let contents = process.contents
        disk.crash(seed: 1, .everything)
        disk.damage(Self.log + SegmentIndex.first.fileName, at: SegmentHeader.size + 40)
        try disk.remove("store.realm/superblock")
        let again = try StoreProcess(disk) { $0.history = .bytes(1 << 20) }
        #expect(again.contents == contents)
        try again.insert(4)
        try again.engine.checkpoint()
        await again.close()
        let last = try StoreProcess(disk)
        #expect(last.contents.count == contents.count + 1)
        await last.close()
    }

    /// Commits that no checkpoint has are needed.
    @Test func aGapAfterTheCheckpointIsDamage() throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try fill(process)
        for number in Int64(3)..<5 { try process.insert(number..<number + 1, textLength: 20_000) }
        disk.crash(seed: 1, .everything)
        let names = try disk.list("store.realm/log").filter { $0.hasSuffix(".log") }.sorted()
        try disk.remove(Self.log + names[names.count - 2])
        try disk.remove("store.realm/superblock")
        #expect {
            try StoreProcess(disk)
        } throws: { error in
            if case .corrupted? = error as? StorageError { true } else { false }
        }
    }

    /// At any moment of random work, the log and the page files have all that a superblock says.
    @Test(arguments: testSeeds(60, debug: 15))
    func aSuperblockThatIsLostAtAnyMomentIsRemade(seed: UInt64) async throws {
        let disk = SimulatedDisk()
        let store = CrashStore(disk, seed: seed)
        try store.open()
        for _ in 0..<30 { try await store.run(store.anyStep()) }
        await store.abandon()
        disk.crash(seed: seed, .everything)
        try disk.remove(CrashStore.directory + "/superblock")
        try await Recovery.check(disk, store.oracle, seed: seed)
    }

    /// The generation before was taken, whose page files a compaction had removed, and the store
    /// was refused as damaged.
    @Test(arguments: [false, true])
    func theLogSaysWhatALostGenerationDid(readOnly: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess.withSparsePages(disk)
        let start = process.log.firstNeededSegment
        let used = process.checkpointer.contents.segments.values.filter { $0.live > 0 }
        try process.compact()
        let left = try disk.list("store.realm/pages")
        #expect(used.contains { !left.contains($0.index.fileName) })
        #expect(process.log.firstNeededSegment == start)
        let newest = process.log.state.withLock { $0.superblock }
        let contents = process.contents
        #expect(contents.count == 200)
        disk.crash(seed: 1, .everything)
        for copy in 0..<2 {
            let offset = newest.offset + copy * Superblock.slotSize
            disk.damage("store.realm/superblock", at: offset + 40)
        }
        let again = try StoreProcess(disk) { $0.readOnly = readOnly }
        #expect(again.contents == contents)
        #expect(try again.problems() == [])
        if !readOnly {
            try again.insert(1_000)
            try again.engine.checkpoint()
            #expect(try again.problems() == [])
        }
        await again.close()
    }

    /// The error said that the superblock was lost, which only had a damaged slot of the generation
    /// before.
    @Test func pageFilesThatAreDamagedBesideASlotAreReported() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        try process.insert(1..<2, textLength: 20_000)
        try process.engine.checkpoint()
        try process.insert(2..<3, textLength: 20_000)
        try process.engine.checkpoint()
        #expect(try disk.list("store.realm/log").first != SegmentIndex.first.fileName)
        let newest = process.log.state.withLock { $0.superblock }
        disk.crash(seed: 1, .everything)
        let other = newest.offset == 0 ? 2 * Superblock.slotSize : 0
        disk.damage("store.realm/superblock", at: other + 40)
        for name in try disk.list("store.realm/pages") {
            disk.damage("store.realm/pages/" + name, at: 20)
        }
        do {
            _ = try StoreProcess(disk)
            Issue.record("the page files are damaged")
        } catch StorageError.corrupted(let file, _, _) {
            #expect(file.hasPrefix("store.realm/pages/"))
        }
    }

    /// The checkpoint before took its place, the log of which had been removed: after the file was
    /// restored, the store could not be opened any more.
    @Test func aDamagedPageFileDoesNotReplaceASuperblock() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk, StoreProcess.smallPages)
        try process.insert(0..<100, textLength: 60)
        try process.engine.checkpoint()
        let before = Set(try disk.list("store.realm/pages"))
        try process.insert(100..<200, textLength: 60)
        try process.engine.checkpoint()
        let added = try disk.list("store.realm/pages").filter { !before.contains($0) }
        #expect(!added.isEmpty)
        let contents = process.contents
        let newest = process.log.state.withLock { $0.superblock }
        disk.crash(seed: 1, .everything)
        let other = newest.offset == 0 ? 2 * Superblock.slotSize : 0
        disk.damage("store.realm/superblock", at: other + 40)
        for name in added { disk.damage("store.realm/pages/" + name, at: 20) }
        #expect(throws: StorageError.self) { try StoreProcess(disk) }
        // The same once more restores the bytes.
        for name in added { disk.damage("store.realm/pages/" + name, at: 20) }
        let again = try StoreProcess(disk)
        #expect(again.contents == contents)
        #expect(try again.problems() == [])
        await again.close()
    }
}
