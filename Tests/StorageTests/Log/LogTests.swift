import StorageHarness
import Testing

@testable import Storage

@Suite struct LogTests {
    @Test func replaysWhatWasAppended() throws {
        let disk = MemoryFileSystem()
        var all: [TestCommit] = []
        for round in 0..<4 {
            let opened = try OpenedLog(disk)
            #expect(opened.commits == all)
            #expect(opened.log.report.isNew == (round == 0))
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
        #expect(try disk.list("store.realm/log").count > 5)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 1900, 7000, 8192, 20_000, 100_000])
    func putsLargeTransactionsTogether(length: Int) throws {
        let disk = MemoryFileSystem()
        let commits = [
            TestCommit(1, length: 10), TestCommit(2, length: length), TestCommit(3, length: 5),
        ]
        let opened = try OpenedLog(disk)
        try opened.append([commits[0]])
        try opened.append([commits[1]])
        try opened.append([commits[2]])
        try opened.log.close()
        #expect(try OpenedLog(disk).commits == commits)
    }

    @Test func worksOnRealFiles() throws {
        try withTemporaryDirectory { path in
            let files = POSIXFileSystem()
            let store = path + "/a.realm"
            let commits = (1...200).map { TestCommit($0, length: Int($0 % 90)) }
            let opened = try OpenedLog(files, store, LogOptions())
            for commit in commits { try opened.append([commit]) }
            let process = Int32(bitPattern: Platform.processIdentifier)
            #expect(throws: StorageError.alreadyOpen(path: store, process: process)) {
                try OpenedLog(files, store, LogOptions())
            }
            #expect(try OpenedLog(files, store, LogOptions().reading).commits == commits)
            try opened.log.close()
            #expect(try OpenedLog(files, store, LogOptions()).commits == commits)
        }
    }

    @Test func refusesOtherFiles() throws {
        try withTemporaryDirectory { path in
            let files = POSIXFileSystem()
            _ = try files.open(path + "/notes.txt", .create)
            #expect(throws: StorageError.self) { try OpenedLog(files, path) }
            #expect(throws: StorageError.self) { try OpenedLog(files, path + "/notes.txt") }
            #expect(try files.list(path) == ["notes.txt"])
            #expect(throws: StorageError.fileNotFound(path: path + "/none")) {
                try OpenedLog(files, path + "/none", LogOptions.small.reading)
            }
        }
    }

    @Test func remakesALostSuperblock() throws {
        let disk = MemoryFileSystem()
        let commit = TestCommit(1, length: 20)
        let opened = try OpenedLog(disk)
        try opened.append([commit])
        try opened.log.close()
        try disk.remove("store.realm/superblock")
        let again = try OpenedLog(disk)
        #expect(again.commits == [commit])
        #expect(again.log.database == opened.log.database)
    }

    @Test func refusesWithoutSpaceAndContinues() throws {
        let disk = SimulatedDisk()
        let opened = try OpenedLog(disk)
        try opened.append([TestCommit(1, length: 10)])
        disk.resetCalls()
        disk.inject(.init(.noSpace, call: 1, isLasting: true))
        #expect(throws: StorageError.self) { try opened.append([TestCommit(2, length: 5000)]) }
        #expect(opened.log.failure == nil)
        disk.resetCalls()
        try opened.append([TestCommit(2, length: 5000)])
        try opened.log.close()
        #expect(try OpenedLog(disk).commits.map(\.version.rawValue) == [1, 2])
    }

    /// A segment was created with additional room, and larger than an opening accepts.
    @Test func aSpaceSavingSegmentIsNotLargerThanOthers() throws {
        let disk = SimulatedDisk()
        let opened = try OpenedLog(disk)
        try opened.append([TestCommit(1, length: 10)])
        let group = CommitGroupBuffer(capacity: 1024)
        try group.append(TestCommit(2, length: 7_800))
        try opened.log.appendUsingReserve(group)
        let lengths = disk.files.filter { $0.path.hasSuffix(".log") }.map(\.length)
        #expect(lengths.count == 2)
        #expect(lengths.allSatisfy { $0 <= LogOptions.small.segmentSizeMax })
    }

    @Test func latchesAfterAFailedSync() throws {
        let disk = SimulatedDisk()
        let opened = try OpenedLog(disk)
        try opened.append([TestCommit(1, length: 10)])
        disk.resetCalls()
        disk.inject(.init(.failedSync, call: 2))
        #expect(throws: StorageError.self) { try opened.append([TestCommit(2, length: 10)]) }
        #expect(throws: StorageError.self) { try opened.append([TestCommit(3, length: 10)]) }
        try? opened.log.close()
        // The bytes of the second commit are visible, but not on the medium: opening rewrites them.
        let again = try OpenedLog(disk)
        #expect(again.commits.map(\.version.rawValue) == [1, 2])
        #expect(again.log.report.rewrittenCommitCount == 1)
        disk.crash(seed: 1)
        #expect(try OpenedLog(disk).commits.map(\.version.rawValue) == [1, 2])
    }

    @Test func detectsEveryFlippedByteOfASealedLog() throws {
        let disk = SimulatedDisk()
        let opened = try OpenedLog(disk)
        for version in 1...3 { try opened.append([TestCommit(UInt64(version), length: 40)]) }
        try opened.log.close()
        let path = "store.realm/log/0000000001.log"
        let frames = EpochPayload.frameSize + 3 * (FrameHeader.size + 16 + 40) + FrameHeader.size
        for offset in 0..<SegmentHeader.size + frames {
            disk.damage(path, at: offset, mask: 0x10)
            let opening = Result { try OpenedLog(disk, "store.realm", LogOptions.small.reading) }
            #expect(throws: StorageError.self, "byte \(offset)") { try opening.get() }
            disk.damage(path, at: offset, mask: 0x10)
        }
        #expect(try OpenedLog(disk).commits.count == 3)
    }
}
