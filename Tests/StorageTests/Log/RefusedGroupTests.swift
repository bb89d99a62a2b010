import StorageHarness
import Testing

@testable import Storage

/// Groups that a disk has no space for after a part of them was written, which is so where nothing
/// is written in place: they are refused, and not there afterwards.
@Suite struct RefusedGroupTests {
    @Test func nothingStaysOfWhatIsRefused() throws {
        for seed in testSeeds(40) {
            do {
                try RefusedGroups().run(seed: seed)
            } catch {
                throw Violation("SEED=\(seed): \(error)")
            }
        }
    }

    /// The log takes back what it has written, in its segments and of new ones; each of these does
    /// not let it.
    @Test(arguments: [StickyFiles.Kept.bytes, .segments])
    func whatIsNotTakenBackIsFound(_ kept: StickyFiles.Kept) {
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

/// Appends groups that end in zeros, as blocks of values may, to a log on a disk with a few blocks
/// left, and opens it again after crashes.
private struct RefusedGroups {
    var files: (SimulatedDisk) -> any FileSystem = { $0 }

    private static var options: LogOptions {
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
