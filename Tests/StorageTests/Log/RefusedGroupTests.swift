import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Groups of which a part was written when the disk ran out of space, as on a copy-on-write file
/// system: they are refused, and do not reappear.
@Suite struct RefusedGroupTests {
    @Test func aRefusedGroupIsErased() throws {
        for seed in testSeeds(40) {
            do {
                try RefusedGroups().run(seed: seed)
            } catch {
                throw Violation("SEED=\(seed): \(error)")
            }
        }
    }

    /// Whether a log has no space for a commit.
    private func refuses(_ commit: TestCommit, _ opened: OpenedLog) throws -> Bool {
        do {
            try opened.append([commit])
            return false
        } catch StorageError.outOfSpace {
            return true
        }
    }

    /// A begun segment was removed without being cleared. The power failed while the next one was
    /// created with its number, in the same blocks: the commit reappeared, or the store was refused
    /// because that segment did not continue the previous one.
    @Test(arguments: [20 << 10, 80 << 10])
    func aRefusedGroupIsNotFoundInReusedBlocks(length: Int) throws {
        let first = TestCommit(1, length: 700)
        var large = TestCommit(2, length: length)
        // The second half of the shorter one is zeros.
        if length < 32 << 10 {
            for index in 2_000..<length { large.payload[index] = 0 }
        }
        var refusals = 0
        for call in 1...40 {
            let disk = SimulatedDisk()
            let removed = Mutex<[String: [UInt8]]>([:])
            do {
                let opened = try OpenedLog(disk, "store.realm", RefusedGroups.options)
                try opened.append([first])
                disk.resetCalls()
                disk.inject(.init(.shortWrite, call: call))
                disk.observe { call in
                    guard call.moment == .before, call.operation == .remove,
                        call.path.hasSuffix(".log"), let bytes = try? disk.contents(of: call.path)
                    else { return }
                    removed.withLock { $0[call.path] = bytes }
                }
                defer { disk.observe(nil) }
                guard try refuses(large, opened) else { continue }
            }
            refusals += 1
            disk.crash(seed: 0, .everything)
            let next = removed.withLock { $0.min { $0.key < $1.key } }
            if let next { try disk.replace(next.key, with: next.value) }
            let found = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            #expect(found.commits == [first], "call \(call)")
            let other = TestCommit(2, length: 30_000)
            try found.append([other])
            try found.log.close()
            let again = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            #expect(again.commits == [first, other], "call \(call)")
        }
        #expect(refusals > 0)
    }

    /// The first frame of a writer follows its epoch frame, and revoking must erase both. The end
    /// of the frame remained.
    @Test func aRefusedEpochIsErased() throws {
        var refusals = 0
        for call in 1...20 {
            let disk = SimulatedDisk()
            let first = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            try first.append([TestCommit(1, length: 100)])
            try first.log.close()
            let opened = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            let end = try #require(opened.log.end)
            let start = SegmentHeader.size + Int(end.position.rawValue)
            disk.resetCalls()
            disk.inject(.init(.shortWrite, call: call))
            guard try refuses(TestCommit(2, length: 1), opened) else { continue }
            refusals += 1
            let bytes = try disk.contents(of: "store.realm/log/" + end.segment.fileName)
            #expect(bytes.count > start && bytes[start...].allSatisfy { $0 == 0 }, "call \(call)")
        }
        #expect(refusals > 0)
    }

    /// A refused group, which met another failure before it was written again, was reported as
    /// having an unknown outcome.
    @Test func aRevokedGroupHasNotBegun() throws {
        var refusals = 0
        for call in 1...20 {
            let disk = SimulatedDisk()
            let opened = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            try opened.append([TestCommit(1, length: 100)])
            disk.resetCalls()
            disk.inject(.init(.shortWrite, call: call))
            let group = CommitGroupBuffer(capacity: 1024)
            try group.append(TestCommit(2, length: 700))
            do {
                try opened.log.append(group)
                #expect(group.hasBegun, "call \(call)")
            } catch StorageError.outOfSpace {
                refusals += 1
                #expect(!group.hasBegun, "call \(call)")
            }
        }
        #expect(refusals > 0)
    }

    /// There was no space to remove the segments of a refused group, as may happen on a
    /// copy-on-write file system: the store stopped.
    @Test(arguments: [true, false])
    func aBegunSegmentThatCannotBeRemovedIsCleared(takesZeros: Bool) throws {
        let first = TestCommit(1, length: 700)
        let (large, other) = (TestCommit(2, length: 80 << 10), TestCommit(2, length: 30_000))
        var refusals = 0
        for call in 1...40 {
            let disk = SimulatedDisk()
            let files = FullFiles(disk)
            let opened = try OpenedLog(files, "store.realm", RefusedGroups.options)
            try opened.append([first], onlyDeletes: false)
            files.hasOnlyReserve.store(true, ordering: .relaxed)
            files.keepsBegins.store(!takesZeros, ordering: .relaxed)
            disk.resetCalls()
            disk.inject(.init(.shortWrite, call: call))
            guard try refuses(large, opened) else { continue }
            refusals += files.refusals.load(ordering: .relaxed)
            let image = disk.crashImage(seed: 0, .everything)
            let found = try OpenedLog(image, "store.realm", RefusedGroups.options)
            #expect(found.commits == [first], "call \(call)")
            // There is space again.
            files.hasOnlyReserve.store(false, ordering: .relaxed)
            try opened.append([other], onlyDeletes: false)
            try opened.log.close()
            let again = try OpenedLog(disk, "store.realm", RefusedGroups.options)
            #expect(again.commits == [first, other], "call \(call)")
        }
        #expect(refusals > 0)
    }

