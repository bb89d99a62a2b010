import StorageHarness
import Testing

@testable import Storage

/// A file system that cannot list the folder of page files.
private struct UnlistedPages: WrappedFiles {
    let base: any FileSystem

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(path, mode)
    }

    func list(_ path: String) throws(StorageError) -> [String] {
        if path.hasSuffix("/pages") {
            throw .io(operation: .list, path: path, errno: Platform.inputOutput)
        }
        return try base.list(path)
    }
}

@Suite struct CreationCrashTests {
    /// A store whose creation was interrupted by a power failure was permanently refused. The
    /// length of the superblock was on the disk and its bytes were not, so that it had stale bytes,
    /// and the store was not recognized: "it is not a realm".
    @Test func anInterruptedCreationIsRepeated() async throws {
        for call in 1...40 {
            for seed in testSeeds(60, debug: 12) {
                let disk = SimulatedDisk()
                disk.inject(.init(.inputOutput, call: call, isLasting: true))
                let store = CrashStore(disk, seed: seed)
                do { try store.open() } catch let error as StorageError where error.isDiskFailure {}
                await store.abandon()
                disk.crash(seed: seed)
                await #expect(throws: Never.self, "SEED=\(seed), call \(call)") {
                    try await Recovery.check(disk, store.oracle, seed: seed)
                }
            }
        }
    }

    /// With a trailing slash, the folder was taken for its own parent, and its name was not made
    /// durable: a power failure lost a new store, and acknowledged commits.
    @Test func aTrailingSlashIsIgnored() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk, directory: "store.realm/")
        try process.insert(1)
        let image = disk.crashImage(seed: 0, .nothing)
        await process.close()
        let found = try StoreProcess(image)
        #expect(found.numbers == [1])
        await found.close()
    }

    /// Page files that could not be listed were taken for none. If they were all that was left of a
    /// store, a new one was created, whose first checkpoint removed them.
    @Test func pageFilesThatCannotBeListedAreNoReasonToMakeAStore() throws {
        let disk = SimulatedDisk()
        let folder = StoreDirectory(fileSystem: disk, path: "store.realm")
        for path in [folder.path, folder.pagesPath] { try disk.createDirectory(path) }
        _ = try disk.open(folder.pagesPath + "/" + PageIndex.first.fileName, .create)
        #expect {
            _ = try OpenedLog(UnlistedPages(base: disk), folder.path)
        } throws: { error in
            if case .io(.list, _, _)? = error as? StorageError { true } else { false }
        }
        #expect(try folder.hasNoSuperblock())
    }
}
