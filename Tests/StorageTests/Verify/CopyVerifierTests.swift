import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Damage to one of two copies.
@Suite struct CopyVerifierTests {
    private static let superblock = "store.realm/superblock"

    private func problems(_ process: StoreProcess) throws -> [StoreProblem] {
        try process.engine.verify(ReadingMonitor()).problems
    }

    /// It was not reported until the other copy was damaged as well.
    @Test(arguments: 0..<2)
    func aDamagedCopyOfTheSuperblockIsFound(copy: Int) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        for number in Int64(0)..<3 {
            try process.insert(number)
            try process.engine.checkpoint()
        }
        #expect(try problems(process) == [])
        let newest = process.log.state.withLock { $0.superblock }
        let offset = newest.offset + copy * Superblock.slotSize
        disk.damage(Self.superblock, at: offset + 40)
        let found = try problems(process)
        #expect(found.map(\.place.file) == [Self.superblock])
        #expect(found.map(\.place.offset) == [offset])
        // The next checkpoint writes both copies of another generation.
        try process.insert(3)
        try process.engine.checkpoint()
        #expect(try problems(process) == [])
        await process.close()
    }

    /// A crash may leave one copy of a checkpoint's superblock: the next opening completes it, even
    /// if nothing is written before the following one.
    @Test func anOpeningRewritesATornCopy() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        try process.engine.checkpoint()
        let newest = process.log.state.withLock { $0.superblock }
        disk.crash(seed: 1, .everything)
        for copy in [1, 0] {
            disk.damage(Self.superblock, at: newest.offset + copy * Superblock.slotSize + 40)
            let opened = try StoreProcess(disk)
            #expect(opened.numbers == [0])
            #expect(try problems(opened) == [])
            disk.crash(seed: 2, .nothing)
        }
        let again = try StoreProcess(disk)
        let found = again.log.state.withLock { $0.superblock }
        #expect(found.hasBothCopies && found.generation == newest.generation)
        await again.close()
    }

    @Test(.enabled(if: SecretKey.isAvailable), arguments: 0..<2)
    func aDamagedCopyOfTheKeyIsFound(copy: Int) async throws {
        let disk = SimulatedDisk()
        let key = try UserKey.made()
        let process = try StoreProcess(disk) { $0.encryptionKey = key }
        try process.insert(0)
        #expect(try problems(process) == [])
        let offset = copy * KeyFile.slotSize
        disk.damage("store.realm/key", at: offset + 50)
        let found = try problems(process)
        #expect(found.map(\.place.file) == ["store.realm/key"])
        #expect(found.map(\.place.offset) == [offset])
        await process.close()
    }

    /// It was only reported, and damage to the other copy lost the store.
    @Test(.enabled(if: SecretKey.isAvailable), arguments: 0..<2)
    func anOpeningRewritesADamagedCopyOfTheKey(copy: Int) async throws {
        let disk = SimulatedDisk()
        let key = try UserKey.made()
        let process = try StoreProcess(disk) { $0.encryptionKey = key }
        try process.insert(0)
        disk.crash(seed: 1, .everything)
        for copy in [copy, 1 - copy] {
            disk.damage("store.realm/key", at: copy * KeyFile.slotSize + 50)
            let opened = try StoreProcess(disk) { $0.encryptionKey = key }
            #expect(opened.numbers == [0])
            #expect(try problems(opened) == [])
            disk.crash(seed: 2, .nothing)
        }
    }
}
