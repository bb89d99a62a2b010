import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Removals of stores that are interrupted by a crash, and openings during a removal.
@Suite struct InterruptedRemovalTests {
    private static let numbers = Array(Int64(0)..<300)

    /// Creates a closed store with a checkpoint, several page files and several segments.
    private static func fill(_ files: any FileSystem, _ directory: String) throws {
        let process = try StoreProcess(files, directory: directory) { options in
            StoreProcess.smallPages(&options)
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

    /// The contents of a store according to a read-only opening; nil if there is no store.
    private static func read(
        _ files: any FileSystem, _ directory: String = "store.realm"
    ) throws -> [Int64]? {
        do {
            return try StoreProcess(files, directory: directory) { $0.readOnly = true }.numbers
        } catch StorageError.fileNotFound {
            return nil
        }
    }

    /// A removal emptied the log first and removed the superblock last: after a crash, the rest was
    /// permanently refused as damaged.
    @Test func anInterruptedRemovalIsCompleted() async throws {
        let original = SimulatedDisk()
        try Self.fill(original, "store.realm")
        var (whole, removed, call) = (0, 0, 0)
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
                if seen == nil { removed += 1 } else { whole += 1 }

                // The next attempt completes the removal.
                let cleared = image.crashImage(seed: 0, .everything)
                try StoreDirectory(fileSystem: cleared, path: "store.realm").removeStore()
                #expect(try Self.read(cleared) == nil, place)

                // Or the store is opened with its previous contents.
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
        #expect(whole > 4 && removed > 40, "\(whole) whole, \(removed) removed, \(call) calls")
    }

    /// The file that names the realm of a copy of a shared log was removed after the file that
    /// marks the folder as being removed. After an interruption in between, no other realm could be
    /// created there.
    @Test func removalOfACopyOfASharedLogIsComplete() async throws {
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

    /// If the folder remained because of other files, the removals in it were not durable: after a
    /// power failure, a part of the log or of the page files reappeared, and was refused.
    @Test func removalsBesideForeignFilesAreDurable() async throws {
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

    /// A process that opened a store while another one removed it reported damage.
    @Test func anOpeningDuringARemovalSeesAllOrNothing() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            try Self.fill(POSIXFileSystem(), path)
            let failures = Mutex<[String]>([])
            var files = ReportingFiles(base: POSIXFileSystem())
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
                // Then the lock's file is removed as well, and a new store may be created.
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

    /// A process that follows a store, whose removal by another process was interrupted, would have
    /// recreated the superblock, or reported damage.
    @Test func aFollowerOfAPartlyRemovedStoreReportsItsRemoval() async throws {
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
                // Or even its folder does not exist.
                var isExpected = error == .replaced(path: "store.realm")
                if case .fileNotFound = error { isExpected = isRemoved }
                #expect(isExpected, "\(error), call \(call)")
            }
            if isRemoved { break }
        }
    }
}

/// A file system that reports each removal and rename before it is performed.
struct ReportingFiles: WrappedFiles {
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
