import Dispatch
import Foundation
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Removing lock files and moving stores, concurrently with other processes.
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

    /// Reopening a store whose folder was moved created a folder in its place, with a lock file in
    /// it.
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

    /// A store whose folder was moved while it was open wrote checkpoints and created segments in
    /// the store that replaced it, and removed files of that store.
    @Test func theReplacementOfAnOpenStoreIsNotChanged() throws {
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

    /// Two processes that write to one store, of which the first has lost the file of its lock.
    private static func withTwoWriters(
        _ body: (_ first: StoreProcess, _ second: StoreProcess, _ path: String) throws -> Void
    ) throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let files = POSIXFileSystem()
            let first = try StoreProcess(files, directory: path)
            try first.insert(0..<10)
            try files.remove(path + "/writer.lock")
            let second = try StoreProcess(files, directory: path)
            #expect(second.log.isWriting)
            try second.insert(10..<20)
            try body(first, second, path)
        }
    }

    /// When somebody had removed the file of the lock, two processes wrote to one log, over each
    /// other's commits.
    @Test func withoutTheFileOfItsLockAProcessWritesNoMore() throws {
        try Self.withTwoWriters { first, second, path in
            try? first.insert(20..<30)
            #expect(first.engine.failure == StorageError.replaced(path: path))
            try second.insert(30..<40)
            let reading = try StoreProcess(POSIXFileSystem(), directory: path) {
                $0.readOnly = true
            }
            #expect(reading.numbers == Array(0..<20) + Array(30..<40))
            #expect(try second.problems() == [])
        }
    }

    /// Its seal overwrote the first frame of the other process, whose commits were lost.
    @Test func withoutTheFileOfItsLockAProcessSealsNothing() throws {
        try Self.withTwoWriters { first, second, path in
            try first.log.close()
            try second.insert(20..<30)
            let reading = try StoreProcess(POSIXFileSystem(), directory: path) {
                $0.readOnly = true
            }
            #expect(reading.numbers.elementsEqual(0..<30))
            #expect(try second.problems() == [])
        }
    }

    /// The first commit of a store that was replaced after its opening wrote its horizon to the
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

    /// A process that waited for a lock, whose file was removed, got the lock of the removed file,
    /// while another process had the lock of the new one.
    @Test func aLockIsThatOfTheCurrentFile() throws {
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
            // Lets the thread open the file, and wait for the first lock.
            Platform.pause(for: .milliseconds(50))
            // In one step: between a removal and the next lock, the waiting thread may rightly get
            // it.
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

    /// The key and the lock files were removed when the lock was free again, including those of a
    /// store that another process had just created.
    @Test func removalHasTheLockToItsEnd() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            _ = try Self.make(POSIXFileSystem(), path)
            let free = Mutex<[String]>([])
            var files = ReportingFiles(base: POSIXFileSystem())
            files.willRemove = { removed in
                // The folder is removed when the lock's file is gone.
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

    /// If a folder was replaced by a symbolic link, everything in the folder that it refers to was
    /// removed when the store was opened, or deleted.
    @Test(arguments: ["log", "pages", "image"])
    func targetsOfSymbolicLinksAreNotRemoved(name: String) throws {
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
    @Test func foreignFilesInItsFoldersStay() throws {
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

    /// A copy was created without the lock of its destination: a store that another process created
    /// there meanwhile lost its key, or two copies were created in one folder.
    @Test func aStoreIsCreatedUnderItsLock() throws {
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
            // A failure leaves nothing.
            let other = StoreDirectory(fileSystem: POSIXFileSystem(), path: root + "/other.realm")
            #expect(throws: StorageError.self) {
                try other.makeStore(LogOptions()) { _ in throw StorageError.invalid("no") }
            }
            #expect(try POSIXFileSystem().list(root) == ["store.realm"])
        }
    }

    /// It was created inside the folder, which was then refused because of other files.
    @Test func aTrailingSlashOfAMovedStoreIsIgnored() throws {
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

    /// Each call of creating a store fails in turn. If its name existed, but not durably, the store
    /// was written to: a power failure lost acknowledged commits.
    @Test func writesToAMovedStoreSurviveAPowerFailure() throws {
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
        // The case whose name was not synced, and the last one, in which nothing failed.
        #expect(written >= 2)
    }

    /// A store was moved aside for another one and deleted, as `restore` does. After a power
    /// failure, the deleted store was at the path again.
    @Test func theReplacementOfARemovedStoreStays() throws {
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

    /// Between the end of the lock and the rename, no process holds the folder.
    @Test func aStoreThatAppearsMeanwhileStays() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let isFirst = Atomic<Bool>(true)
            let others = Mutex<Bits128?>(nil)
            var files = ReportingFiles(base: POSIXFileSystem())
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

    /// A process that followed a store and requested the writer lease wrote to the store that had
    /// replaced it.
    @Test(arguments: [false, true])
    func aFollowerOfARemovedStoreDoesNotWriteToItsReplacement(isThereAnother: Bool) throws {
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
