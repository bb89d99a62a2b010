import Dispatch
import Foundation
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Files of locks that are removed, and stores that are put in place, beside other processes.
@Suite struct StoreRemovalTests {
    private static func make(_ files: any FileSystem, _ path: String) throws -> Bits128 {
        let opened = try OpenedLog(files, path)
        try opened.append([TestCommit(1, length: 100)])
        try opened.log.close()
        return opened.log.database
    }

    private static func database(_ path: String) throws -> Bits128? {
        try StoreDirectory(fileSystem: POSIXFileSystem(), path: path).readSuperblock()?.database
    }

    /// Reopening a store whose folder was moved away left a folder in its place, with the file of a
    /// lock in it.
    @Test func reopeningAStoreThatWasMovedMakesNoFolder() throws {
        let files = MemoryFileSystem()
        let log = try Log.open(files, directory: "store.realm", replay: { _ in })
        var options = LogOptions()
        options.known = log.knownDatabase
        try log.close()
        try files.rename("store.realm", to: "moved.realm")
        #expect(throws: StorageError.replaced(path: "store.realm")) {
            _ = try Log.open(
                files, directory: "store.realm", options: options, replay: { _ in })
        }
        #expect(throws: StorageError.self) { try files.list("store.realm") }
        try files.rename("moved.realm", to: "store.realm")
        let again = try Log.open(
            files, directory: "store.realm", options: options, replay: { _ in })
        try again.close()
    }

    /// A store whose folder was moved while it was open wrote checkpoints and made segments in what
    /// was put in its place, and removed files of that.
    @Test func whatTakesThePlaceOfAnOpenStoreIsNotChanged() throws {
        try withTemporaryDirectory { root in
            let (path, other) = (root + "/store.realm", root + "/other.realm")
            let files = POSIXFileSystem()
            let process = try StoreProcess(files, directory: path)
            try process.insert(0..<300)
            try process.engine.checkpoint()
            try FileManager.default.copyItem(atPath: path, toPath: other)
            try process.insert(300..<310)
            try files.rename(path, to: root + "/moved.realm")
            try files.rename(other, to: path)
            #expect(throws: StorageError.replaced(path: path)) {
                try process.engine.checkpoint()
            }
            // Until the log needs another segment.
            for number in Int64(310)..<500 where process.engine.failure == nil {
                try? process.insert(number..<number + 1, textLength: 2_000)
            }
            #expect(process.engine.failure == StorageError.replaced(path: path))
            let again = try StoreProcess(files, directory: path)
            #expect(again.numbers.elementsEqual(0..<300))
            #expect(try again.problems() == [])
            let moved = try StoreProcess(files, directory: root + "/moved.realm") {
                $0.readOnly = true
            }
            #expect(moved.numbers.starts(with: 0..<310))
        }
    }

    /// The first commit of a store that was replaced after it was opened wrote its horizon to the
    /// other store, whose log then seemed to lack durable commits, and removed the manifest of a
    /// backup there.
    @Test func theFirstCommitOfAReplacedStoreIsRefused() throws {
        try withTemporaryDirectory { root in
            let (path, other) = (root + "/store.realm", root + "/other.realm")
            let files = POSIXFileSystem()
            _ = try Self.make(files, path)
            try FileManager.default.copyItem(atPath: path, toPath: other)
            _ = try files.open(other + "/" + BackupManifest.name, .create)
            let opened = try OpenedLog(files, path)
            try files.rename(path, to: root + "/moved.realm")
            try files.rename(other, to: path)
            let names = try files.list(path)
            #expect(throws: StorageError.replaced(path: path)) {
                try opened.append([TestCommit(2, length: 100)])
            }
            try opened.log.close()
            #expect(try files.list(path) == names)
            let again = try OpenedLog(files, path)
            #expect(again.commits == [TestCommit(1, length: 100)])
            try again.log.close()
        }
    }

    /// Who waited for a lock whose file was removed got the lock of a file that nobody sees, beside
    /// who had made another one.
    @Test func aLockIsThatOfTheFileThatIsThere() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let directory = StoreDirectory(fileSystem: files, path: root)
            let path = directory.lockPath
            let queue = try #require(LockQueue(directory))
            var first = try files.lock(path)
            #expect(first != nil)
            let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let hasLock = Mutex(false)
            Platform.runOnThread {
                begun.signal()
                let lock = try? queue.wait(upTo: nil)
                hasLock.withLock { $0 = true }
                withExtendedLifetime(lock) {}
                ended.signal()
            }
            begun.wait()
            // For the thread to open the file, and wait for the first one.
            Platform.pause(for: .milliseconds(50))
            // In one step: between a removal and the next lock, who waits would rightly get it.
            var second = try files.lock(path + ".second")
            #expect(second != nil)
            try files.rename(path + ".second", to: path)
            first = nil
            withExtendedLifetime(first) {}
            Platform.pause(for: .milliseconds(50))
            #expect(hasLock.withLock { $0 } == false, "two have the lock")
            withExtendedLifetime(second) {}
            second = nil
            #expect(ended.wait(timeout: .now() + .seconds(600)) == .success)
            #expect(hasLock.withLock { $0 })
        }
    }

    /// The key and the files of locks were removed when the lock was free again: those of a store
    /// that another process had just made.
    @Test func removalHasTheLockToItsEnd() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            _ = try Self.make(POSIXFileSystem(), path)
            let free = Mutex<[String]>([])
            var files = ToldFiles(base: POSIXFileSystem())
            files.willRemove = { removed in
                // The folder goes when the file of the lock is gone.
                if removed == path { return }
                let lock = try? POSIXFileSystem().lock(path + "/writer.lock")
                if lock != nil {
                    free.withLock { $0.append(removed) }
                }
            }
            try StoreDirectory(fileSystem: files, path: path).removeStore()
            #expect(free.withLock { $0 } == [])
            #expect(try POSIXFileSystem().list(root) == [])
        }
    }

    /// Where a link stood in place of a folder, everything was removed that this led to: when the
    /// store was opened, or deleted.
    @Test(arguments: ["log", "pages", "image"])
    func whatALinkLeadsToStays(name: String) throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let (path, other) = (root + "/store.realm", root + "/other")
            for folder in [path, other] { try files.createDirectory(folder) }
            for file in ["0000000001.log", "0000000001.pages", "notes.txt", "superblock"] {
                _ = try files.open(other + "/" + file, .create)
            }
            let kept = try files.list(other)
            _ = try files.open(path + "/superblock.removed", .create)
            try FileManager.default.createSymbolicLink(
                atPath: path + "/" + name, withDestinationPath: other)
            let refusal = StorageError.notARealm(
                path: path, reason: "\(name) in it is a symbolic link, and has to be a folder")
            for options in [LogOptions.small, LogOptions.small.reading] {
                #expect(throws: refusal) { try OpenedLog(files, path, options) }
            }
            #expect(try files.list(other) == kept)
            try StoreDirectory(fileSystem: files, path: path).removeStore()
            #expect(try files.list(other) == kept)
            #expect(try files.list(root) == ["other"])
        }
    }

    /// They were removed, whatever they were.
    @Test func filesOfOthersInItsFoldersStay() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            _ = try Self.make(files, path)
            _ = try files.open(path + "/log/notes.txt", .create)
            try StoreDirectory(fileSystem: files, path: path).removeStore()
            #expect(try files.list(path) == ["log"])
            #expect(try files.list(path + "/log") == ["notes.txt"])
            let made = try Self.make(files, path)
            #expect(try Self.database(path) == made)
        }
    }

    /// A copy was made without the lock of the place that it was to get: what another process made
    /// there meanwhile lost its key, and two copies were made in one folder.
    @Test func aStoreIsMadeUnderItsLock() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let place = StoreDirectory(fileSystem: POSIXFileSystem(), path: path)
            var made: Bits128?
            try place.makeStore(LogOptions()) { growing in
                #expect(growing.path != path)
                #expect(try POSIXFileSystem().lock(place.lockPath) == nil)
                made = try Self.make(POSIXFileSystem(), growing.path)
            }
            #expect(try Self.database(path) == made && made != nil)
            try place.makeStore(LogOptions()) { _ in Issue.record("there is one") }
            // What fails leaves nothing.
            let other = StoreDirectory(fileSystem: POSIXFileSystem(), path: root + "/other.realm")
            #expect(throws: StorageError.self) {
                try other.makeStore(LogOptions()) { _ in throw StorageError.invalid("no") }
            }
            #expect(try POSIXFileSystem().list(root) == ["store.realm"])
        }
    }

    /// It was made inside of the folder, which was refused as one with other files then.
    @Test func aSlashBehindThePathOfAStoreThatIsPutInPlaceIsNothing() throws {
        try withTemporaryDirectory { root in
            let place = StoreDirectory(
                fileSystem: POSIXFileSystem(), path: root + "/store.realm//")
            try place.makeStore(LogOptions()) { growing in
                _ = try Self.make(POSIXFileSystem(), growing.path)
            }
            #expect(try POSIXFileSystem().list(root) == ["store.realm"])
            #expect(try OpenedLog(POSIXFileSystem(), root + "/store.realm").commits.count == 1)
        }
    }

    /// Each call of making a store fails in turn. One that had its name, and not durably so, was
    /// written to: a loss of power took what had been acknowledged.
    @Test func whatIsWrittenToAStoreThatWasPutInPlaceIsThere() throws {
        var (call, faults, written) = (0, 1, 0)
        while faults > 0 {
            call += 1
            let disk = SimulatedDisk()
            disk.inject(.init(.inputOutput, call: call))
            let place = StoreDirectory(fileSystem: disk, path: "store.realm")
            try? place.makeStore(LogOptions()) { growing in
                _ = try Self.make(disk, growing.path)
            }
            faults = disk.faultyCallCount
            disk.resetCalls()
            guard try place.holdsStore() else { continue }
            let opened = try OpenedLog(disk)
            try opened.append([TestCommit(2, length: 30)])
            let image = disk.crashImage(seed: 0, .nothing)
            let found = try OpenedLog(image, "store.realm", LogOptions.small.reading).commits
            #expect(found.map(\.version) == [Version(1), Version(2)], "call \(call)")
            written += 1
        }
        // One whose name failed to be synced, and the last one, where nothing failed.
        #expect(written >= 2)
    }

    /// A store was moved aside for another one and deleted, as `restore` does it. With a loss of
    /// power it was the deleted one that had the place.
    @Test func whatTakesThePlaceOfARemovedStoreKeepsIt() throws {
        let disk = SimulatedDisk()
        _ = try Self.make(disk, "store.realm")
        let new = try Self.make(disk, "new.realm")
        try disk.rename("store.realm", to: "old.realm")
        try disk.rename("new.realm", to: "store.realm")
        try StoreDirectory(fileSystem: disk, path: "old.realm").removeStore()
        let image = disk.crashImage(seed: 0, .nothing)
        let found = try OpenedLog(image, "store.realm", LogOptions.small.reading)
        #expect(found.log.database == new)
        #expect(found.commits.count == 1)
    }

    /// Between the end of the lock and the rename the folder is nobody's.
    @Test func aStoreThatAppearedMeanwhileStays() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let isFirst = Atomic<Bool>(true)
            let others = Mutex<Bits128?>(nil)
            var files = ToldFiles(base: POSIXFileSystem())
            files.willRename = { newPath in
                guard newPath == path, isFirst.exchange(false, ordering: .relaxed) else { return }
                let made = try Self.make(POSIXFileSystem(), path)
                others.withLock { $0 = made }
            }
            let place = StoreDirectory(fileSystem: files, path: path)
            try place.makeStore(LogOptions()) { growing in
                _ = try Self.make(POSIXFileSystem(), growing.path)
            }
            let kept = others.withLock { $0 }
            #expect(try Self.database(path) == kept && kept != nil)
            #expect(try OpenedLog(POSIXFileSystem(), path).commits.count == 1)
        }
    }

    /// Who followed a store and asked for the writer lease wrote to the one that stood there by
    /// then, as if it was its own.
    @Test(arguments: [false, true])
    func whoFollowedARemovedStoreDoesNotWriteToAnother(isThereAnother: Bool) throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let files = POSIXFileSystem()
            _ = try Self.make(files, path)
            var options = LogOptions.small
            options.isShared = true
            let writer = try OpenedLog(files, path, options)
            let follower = try OpenedLog(files, path, options)
            #expect(writer.log.isWriting && !follower.log.isWriting)
            var tail = LogTail(
                follower.log.store, database: follower.log.database, from: follower.log.end)
            try writer.log.close()
            try StoreDirectory(fileSystem: files, path: path).removeStore()
            if isThereAnother {
                _ = try Self.make(files, path)
            } else {
                try files.createDirectory(path)
            }
            let lock = try #require(try files.lock(path + "/writer.lock"))
            #expect(throws: StorageError.replaced(path: path)) {
                try follower.log.takeOver(lock, &tail, Version(1))
            }
            #expect(!follower.log.isWriting)
            #expect(try files.list(path).contains("superblock") == isThereAnother)
        }
    }
}
