import StorageHarness
import Testing

@testable import Storage

@Suite(.enabled(if: SecretKey.isAvailable)) struct EncryptionLogTests {
    private static let path = "store.realm"

    @Test func replaysWhatWasAppended() throws {
        let disk = MemoryFileSystem()
        let options = LogOptions.small.encrypted(try .made())
        var all: [TestCommit] = []
        for round in 0..<4 {
            let opened = try OpenedLog(disk, Self.path, options)
            #expect(opened.commits == all)
            #expect(opened.log.report.wasSealed == (round > 0))
            for group in 0..<20 {
                let commits = (0..<3).map {
                    TestCommit(UInt64(all.count + $0 + 1), length: (group * 37 + $0) % 300)
                }
                try opened.append(commits)
                all += commits
            }
            try opened.log.close()
        }
        #expect(try OpenedLog(disk, Self.path, options.reading).commits == all)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 1900, 7000, 7800, 8000, 8192, 20_000, 20_001, 100_000])
    func putsLargeTransactionsTogether(length: Int) throws {
        let disk = MemoryFileSystem()
        let commits = [
            TestCommit(1, length: 10), TestCommit(2, length: length), TestCommit(3, length: 5),
        ]
        let options = LogOptions.small.encrypted(try .made())
        let opened = try OpenedLog(disk, Self.path, options)
        for commit in commits { try opened.append([commit]) }
        try opened.log.close()
        #expect(try OpenedLog(disk, Self.path, options).commits == commits)
    }

    @Test func wrongMissingAndNeedlessKeysAreDifferentErrors() throws {
        let disk = MemoryFileSystem()
        let options = LogOptions.small.encrypted(try .made())
        try OpenedLog(disk, "secret.realm", options).log.close()
        try OpenedLog(disk, "plain.realm", .small).log.close()
        #expect(throws: StorageError.keyMissing(path: "secret.realm")) {
            try OpenedLog(disk, "secret.realm", .small)
        }
        #expect(throws: StorageError.wrongKey(path: "secret.realm")) {
            try OpenedLog(disk, "secret.realm", .small.encrypted(.made(2)))
        }
        #expect(throws: StorageError.notEncrypted(path: "plain.realm")) {
            try OpenedLog(disk, "plain.realm", options)
        }
        // The same without a superblock, which is rebuilt from the segments.
        for path in ["secret.realm", "plain.realm"] {
            let opened = try OpenedLog(disk, path, path == "plain.realm" ? .small : options)
            try opened.append([TestCommit(1, length: 20)])
            try opened.log.close()
            try disk.remove(path + "/superblock")
        }
        #expect(throws: StorageError.keyMissing(path: "secret.realm")) {
            try OpenedLog(disk, "secret.realm", .small)
        }
        #expect(throws: StorageError.wrongKey(path: "secret.realm")) {
            try OpenedLog(disk, "secret.realm", .small.encrypted(.made(2)))
        }
        #expect(throws: StorageError.notEncrypted(path: "plain.realm")) {
            try OpenedLog(disk, "plain.realm", options)
        }
        #expect(try OpenedLog(disk, "secret.realm", options).commits.count == 1)
        #expect(try OpenedLog(disk, "plain.realm", .small).commits.count == 1)
    }

    @Test func withoutTheKeyFileTheStoreIsDamaged() throws {
        let disk = MemoryFileSystem()
        let options = LogOptions.small.encrypted(try .made())
        try OpenedLog(disk, Self.path, options).log.close()
        let key = try disk.bytes(of: Self.path + "/key")
        #expect(key.count == KeyFile.fileSize)
        // Either of its two slots suffices.
        for slot in 0..<2 {
            try disk.overwrite(
                Self.path + "/key", with: .init(repeating: 0, count: 4096), at: slot * 4096)
            try OpenedLog(disk, Self.path, options).log.close()
            try disk.overwrite(Self.path + "/key", with: key)
        }
        try disk.remove(Self.path + "/key")
        #expect { try OpenedLog(disk, Self.path, options) } throws: { error in
            guard case StorageError.corrupted(Self.path + "/key", _, _) = error else {
                return false
            }
            return true
        }
    }

    @Test func anotherKeyOpensTheStoreAndWritesNoData() throws {
        let disk = MemoryFileSystem()
        let old = LogOptions.small.encrypted(try .made())
        let opened = try OpenedLog(disk, Self.path, old)
        try opened.append([TestCommit(1, length: 40)])
        let before = try disk.bytes(of: Self.path + "/log/0000000001.log")
        try opened.log.rekey(to: .made(2))
        #expect(try disk.bytes(of: Self.path + "/log/0000000001.log") == before)
        // The process that has it open continues.
        try opened.append([TestCommit(2, length: 40)])
        try opened.log.close()
        #expect(throws: StorageError.wrongKey(path: Self.path)) {
            try OpenedLog(disk, Self.path, old)
        }
        #expect(try OpenedLog(disk, Self.path, .small.encrypted(.made(2))).commits.count == 2)
    }

    // What was written of the new key stayed, and occupied space on the full disk.
    @Test func aNewKeyWithoutSpaceLeavesNothing() throws {
        let disk = SimulatedDisk()
        let options = LogOptions.small.encrypted(try .made())
        let opened = try OpenedLog(disk, Self.path, options)
        try opened.append([TestCommit(1, length: 40)])
        disk.limit(to: disk.usedBytes + 4096)
        do {
            try opened.log.rekey(to: .made(2))
            Issue.record("there was space for the key")
        } catch StorageError.outOfSpace {
            #expect(try !disk.list(Self.path).contains("key.new"))
        }
        disk.limit(to: nil)
        try opened.append([TestCommit(2, length: 40)])
        try opened.log.close()
        #expect(try OpenedLog(disk, Self.path, options).commits.count == 2)
    }

    @Test func plainStoresHaveNoKeyToChange() throws {
        let opened = try OpenedLog(MemoryFileSystem())
        #expect(throws: StorageError.notEncrypted(path: Self.path)) {
            try opened.log.rekey(to: .made())
        }
    }

    @Test func aCrashInTheChangeOfTheKeyLeavesOneThatWorks() throws {
        let (old, new) = (try UserKey.made(1), try UserKey.made(2))
        var works: Set<UserKey> = []
        for call in 1...40 {
            for image in 0..<12 {
                let disk = SimulatedDisk()
                let opened = try OpenedLog(disk, Self.path, .small.encrypted(old))
                try opened.append([TestCommit(1, length: 40)])
                disk.resetCalls()
                disk.inject(.init(.inputOutput, call: call, isLasting: true))
                let isDone = (try? opened.log.rekey(to: new)) != nil
                let policy: CrashPolicy =
                    image == 0 ? .nothing : image == 1 ? .everything : .random
                let left = disk.crashImage(seed: UInt64(call * 100 + image), policy)
                let opening = [old, new].filter {
                    let options = LogOptions.small.encrypted($0)
                    return (try? OpenedLog(left, Self.path, options))?.commits.count == 1
                }
                #expect(opening.count == 1, "call \(call), image \(image)")
                if isDone { #expect(opening == [new]) }
                works.formUnion(opening)
            }
        }
        #expect(works == [old, new])
    }

    /// Each call of a change of the key fails in turn, and all later ones. If the new key was in
    /// force, but not durably, the store was opened with it: a power failure restored the old key,
    /// which may have been discarded by then.
    @Test func aKeyThatOpensTheStoreOpensItAfterAPowerFailure() throws {
        let (old, new) = (try UserKey.made(1), try UserKey.made(2))
        var (call, faults, opened) = (0, 1, 0)
        while faults > 0 {
            call += 1
            let disk = SimulatedDisk()
            do {
                let made = try OpenedLog(disk, Self.path, .small.encrypted(old))
                try made.append([TestCommit(1, length: 40)])
                disk.resetCalls()
                disk.inject(.init(.inputOutput, call: call, isLasting: true))
                try? made.log.rekey(to: new)
                faults = disk.faultyCallCount
                disk.resetCalls()
            }
            for options in [LogOptions.small.reading, .small] {
                let isOpen =
                    (try? OpenedLog(disk, Self.path, options.encrypted(new)))?.commits.count == 1
                guard isOpen else { continue }
                let image = disk.crashImage(seed: 0, .nothing)
                let found = try OpenedLog(image, Self.path, .small.encrypted(new)).commits
                #expect(found.count == 1, "call \(call)")
                opened += 1
            }
            #expect(try !disk.list(Self.path).contains("unsynced"), "call \(call)")
        }
        // The case whose name was not synced, and the last one, in which nothing failed.
        #expect(opened >= 4)
    }

    /// A file system without space for changed names in folders.
    private struct FullFolders: WrappedFiles {
        let base: any FileSystem

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            try base.open(path, mode)
        }

        func syncDirectory(_ path: String) throws(StorageError) {
            throw .io(operation: .syncDirectory, path: path, errno: Platform.noSpace)
        }
    }

    /// A folder without space for the new name was treated as a refusal, and the new key was
    /// discarded although it was in force.
    @Test func aPossiblyInstalledKeyIsNotARefusal() throws {
        let disk = SimulatedDisk()
        let (old, new) = (try UserKey.made(1), try UserKey.made(2))
        let made = try OpenedLog(disk, Self.path, .small.encrypted(old))
        try made.append([TestCommit(1, length: 40)])
        try made.log.close()
        let opened = try OpenedLog(FullFolders(base: disk), Self.path, .small.encrypted(old))
        do {
            try opened.log.rekey(to: new)
            Issue.record("It is not durable.")
        } catch {
            if case .outOfSpace = error { Issue.record("It may be durable.") }
        }
        #expect(opened.log.failure != nil)
        let left = disk.crashImage(seed: 1, .everything)
        #expect(try OpenedLog(left, Self.path, .small.encrypted(new)).commits.count == 1)
    }

    @Test func whatIsStoredCannotBeSeen() throws {
        let disk = MemoryFileSystem()
        let text = Array("the secret of the whole thing".utf8)
        for options in [LogOptions.small, LogOptions.small.encrypted(try .made())] {
            let path = options.encryptionKey == nil ? "plain.realm" : Self.path
            var commit = TestCommit(1, length: 0)
            commit.payload = text
            let opened = try OpenedLog(disk, path, options)
            try opened.append([commit])
            try opened.log.close()
            let bytes = try disk.bytes(of: path + "/log/0000000001.log")
            let isVisible = bytes.indices.contains { bytes[$0...].starts(with: text) }
            #expect(isVisible == (options.encryptionKey == nil))
        }
    }
}

/// Without a cryptographic library nothing can be opened with a key, and nothing is created.
@Suite(.enabled(if: !SecretKey.isAvailable)) struct EncryptionUnavailableLogTests {
    @Test func aKeyIsRefused() throws {
        let disk = MemoryFileSystem()
        #expect(throws: StorageError.encryptionUnavailable) {
            try OpenedLog(disk, "store.realm", .small.encrypted(.made()))
        }
        // The attempt leaves nothing that prevents opening.
        try OpenedLog(disk, "store.realm", .small).log.close()
        #expect(StorageError.encryptionUnavailable.description.contains("--traits Encryption"))
    }
}
