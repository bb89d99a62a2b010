import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Processes that temporarily have no descriptor left.
@Suite struct DescriptorTests {
    private static let smallSegments: @Sendable (inout LogOptions) -> Void = { options in
        options.segmentSizeMin = 2_048
        options.segmentSizeMax = 4_096
    }

    /// Commits one row; returns the error, or nil.
    private func insert(_ number: Int64, in process: StoreProcess) async throws -> StorageError? {
        try process.engine.beginBody()
        process.add(number..<number + 1, to: process.engine.tree, textLength: 1_500)
        let commit = try process.engine.encodeCommit(author: nil, time: 0)
        do {
            try await process.engine.end(commit)
            return nil
        } catch let error as StorageError {
            return error
        }
    }

    /// A commit that needed a new segment of the log permanently stopped the store.
    @Test(arguments: 0..<4)
    func aCommitIsRefusedAndWritingContinues(allowed: Int) async throws {
        let disk = SimulatedDisk()
        let files = ScarceFiles(disk)
        let process = try StoreProcess(files, Self.smallSegments)
        var numbers: [Int64] = []
        var refusals = 0
        for number in Int64(0)..<24 {
            files.allow(number > 2 && number % 3 != 1 ? allowed : nil)
            if let error = try await insert(number, in: process) {
                #expect(error.lacksDescriptors)
                #expect(error.description.contains("try again"))
                refusals += 1
            } else {
                numbers.append(number)
            }
            #expect(process.engine.failure == nil)
            #expect(process.numbers == numbers)
        }
        files.allow(nil)
        #expect(allowed > 1 || refusals > 4)
        #expect(numbers.count > 8)
        #expect(try process.problems() == [])
        disk.crash(seed: 1, .everything)
        let again = try StoreProcess(disk, Self.smallSegments)
        #expect(again.numbers == numbers)
        await again.close()
    }

    /// So did a checkpoint, whichever file it had to open.
    @Test func aCheckpointIsRetried() async throws {
        let disk = SimulatedDisk()
        let files = ScarceFiles(disk)
        let process = try StoreProcess(files, Self.smallSegments)
        var refusals = 0
        for allowed in 0..<24 {
            let first = Int64(allowed) * 10
            try process.insert(first..<first + 10, textLength: 100)
            files.allow(allowed)
            let before = files.refusals
            process.engine.checkpointOrLatch()
            if files.refusals > before { refusals += 1 }
            files.allow(nil)
            #expect(process.engine.failure == nil, "\(allowed) allowed")
            #expect(try process.problems() == [], "\(allowed) allowed")
        }
        #expect(refusals > 4)
        try process.insert(1_000)
        try process.engine.checkpoint()
        let wanted = process.numbers
        #expect(wanted.count == 241)
        disk.crash(seed: 1, .nothing)
        let again = try StoreProcess(disk, Self.smallSegments)
        #expect(again.numbers == wanted)
        #expect(try again.problems() == [])
        await again.close()
    }

    /// A page commit also needs a page file.
    @Test func aPageCommitIsRefusedAndWritingContinues() async throws {
        let disk = SimulatedDisk()
        let files = ScarceFiles(disk)
        let process = try StoreProcess(files) { options in
            options.makesPageCommits = true
            options.pageCommitBytes = 1_000
        }
        var numbers: [Int64] = []
        var refusals = 0
        for number in Int64(0)..<20 {
            files.allow(number % 2 == 0 ? Int(number / 2) : nil)
            if let error = try await insert(number, in: process) {
                #expect(error.lacksDescriptors)
                refusals += 1
            } else {
                numbers.append(number)
            }
            files.allow(nil)
            #expect(process.engine.failure == nil)
            #expect(process.numbers == numbers)
        }
        #expect(refusals > 0 && numbers.count >= 10)
        #expect(try process.problems() == [])
        disk.crash(seed: 1, .everything)
        let again = try StoreProcess(disk)
        #expect(again.numbers == numbers)
        await again.close()
    }

