import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Backups of the files of a store, which continue each other.
@Suite struct BackupTests {
    private static let target = StoreProcess.backupPath

    /// A transaction, sometimes with a checkpoint or a compaction, depending on the seed.
    private func step(_ process: StoreProcess, _ random: inout SeededGenerator) throws {
        let first = Int64(random.next(below: 1 << 40))
        switch random.next(below: 8) {
        case 0: try process.compact(isFull: random.oneIn(2))
        case 1: try process.engine.checkpoint()
        case 2:
            let deleted = process.numbers.filter { _ in random.oneIn(3) }
            try process.write { _ in process.delete(deleted) }
        case 3: try process.insert(first..<first + 400, textLength: 40)
        default: try process.insert(first..<first + Int64(1 + random.next(below: 40)))
        }
    }

    /// A full disk can refuse to write the horizon, which is late then. A backup to another disk
    /// ended there, without the commits since.
    @Test func aBackupDoesNotDependOnTheHorizon() async throws {
        let files = FilesWithFullHorizon(SimulatedDisk())
        let target = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(0)
        files.isFull.store(true, ordering: .relaxed)
        try process.insert(1)
        let outcome = try process.backUp(to: target)
        #expect(outcome.version == process.engine.latest.version)
        #expect(try await StoreProcess.contents(target) == process.contents)
        await process.close()
    }

    /// A disk that fails may first not read the superblock any more, whose contents the writer
    /// knows: no backup could be made of a realm that was still open.
    @Test func aBackupDoesNotDependOnTheSuperblock() async throws {
        let files = RefusingFiles(SimulatedDisk()) { path, mode in
            guard path == "store.realm/superblock", mode == .readOnly else { return nil }
            return StorageError.io(operation: .open, path: path, errno: Platform.inputOutput)
        }
        let target = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(0..<100)
        try process.engine.checkpoint()
        try process.insert(100)
        files.isRefusing = true
        let outcome = try process.backUp(to: target)
        #expect(outcome.version == process.engine.latest.version)
        #expect(try await StoreProcess.contents(target) == process.contents)
        files.isRefusing = false
        await process.close()
    }

    @Test(arguments: UInt64(1)...4)
    func eachHasWhatTheStoreHad(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        for run in 0..<8 {
            for _ in 0..<random.next(below: 6) { try step(process, &random) }
            let outcome = try process.backUp(to: files)
            #expect(outcome.isIncremental == (run > 0))
            #expect(outcome.version == process.engine.latest.version)
            #expect(try await StoreProcess.contents(files) == process.contents)
        }
        let idle = try process.backUp(to: files)
        #expect(idle.copied == 0)
        #expect(try files.list(".") == [Self.target, "store.realm"])
        await process.close()
    }

