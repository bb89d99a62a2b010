import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Removals of stores that a crash cuts off, and openings beside one.
@Suite struct InterruptedRemovalTests {
    private static let numbers = Array(Int64(0)..<300)

    /// A closed store with a checkpoint, several page files and several segments.
    private static func fill(_ files: any FileSystem, _ directory: String) throws {
        let process = try StoreProcess(files, directory: directory) { options in
            options.pages.segmentSizeMin = 4 << 10
            options.pages.segmentSizeGrown = 4 << 10
            options.history = .bytes(1 << 20)
        }
        try process.insert(0..<150)
        try process.engine.checkpoint()
        for start in stride(from: Int64(150), to: 300, by: 25) {
            try process.insert(start..<start + 25)
        }
        #expect(process.numbers == numbers)
        try process.log.close()
    }

    /// What is seen of a store by an opening that writes nothing; nil when it is not there.
    private static func read(
        _ files: any FileSystem, _ directory: String = "store.realm"
    ) throws -> [Int64]? {
        do {
            return try StoreProcess(files, directory: directory) { $0.readOnly = true }.numbers
        } catch StorageError.fileNotFound {
            return nil
        }
    }

    /// A removal emptied the log first, under a superblock that went last: what a crash left of a
    /// store was refused as damaged for ever.
    @Test func aRemovalThatWasCutOffIsFinished() async throws {
        let original = SimulatedDisk()
        try Self.fill(original, "store.realm")
        var (whole, gone, call) = (0, 0, 0)
        while true {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            let isRemoved =
                (try? StoreDirectory(fileSystem: disk, path: "store.realm").removeStore()) != nil
            for (number, policy) in [CrashPolicy.nothing, .everything, .random, .random]
                .enumerated()
            {
                let image = disk.crashImage(seed: UInt64(call * 8 + number), policy)
                let place: Comment = "call \(call), \(policy)"
                let seen = try Self.read(image)
                #expect(seen == nil || seen == Self.numbers, place)
                if seen == nil { gone += 1 } else { whole += 1 }

                // It is removed by who tries again.
                let cleared = image.crashImage(seed: 0, .everything)
                try StoreDirectory(fileSystem: cleared, path: "store.realm").removeStore()
                #expect(try Self.read(cleared) == nil, place)

                // Or it is opened, as what was seen.
                let process = try StoreProcess(image)
                #expect(process.numbers == seen ?? [], place)
                try process.insert(1_000)
                #expect(try process.problems() == [], place)
                await process.close()
                let again = image.crashImage(seed: 0, .nothing)
                #expect(try Self.read(again) == (seen ?? []) + [1_000], place)
            }
            if disk.faultyCallCount == 0 {
                #expect(isRemoved)
                break
            }
        }
        #expect(whole > 4 && gone > 40, "\(whole) whole, \(gone) gone, \(call) calls")
    }

    /// The file that says of which realm on a shared log a folder is a copy went behind the one
    /// that says that the folder is being removed: cut off in between, no other realm could be made
    /// there.
    @Test func nothingIsLeftOfACopyOfASharedLog() async throws {
        let original = SimulatedDisk()
        try Self.fill(original, "store.realm")
        try SharedRealmFile(host: .random(), cursor: SharedCursor())
            .write(to: StoreDirectory(fileSystem: original, path: "store.realm"))
        var (call, faults) = (0, 1)
        while faults > 0 {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            try? StoreDirectory(fileSystem: disk, path: "store.realm").removeStore()
            faults = disk.faultyCallCount
            for seed in UInt64(call) * 4..<UInt64(call) * 4 + 4 {
                let policy: CrashPolicy = seed % 4 == 0 ? .everything : .random
                let image = disk.crashImage(seed: seed, policy)
                let place: Comment = "call \(call), \(policy), \(seed)"
                guard try Self.read(image) == nil else { continue }
                let folder = StoreDirectory(fileSystem: image, path: "store.realm")
                if try !folder.isBeingRemoved() {
                    let left = (try? image.list("store.realm")) ?? []
                    #expect(Set(left).isSubset(of: ["writer.lock"]), place)
                }
                let process = try StoreProcess(image)
                #expect(process.numbers == [], place)
                await process.close()
            }
        }
    }