    /// If no file could be created for a new key, the store stopped.
    @Test(.enabled(if: SecretKey.isAvailable))
    func aKeyIsReplacedLater() async throws {
        let disk = SimulatedDisk()
        let files = ScarceFiles(disk)
        let (first, second) = (try UserKey.made(), try UserKey.made(2))
        let process = try StoreProcess(files) { $0.encryptionKey = first }
        try process.insert(0)
        files.allow(0)
        #expect(throws: StorageError.self) { try process.log.rekey(to: second) }
        files.allow(nil)
        #expect(process.engine.failure == nil)
        try process.log.rekey(to: second)
        try process.insert(1)
        #expect(process.numbers == [0, 1])
        await process.close()
        let again = try StoreProcess(disk) { $0.encryptionKey = second }
        #expect(again.numbers == [0, 1])
        await again.close()
    }

    /// A read without a descriptor at that moment stopped the store.
    @Test func aNodeIsReadWhenThereIsADescriptorAgain() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        try process.engine.checkpoint()
        await process.close()
        let left = Atomic<Int>(3)
        let files = RefusingFiles(disk) { path, _ in
            guard path.hasSuffix(".pages"), left.load(ordering: .relaxed) > 0 else { return nil }
            left.wrappingSubtract(1, ordering: .relaxed)
            return .io(operation: .open, path: path, errno: 24)
        }
        files.isRefusing = true
        let again = try StoreProcess(files)
        #expect(again.numbers.elementsEqual(0..<300))
        #expect(left.load(ordering: .relaxed) == 0)
        #expect(again.engine.failure == nil)
        await again.close()
    }

    /// A process that could not read the commits of another one when it got the writer lease never
    /// wrote again.
    @Test func theLeaseIsTakenOverLater() async throws {
        let disk = SimulatedDisk()
        let files = ScarceFiles(disk)
        let other = try StoreProcess(disk, Self.smallSegments)
        try other.insert(0)
        try other.follower.releaseLease()
        let process = try StoreProcess(files, Self.smallSegments)
        try process.follower.releaseLease()
        var number: Int64 = 1
        var refusals = 0
        for allowed in 0..<20 {
            try other.takeOver()
            try other.insert(number..<number + 20, textLength: 100)
            number += 20
            if allowed % 2 == 0 { try other.engine.checkpoint() }
            try other.follower.releaseLease()

            files.allow(allowed)
            do {
                try process.takeOver()
            } catch let error as StorageError {
                #expect(error.lacksDescriptors, "\(allowed) allowed: \(error)")
                refusals += 1
                try process.log.releaseLease()
            }
            files.allow(nil)
            #expect(process.engine.failure == nil, "\(allowed) allowed")
            if !process.log.isWriting { try process.takeOver() }
            #expect(process.numbers.elementsEqual(0..<number), "\(allowed) allowed")
            try process.insert(number)
            number += 1
            try process.follower.releaseLease()
        }
        #expect(refusals > 2)
        try other.takeOver()
        #expect(other.numbers.elementsEqual(0..<number))
        #expect(try other.problems() == [])
        await other.close()
        await process.close()
    }

    /// A process that follows others permanently ended its streams if it could not open their
    /// files.
    @Test func aFollowerContinuesWhenThereAreDescriptors() throws {
        try withTemporaryDirectory { root in
            let files = ScarceFiles(POSIXFileSystem())
            let path = root + "/store.realm"
            let writer = try StoreProcess(POSIXFileSystem(), directory: path)
            try writer.insert(0)
            let follower = try StoreProcess(files, directory: path)
            let failures = Atomic<Int>(0)
            let sharing = try follower.makeSharing { _ in
                failures.wrappingAdd(1, ordering: .relaxed)
            }
            sharing.begin()
            files.allow(0)
            try writer.insert(1)
            #expect(soon { files.refusals > 0 })
            files.allow(nil)
            // No later write would notify it.
            #expect(soon { follower.numbers == [0, 1] })
            #expect(failures.load(ordering: .relaxed) == 0)
            #expect(follower.engine.failure == nil)
            sharing.stopAndWait()
        }
    }
}