    @Test func onlyWhatIsNewIsCopied() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        for number in 0..<40 {
            try process.insert(Int64(number * 1000)..<Int64(number * 1000 + 100), textLength: 200)
        }
        try process.engine.checkpoint()
        let first = try process.backUp(to: files)
        try process.insert(1_000_000)
        let second = try process.backUp(to: files)
        #expect(second.copied < first.copied / 10)
        #expect(second.kept > first.copied / 2)
        await process.close()
    }

    /// The power fails before each call of a backup that continues another: the folder has the
    /// state of one of them, and the next backup continues it.
    @Test(arguments: UInt64(1)...2)
    func aCrashLeavesThePreviousOrTheNextState(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let source = SimulatedDisk()
        let process = try StoreProcess(source, isShared: false)
        for _ in 0..<6 { try step(process, &random) }
        let files = SimulatedDisk()
        try process.backUp(to: files)
        let before = process.contents
        for _ in 0..<6 { try step(process, &random) }
        try process.insert(-5)
        let images = Mutex<[SimulatedDisk]>([])
        files.observe { call in
            guard call.moment == .before else { return }
            images.withLock { images in
                let policy = CrashPolicy.allCases[images.count % CrashPolicy.allCases.count]
                images.append(files.crashImage(seed: seed &+ UInt64(images.count), policy))
            }
        }
        try process.backUp(to: files)
        files.observe(nil)
        let taken = images.withLock { $0 }
        #expect(taken.count > 40)
        var states: Set<Bool> = []
        for image in taken {
            let name =
                try image.list(".").contains(Self.target)
                ? Self.target : StoreBackup.previousPath(of: Self.target)
            let found = try await StoreProcess.contents(image, name)
            #expect(found == before || found == process.contents)
            states.insert(found == before)
            try process.backUp(to: image)
            #expect(try await StoreProcess.contents(image) == process.contents)
            #expect(try image.list(".").filter { $0.hasPrefix(Self.target) } == [Self.target])
        }
        #expect(states == [true, false])
        await process.close()
    }

    /// Each call of a backup fails in turn. Between its two renames it left the previous backup
    /// under another name, and nothing at its path.
    @Test func aFailureChangesNothing() async throws {
        let source = SimulatedDisk()
        let process = try StoreProcess(source, isShared: false)
        try process.insert(0..<300, textLength: 60)
        try process.engine.checkpoint()
        let files = SimulatedDisk()
        try process.backUp(to: files)
        let before = process.contents
        try process.insert(1000..<1300, textLength: 60)
        var call = 0
        var isDone = false
        while !isDone {
            call += 1
            let kinds = SimulatedDisk.Fault.Kind.allCases
            let kind = kinds[call % kinds.count]
            let image = files.crashImage(seed: 1, .everything)
            image.inject(SimulatedDisk.Fault(kind, call: call))
            let outcome = try? process.backUp(to: image)
            isDone = image.callCount < call
            image.resetCalls()
            if outcome == nil {
                let found = try await StoreProcess.contents(image)
                #expect(found == before || found == process.contents)
            }
            try process.backUp(to: image)
            #expect(try await StoreProcess.contents(image) == process.contents)
        }
        #expect(call > 30)
        await process.close()
    }

    /// Another process writes, and removes files, while they are being opened and copied.
    @Test(arguments: UInt64(1)...3)
    func aWriterContinuesMeanwhile(seed: UInt64) async throws {
        let source = SimulatedDisk()
        let writer = try StoreProcess(source, isShared: false)
        try writer.insert(0..<200, textLength: 50)
        try writer.engine.checkpoint()
        let reader = try StoreProcess(source) {
            $0.readOnly = true
            $0.isShared = true
        }
        let random = Mutex(SeededGenerator(seed: seed))
        let states = Mutex<[[Int64: StoreProcess.Row]]>([writer.contents])
        let isBusy = Atomic<Bool>(false)
        let files = SimulatedDisk()
        // Used only by the thread of the test, which makes the observed calls.
        nonisolated(unsafe) let process = writer
        for _ in 0..<3 {
            source.observe { call in
                guard call.moment == .before, !isBusy.load(ordering: .relaxed),
                    random.withLock({ $0.oneIn(5) })
                else { return }
                isBusy.store(true, ordering: .relaxed)
                random.withLock { random in try? step(process, &random) }
                let contents = process.contents
                states.withLock { $0.append(contents) }
                isBusy.store(false, ordering: .relaxed)
            }
            do { try reader.backUp(to: files) } catch { Issue.record(error) }
            source.observe(nil)
            let found = try await StoreProcess.contents(files)
            #expect(states.withLock { $0.contains(found) })
        }
        await reader.close()
        await writer.close()
    }

    /// Each call of the first backup fails in turn, and it is repeated. If the repetition found
    /// nothing to copy, the name of the folder was not durable.
    @Test func reportedBackupsSurviveAPowerFailure() async throws {
        let process = try StoreProcess(SimulatedDisk(), isShared: false)
        try process.insert(1)
        var (call, faults) = (0, 1)
        while faults > 0 {
            call += 1
            let files = SimulatedDisk()
            files.inject(.init(.inputOutput, call: call))
            _ = try? process.backUp(to: files)
            faults = files.faultyCallCount
            files.resetCalls()
            try process.backUp(to: files)
            let image = files.crashImage(seed: 0, .nothing)
            try await StoreProcess.check(image, Self.target, is: process.contents)
        }
        #expect(call > 20)
        await process.close()
    }

    /// Each call of a backup fails in turn, and all later ones. If its name existed, but not
    /// durably, the backup was written to: a power failure lost acknowledged commits.
    @Test func writesToABackupSurviveAPowerFailure() async throws {
        let process = try StoreProcess(SimulatedDisk(), isShared: false)
        try process.insert(1)
        var (call, faults, written) = (0, 1, 0)
        while faults > 0 {
            call += 1
            let files = SimulatedDisk()
            files.inject(.init(.inputOutput, call: call, isLasting: true))
            _ = try? process.backUp(to: files)
            faults = files.faultyCallCount
            files.resetCalls()
            guard try files.list(".").contains(Self.target) else { continue }
            let backup = try StoreProcess(files, directory: Self.target, isShared: false)
            try backup.insert(2)
            let image = files.crashImage(seed: 0, .nothing)
            await backup.close()
            #expect(try await StoreProcess.contents(image).keys.sorted() == [1, 2], "call \(call)")
            written += 1
        }
        // The case whose name was not synced, and the last one, in which nothing failed.
        #expect(written >= 2)
        await process.close()
    }

    // MARK: Encryption

    @Test(.enabled(if: SecretKey.isAvailable))
    func anotherKeyComesWithTheNextBackup() async throws {
        let files = SimulatedDisk()
        let old = try #require(UserKey.first)
        let new = try #require(old.other)
        func open(_ path: String, _ key: UserKey) throws -> StoreProcess {
            try StoreProcess(files, directory: path, isShared: false) { $0.encryptionKey = key }
        }
        let process = try open("store.realm", old)
        try process.insert(0..<200, textLength: 50)
        try process.engine.checkpoint()
        try process.backUp(to: files)
        try process.log.rekey(to: new)
        try process.insert(1000)
        let outcome = try process.backUp(to: files)
        #expect(outcome.hasNewKey)
        #expect(outcome.isIncremental && outcome.kept > 0)
        let copy = try open(Self.target, new)
        #expect(copy.contents == process.contents)
        #expect(try copy.problems() == [])
        await copy.close()
        #expect(throws: StorageError.wrongKey(path: Self.target)) {
            try open(Self.target, old)
        }
        await process.close()
    }
}

/// Files of which the horizon cannot be written for lack of space, on request.
private final class FilesWithFullHorizon: WrappedFiles {
    let base: any FileSystem
    let isFull = Atomic<Bool>(false)

    init(_ base: any FileSystem) { self.base = base }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix("/horizon") ? FullHorizon(base: file, files: self) : file
    }
}

private final class FullHorizon: WrappedFile {
    let base: any File
    private let files: FilesWithFullHorizon

    init(base: any File, files: FilesWithFullHorizon) {
        (self.base, self.files) = (base, files)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        if files.isFull.load(ordering: .relaxed) { throw .outOfSpace(path: "horizon") }
        try base.write(bytes, at: offset)
    }
}
