import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Unreadable sectors in files that store everything twice.
@Suite struct BadSectorTests {
    private static let superblock = "store.realm/superblock"

    /// Creates a closed store whose superblock has had three generations.
    private static func make(_ files: any FileSystem, _ key: UserKey? = nil) async throws {
        let process = try StoreProcess(files) { $0.encryptionKey = key }
        for number in Int64(0)..<2 {
            try process.insert(number)
            try process.engine.checkpoint()
        }
        await process.close()
    }

    private static func check(_ files: any FileSystem, _ key: UserKey? = nil) async throws {
        let process = try StoreProcess(files) { $0.encryptionKey = key }
        #expect(process.numbers == [0, 1])
        try process.insert(2)
        try process.engine.checkpoint()
        #expect(process.numbers == [0, 1, 2])
        await process.close()
    }

    /// All copies were read at once, so that one unreadable copy prevented opening.
    @Test(arguments: 0..<4)
    func anyOneSlotOfTheSuperblockMayBeUnreadable(slot: Int) async throws {
        let disk = SimulatedDisk()
        try await Self.make(disk)
        try await Self.check(
            FilesWithBadSector(
                base: disk, path: Self.superblock, offset: slot * Superblock.slotSize + 512))
        try await StoreProcess.check(
            disk, "store.realm", is: [0: .init(0), 1: .init(1), 2: .init(2)])
    }

    /// In a store without a checkpoint, two slots were never written. An unreadable one prevented
    /// opening.
    @Test(arguments: 0..<4)
    func anyOneSlotOfTheFirstSuperblockMayBeUnreadable(slot: Int) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        let newest = process.log.state.withLock { $0.superblock }
        #expect(newest.generation == 1)
        disk.crash(seed: 1, .everything)
        let files = FilesWithBadSector(
            base: disk, path: Self.superblock, offset: slot * Superblock.slotSize)
        let opened = try StoreProcess(files)
        try opened.insert(1)
        try opened.engine.checkpoint()
        #expect(opened.numbers == [0, 1])
        await opened.close()
    }

    /// The store continued with the other copy, without reporting the loss.
    @Test(arguments: 0..<2)
    func anUnreadableCopyOfTheSuperblockIsRewritten(copy: Int) async throws {
        let disk = SimulatedDisk()
        try await Self.make(disk)
        let folder = StoreDirectory(fileSystem: disk, path: "store.realm")
        let newest = try #require(try folder.readSuperblock())
        let offset = newest.offset + copy * Superblock.slotSize
        disk.damage(Self.superblock, at: offset + 40)
        let files = FilesWithBadSector(base: disk, path: Self.superblock, offset: offset)
        let process = try StoreProcess(files)
        let found = try #require(try folder.readSuperblock())
        #expect(found.generation == newest.generation && found.hasBothCopies)
        // On the disk of this test, the sector stays unreadable.
        let problems = try process.engine.verify(ReadingMonitor()).problems
        #expect(problems.map(\.place.offset) == [offset])
        await process.close()
    }

    /// The store does not open with the state of an older generation.
    @Test(arguments: [0, 2])
    func twoUnreadableCopiesAreADiskFailure(slot: Int) async throws {
        let disk = SimulatedDisk()
        try await Self.make(disk)
        var files: any FileSystem = disk
        for copy in slot..<slot + 2 {
            files = FilesWithBadSector(
                base: files, path: Self.superblock, offset: copy * Superblock.slotSize)
        }
        let failure = StorageError.io(
            operation: .read, path: Self.superblock, errno: Platform.inputOutput)
        let broken = files
        #expect(throws: failure) { _ = try StoreProcess(broken) }
    }

    /// The log contains all that the horizon says, but an unreadable horizon prevented opening.
    @Test func theHorizonMayBeUnreadable() async throws {
        let disk = SimulatedDisk()
        try await Self.make(disk)
        let horizon = "store.realm/log/horizon"
        let written = try disk.contents(of: horizon)
        let files = FilesWithBadSector(base: disk, path: horizon, offset: 0)
        let reading = try StoreProcess(files) { $0.readOnly = true }
        #expect(reading.numbers == [0, 1])
        await reading.close()
        #expect(try disk.contents(of: horizon) == written)
        try await Self.check(files)
        #expect(try disk.contents(of: horizon) != written)
        try await StoreProcess.check(
            disk, "store.realm", is: [0: .init(0), 1: .init(1), 2: .init(2)])
    }

    /// A process that had the store open could not become its writer.
    @Test func theHorizonMayBeUnreadableForTheNextWriter() async throws {
        let disk = SimulatedDisk()
        try await Self.make(disk)
        let process = try StoreProcess(
            FilesWithBadSector(base: disk, path: "store.realm/log/horizon", offset: 0))
        try process.follower.releaseLease()
        try process.takeOver()
        try process.insert(2)
        #expect(process.numbers == [0, 1, 2])
        #expect(try process.problems() == [])
        await process.close()
        try await StoreProcess.check(
            disk, "store.realm", is: [0: .init(0), 1: .init(1), 2: .init(2)])
    }

    /// The wrapped key has two copies; a bad one made the other unusable.
    @Test(.enabled(if: SecretKey.isAvailable), arguments: 0..<2)
    func eitherCopyOfTheKeyMayBeUnreadable(slot: Int) async throws {
        let disk = SimulatedDisk()
        let key = try #require(UserKey.first)
        try await Self.make(disk, key)
        try await Self.check(
            FilesWithBadSector(
                base: disk, path: "store.realm/key", offset: slot * KeyFile.slotSize), key)
    }

    /// The store could be used, but no backup could be created; nor could a backup with a bad copy
    /// be continued.
    @Test(.enabled(if: SecretKey.isAvailable), arguments: 0..<2)
    func eitherCopyOfTheKeyMayBeUnreadableForABackup(slot: Int) async throws {
        let disk = SimulatedDisk()
        let target = SimulatedDisk()
        let key = try #require(UserKey.first)
        try await Self.make(disk, key)
        let whole = try disk.contents(of: "store.realm/key")
        let files = FilesWithBadSector(
            base: disk, path: "store.realm/key", offset: slot * KeyFile.slotSize)
        let process = try StoreProcess(files) { $0.encryptionKey = key }
        try process.backUp(to: target)
        #expect(try target.contents(of: "backup.realm/key") == whole)
        let broken = FilesWithBadSector(
            base: target, path: "backup.realm/key", offset: slot * KeyFile.slotSize)
        try process.insert(2)
        let next = try process.backUp(to: broken)
        #expect(next.isIncremental && !next.hasNewKey)
        #expect(try target.contents(of: "backup.realm/key") == whole)
        // One copy of the previous key suffices to detect that the key has changed.
        try process.log.rekey(to: try #require(key.other))
        try process.insert(3)
        let last = try process.backUp(to: broken)
        #expect(last.isIncremental && last.hasNewKey)
        await process.close()
    }
}

/// A file system with an unreadable byte in one of its files.
private struct FilesWithBadSector: WrappedFiles {
    let base: any FileSystem
    let path: String
    let offset: Int

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path == self.path ? FileWithBadSector(file, path, offset) : file
    }
}

private final class FileWithBadSector: WrappedFile {
    let base: any File
    private let path: String
    private let bad: Int

    init(_ base: any File, _ path: String, _ bad: Int) {
        self.base = base
        self.path = path
        self.bad = bad
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        if (offset..<offset + buffer.count).contains(bad) {
            throw .io(operation: .read, path: path, errno: Platform.inputOutput)
        }
        return try base.read(into: buffer, at: offset)
    }
}
