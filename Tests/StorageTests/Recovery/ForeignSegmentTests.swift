import StorageHarness
import Testing

@testable import Storage

/// Segments of another realm's log: files that were not written before a power failure, in blocks
/// of a deleted realm, and files that were copied there.
@Suite struct ForeignSegmentTests {
    private struct TestRealm {
        let disk = SimulatedDisk()
        let database: Bits128
        let commits: [TestCommit]

        init(commits count: Int) throws {
            let opened = try OpenedLog(disk)
            commits = (0..<count).map { TestCommit(UInt64($0 + 1), length: 700) }
            for commit in commits { try opened.append([commit]) }
            try opened.log.close()
            database = opened.log.database
        }

        var segmentCount: Int { disk.files.count { $0.path.hasSuffix(".log") } }

        /// Copies one of its segments into the log of another realm.
        func lend(_ number: Int, to other: TestRealm) throws {
            let path = "store.realm/log/" + SegmentIndex(UInt32(number)).fileName
            try other.disk.replace(path, with: disk.contents(of: path))
        }

        /// Opens it, writes a large commit, and opens it again.
        func checkAndWrite() throws {
            let read = try OpenedLog(disk, "store.realm", LogOptions.small.reading)
            #expect(read.commits == commits)
            let opened = try OpenedLog(disk)
            #expect(opened.commits == commits && opened.log.database == database)
            let next = TestCommit(UInt64(commits.count + 1), length: 20_000)
            try opened.append([next])
            try opened.log.close()
            let again = try OpenedLog(disk)
            #expect(again.commits == commits + [next] && again.log.database == database)
        }

        func expectDamage() throws {
            for options in [LogOptions.small.reading, .small] {
                #expect {
                    try OpenedLog(disk, "store.realm", options)
                } throws: { error in
                    if case StorageError.corrupted? = error as? StorageError { true } else { false }
                }
            }
            let store = StoreDirectory(fileSystem: disk, path: "store.realm")
            #expect(try store.readSuperblock()?.database == database)
        }
    }

    /// The realm became the deleted one: its superblock was overwritten, and the deleted data
    /// reappeared.
    @Test func anUnwrittenFirstSegmentDoesNotRestoreAnotherRealm() throws {
        let realm = try TestRealm(commits: 0)
        try TestRealm(commits: 3).lend(1, to: realm)
        try realm.checkAndWrite()
    }

    /// An undamaged store was refused as damaged.
    @Test func anUnwrittenSpareIsSkipped() throws {
        let realm = try TestRealm(commits: 12)
        let other = try TestRealm(commits: 40)
        let next = realm.segmentCount + 1
        try #require(next > 2 && other.segmentCount >= next)
        try other.lend(next, to: realm)
        try realm.checkAndWrite()
    }

    @Test func statesThatNoCrashLeavesAreDamage() throws {
        let other = try TestRealm(commits: 40)
        // A whole log with the superblock of another store.
        let empty = try TestRealm(commits: 0)
        for number in 1...other.segmentCount { try other.lend(number, to: empty) }
        try empty.expectDamage()
        // One of its own segments follows.
        let mixed = try TestRealm(commits: 12)
        try other.lend(1, to: mixed)
        try mixed.expectDamage()
    }
}
