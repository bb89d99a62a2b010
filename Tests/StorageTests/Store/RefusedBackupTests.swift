import StorageHarness
import Testing

@testable import Storage

/// Backups that would replace something else, or a newer state.
@Suite struct RefusedBackupTests {
    private static let target = StoreProcess.backupPath

    @Test func anotherStoreIsRefused() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        let other = try StoreProcess(files, directory: "other.realm", isShared: false)
        try process.insert(1)
        try other.insert(2)
        await other.close()
        #expect(throws: StorageError.self) { try process.backUp(to: files, "other.realm") }
        try StoreCopy(of: process.engine.latest, to: files, directory: "copy.realm").write()
        #expect(throws: StorageError.self) { try process.backUp(to: files, "copy.realm") }
        try files.createDirectory("folder")
        #expect(throws: StorageError.self) { try process.backUp(to: files, "folder") }
        // The folder of the store itself is refused, too.
        #expect(throws: StorageError.self) { try process.backUp(to: files, "store.realm") }
        await process.close()
    }

    @Test func aModifiedBackupIsRefused() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try process.backUp(to: files)
        let opened = try StoreProcess(files, directory: Self.target, isShared: false)
        // Opening and closing it changes nothing.
        await opened.close()
        try process.insert(2)
        try process.backUp(to: files)
        let written = try StoreProcess(files, directory: Self.target, isShared: false)
        #expect(throws: StorageError.self) { try process.backUp(to: files) }
        try written.insert(3)
        await written.close()
        let error = #expect(throws: StorageError.self) { try process.backUp(to: files) }
        #expect("\(error as Any)".contains("written to since"))
        let kept = try await StoreProcess.contents(files)
        #expect(kept.keys.sorted() == [1, 2, 3])
        await process.close()
    }

    /// A writer had removed the manifest, but the removal was not durable when the power failed:
    /// the next backup replaced the written data.
    @Test func aModifiedBackupIsRefusedDespiteItsManifest() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try process.backUp(to: files)
        let manifest = try files.contents(of: Self.target + "/" + BackupManifest.name)
        let written = try StoreProcess(files, directory: Self.target, isShared: false)
        try written.insert(3)
        await written.close()
        try files.replace(Self.target + "/" + BackupManifest.name, with: manifest)
        try process.insert(2)
        let error = #expect(throws: StorageError.self) { try process.backUp(to: files) }
        #expect("\(error as Any)".contains("written to since"))
        #expect(try await StoreProcess.contents(files).keys.sorted() == [1, 3])
        await process.close()
    }

    /// A store that was restored from an older copy of its files.
    @Test func anOlderStateIsRefused() async throws {
        let files = SimulatedDisk()
        var process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        await process.close()
        let older = files.crashImage(seed: 1, .everything)
        process = try StoreProcess(files, isShared: false)
        try process.insert(2)
        let backups = SimulatedDisk()
        try process.backUp(to: backups)
        await process.close()
        let restored = try StoreProcess(older, isShared: false)
        for number in 3..<30 { try restored.insert(Int64(number)) }
        let error = #expect(throws: StorageError.self) { try restored.backUp(to: backups) }
        #expect("\(error as Any)".contains("has commits that the realm does not have"))
        await restored.close()
    }

    /// A store that was restored from an older copy of its files, and has continued until the log
    /// of that time was removed: a newer backup was replaced.
    @Test(arguments: [4 << 10, 1 << 20])
    func anOlderStateIsRefusedWithoutItsLog(pageSegmentSize: Int) async throws {
        func open(_ files: SimulatedDisk) throws -> StoreProcess {
            try StoreProcess(files, isShared: false) {
                $0.pages.segmentSizeMin = pageSegmentSize
                $0.pages.segmentSizeGrown = pageSegmentSize
            }
        }
        let files = SimulatedDisk()
        var process = try open(files)
        try process.insert(0..<300)
        try process.engine.checkpoint()
        await process.close()
        let older = files.crashImage(seed: 1, .everything)
        process = try open(files)
        try process.insert(1000..<1300)
        try process.engine.checkpoint()
        let backups = SimulatedDisk()
        try process.backUp(to: backups)
        let kept = process.contents
        await process.close()

        let restored = try open(older)
        for number in Int64(2)..<22 {
            try restored.insert(number * 1000..<number * 1000 + 100, textLength: 40)
        }
        try restored.engine.checkpoint(for: .erasure, isForced: true)
        let folder = StoreDirectory(fileSystem: backups, path: Self.target)
        let manifest = try #require(try BackupManifest.read(from: folder))
        #expect(try !older.list("store.realm/log").contains(manifest.segment.fileName))
        let error = #expect(throws: StorageError.self) { try restored.backUp(to: backups) }
        #expect("\(error as Any)".contains("has commits that the realm does not have"))
        try await StoreProcess.check(backups, Self.target, is: kept)
        await restored.close()
    }
}