    /// A power failure had left a prepared segment at the path of the next one. Without space to
    /// remove it, the store stopped.
    @Test func aLeftoverSegmentThatCannotBeRemovedIsARefusal() throws {
        let disk = SimulatedDisk()
        let files = FullFiles(disk)
        let opened = try OpenedLog(files, "store.realm", RefusedGroups.options)
        let commits = [TestCommit(1, length: 700), TestCommit(2, length: 20_000)]
        try opened.append([commits[0]])
        let end = try #require(opened.log.end)
        _ = try disk.open(opened.log.store.path(of: end.segment.next), .create)
        files.isFull.store(true, ordering: .relaxed)
        #expect(try refuses(commits[1], opened))
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        files.isFull.store(false, ordering: .relaxed)
        try opened.append([commits[1]])
        try opened.log.close()
        let again = try OpenedLog(disk, "store.realm", RefusedGroups.options)
        #expect(again.commits == commits)
    }

    /// In a relaxed store, a commit was refused repeatedly if the previous segment could not be
    /// synced for lack of space. The commits in that segment may be lost by then, which was not
    /// reported.
    @Test func aSegmentThatLacksTheSpaceToBeSyncedIsAFailure() throws {
        let files = UnsyncedFiles(SimulatedDisk(), SegmentIndex.first.fileName)
        var options = LogOptions.small
        options.durability = .written
        let opened = try OpenedLog(files, "store.realm", options)
        try opened.append([TestCommit(1, length: 100)])
        files.isFull.store(true, ordering: .relaxed)
        #expect {
            try opened.append([TestCommit(2, length: 4_000)])
        } throws: { error in
            if case .io(.sync, _, _)? = error as? StorageError { true } else { false }
        }
        files.isFull.store(false, ordering: .relaxed)
        #expect(opened.log.failure != nil)
        #expect(throws: StorageError.self) { try opened.append([TestCommit(2, length: 10)]) }
    }

    /// The log revokes what it has written to existing and new segments; each of them prevents
    /// that.
    @Test(arguments: [StickyFiles.Kept.bytes, .segments])
    func unrevokedBytesAreDetected(_ kept: StickyFiles.Kept) {
        let caught = testSeeds(300).contains { seed in
            var harness = RefusedGroups()
            harness.files = { StickyFiles(base: $0, kept: kept) }
            do {
                try harness.run(seed: seed)
                return false
            } catch {
                return error is Violation
            }
        }
        #expect(caught)
    }
}

/// A file system on which some files cannot be synced for lack of space, as if blocks were
/// allocated only then, while the disk is full.
private final class UnsyncedFiles: WrappedFiles {
    let base: any FileSystem
    let isFull = Atomic<Bool>(false)
    private let suffix: String

    init(_ base: any FileSystem, _ suffix: String) {
        self.base = base
        self.suffix = suffix
    }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(suffix) ? UnsyncedFile(file, path, self) : file
    }
}

private final class UnsyncedFile: WrappedFile {
    let base: any File
    private let path: String
    private let files: UnsyncedFiles

    init(_ base: any File, _ path: String, _ files: UnsyncedFiles) {
        (self.base, self.path, self.files) = (base, path, files)
    }

    func sync() throws(StorageError) {
        if files.isFull.load(ordering: .relaxed) {
            throw .io(operation: .sync, path: path, errno: Platform.noSpace)
        }
        try base.sync()
    }
}

/// Appends groups that end in zeros, as blocks of values may, to a log on a disk with few free
/// blocks, and opens it again after crashes.
private struct RefusedGroups {
    var files: (SimulatedDisk) -> any FileSystem = { $0 }

    static var options: LogOptions {
        var options = LogOptions()
        options.segmentSizeMin = 16 << 10
        options.segmentSizeMax = 32 << 10
        options.preparesInBackground = false
        return options
    }

    func run(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let files = files(disk)
        disk.limit(to: nil, copiesOnWrite: true)
        var opened = try OpenedLog(files, "store.realm", Self.options)
        var expected: [TestCommit] = []
        for _ in 0..<16 {
            let size = random.oneIn(4) ? 80 << 10 : 12 << 10
            var commit = TestCommit(
                UInt64(expected.count + 1), length: 1 + random.next(below: size))
            let end = random.next(below: commit.payload.count)
            for index in end..<commit.payload.count { commit.payload[index] = 0 }
            if random.oneIn(2) {
                let blocks = random.next(below: random.oneIn(2) ? 4 : 24)
                disk.limit(to: disk.usedBytes + blocks * 4096, copiesOnWrite: true)
            }
            do {
                try opened.append([commit])
                expected.append(commit)
            } catch StorageError.outOfSpace {}
            disk.limit(to: nil, copiesOnWrite: true)
            guard random.oneIn(2) else { continue }
            disk.crash(seed: random.next())
            opened = try OpenedLog(files, "store.realm", Self.options)
            guard opened.commits == expected else {
                throw Violation("\(opened.commits.count) commits, not \(expected.count)")
            }
        }
    }
}