    /// Where a file of others kept a folder, what was removed from it was not durably so: after a
    /// loss of power a part of the log, or of the page files, was there again, and refused.
    @Test func whatWasRemovedBesideFilesOfOthersStaysAway() async throws {
        let original = SimulatedDisk()
        try Self.fill(original, "store.realm")
        for folder in ["store.realm/log", "store.realm/pages"] {
            _ = try original.open(folder + "/.DS_Store", .create)
            try original.syncDirectory(folder)
        }
        try StoreDirectory(fileSystem: original, path: "store.realm").removeStore()
        for seed in testSeeds(60, debug: 20) {
            let image = original.crashImage(seed: seed, .random)
            #expect(try Self.read(image) == nil, "SEED=\(seed)")
            let process = try StoreProcess(image)
            #expect(process.numbers == [], "SEED=\(seed)")
            try process.insert(1)
            #expect(process.numbers == [1], "SEED=\(seed)")
            await process.close()
            #expect(try image.list("store.realm/log").contains(".DS_Store"))
        }
    }

    /// Who opened a store while another process removed it took it for damaged.
    @Test func anOpeningBesideARemovalSeesAllOrNothing() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            try Self.fill(POSIXFileSystem(), path)
            let failures = Mutex<[String]>([])
            var files = ToldFiles(base: POSIXFileSystem())
            files.willRemove = { removed in
                func note(_ body: () throws -> [Int64]?) {
                    do {
                        let seen = try body()
                        if seen == nil || seen == Self.numbers { return }
                        failures.withLock { $0.append("\(removed): \(String(describing: seen))") }
                    } catch StorageError.alreadyOpen {
                    } catch {
                        failures.withLock { $0.append("\(removed): \(error)") }
                    }
                }
                note { try Self.read(POSIXFileSystem(), path) }
                // Then the lock is gone as well, and a new store may be made.
                if removed == path { return }
                note {
                    try StoreProcess(POSIXFileSystem(), directory: path) {
                        $0.lockTimeout = .milliseconds(1)
                    }.numbers
                }
            }
            try StoreDirectory(fileSystem: files, path: path).removeStore()
            #expect(failures.withLock { $0 } == [])
        }
    }

    /// A process that follows a store of which another one was killed in the middle of its removal
    /// would have remade its superblock, or found it damaged.
    @Test func whoFollowsAStoreThatIsHalfRemovedIsNotIt() async throws {
        let original = SimulatedDisk()
        try Self.fill(original, "store.realm")
        for call in 1...200 {
            let disk = original.crashImage(seed: 0, .everything)
            let follower = try StoreProcess(disk)
            try follower.follower.releaseLease()
            let writer = try StoreProcess(disk)
            try writer.insert(2_000)
            await writer.close()
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            let isRemoved =
                (try? StoreDirectory(fileSystem: disk, path: "store.realm").removeStore()) != nil
            disk.resetCalls()
            do {
                try follower.takeOver()
                #expect(follower.numbers == Self.numbers + [2_000], "call \(call)")
            } catch let error as StorageError {
                // Or not even its folder is there.
                var isExpected = error == .replaced(path: "store.realm")
                if case .fileNotFound = error { isExpected = isRemoved }
                #expect(isExpected, "\(error), call \(call)")
            }
            if isRemoved { break }
        }
    }
}

/// A file system that tells of every name that is removed, and of renames, before they are.
struct ToldFiles: WrappedFiles {
    let base: any FileSystem
    var willRemove: @Sendable (String) -> Void = { _ in }
    var willRename: @Sendable (String) throws -> Void = { _ in }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(path, mode)
    }

    func remove(_ path: String) throws(StorageError) {
        willRemove(path)
        try base.remove(path)
    }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try? willRename(newPath)
        try base.rename(path, to: newPath)
    }
}
