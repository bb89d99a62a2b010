import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Handovers of the writer lease while something fails, or is still pending.
@Suite struct HandoverTests {
    /// The segments of a rolled back transaction were removed by their numbers after another
    /// process had taken the lease, and had created page files with these numbers.
    @Test func abandonedSpillsAreRemovedOnlyUnderTheirLease() async throws {
        let disk = SimulatedDisk()
        let first = try StoreProcess(disk) { options in
            options.preparesInBackground = true
            options.pageCommitBytes = 3_000
            options.spillBytes = 30_000
        }
        try first.insert(0..<10)
        await first.waitForLogThread()
        try first.engine.beginBody()
        first.add(10..<9_000, to: first.engine.tree)
        #expect(first.engine.tree.spill != nil)
        // The log thread is busy until the other process has written.
        let gate = DispatchSemaphore(value: 0)
        first.engine.thread.run { gate.wait() }
        first.engine.rollBack()
        first.engine.endBody(nil, waiter: .nobody)
        try first.follower.releaseLease()

        let other = try StoreProcess(disk)
        try other.insert(10..<200)
        try other.engine.checkpoint()
        gate.signal()
        await first.waitForLogThread()
        #expect(try other.problems() == [])
        await other.close()
        await first.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers == Array(0..<200))
        #expect(try again.problems() == [])
        await again.close()
    }

    /// An idle follower kept the space of files that the writer had removed until it had followed
    /// some MB of log: on a small disk, nothing could be written although everything was deleted.
    @Test func anIdleFollowerReleasesRemovedFiles() async throws {
        let disk = OpenFileCounter(SimulatedDisk())
        let first = try StoreProcess(disk, StoreProcess.smallPages)
        try first.insert(0..<400, textLength: 60)
        try first.engine.checkpoint()
        try first.follower.releaseLease()
        let other = try StoreProcess(disk, StoreProcess.smallPages)
        try other.write { _ in other.delete(0..<390) }
        try other.compact()
        try first.follower.follow()
        let before = disk.unlinkedOpenFiles
        #expect(before > 0)
        try first.follower.renew()
        #expect(disk.unlinkedOpenFiles < before)
        #expect(first.checkpointer.contents.contents == other.checkpointer.contents.contents)
        #expect(first.numbers == Array(390..<400))
        #expect(first.engine.failure == nil)
        // It continues to follow.
        try other.insert(400)
        try first.follower.follow()
        #expect(first.numbers == Array(390..<401))
        await first.close()
        await other.close()
    }

    /// A follower detected only at its next write that its store was removed, or replaced.
    @Test(arguments: [false, true])
    func anIdleFollowerReportsThatItsStoreIsGone(isThereAnother: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(1)
        try process.follower.releaseLease()
        try StoreDirectory(fileSystem: disk, path: "store.realm").removeStore()
        if isThereAnother {
            let other = try StoreProcess(disk)
            try other.insert(2)
            await other.close()
        }
        try process.follower.follow()
        #expect(throws: StorageError.replaced(path: "store.realm")) {
            try process.follower.renew()
        }
        #expect(process.numbers == [1])
        await process.close()
    }

    /// A follower that failed while it switched to a newer checkpoint used the accounting of its
    /// page files with the old tree from then on: the next checkpoint lost data.
    @Test func aFailedSwitchKeepsTheAccountingOfThePageFiles() async throws {
        var failures = 0
        for call in 8...40 {
            let disk = SimulatedDisk()
            let tune: (inout LogOptions) -> Void = { options in
                options.pages.segmentSizeMin = 32 << 10
                options.pages.segmentSizeGrown = 32 << 10
                // The log that was read is not moved.
                options.segmentSizeMin = 256 << 10
                options.segmentSizeMax = 256 << 10
            }
            let first = try StoreProcess(disk, replayedMax: 0, tune)
            try first.insert(0..<4_000)
            try first.engine.checkpoint()
            try first.follower.releaseLease()

            let other = try StoreProcess(disk, tune)
            let deleted = (0..<4_000).filter { $0 / 500 % 2 == 0 }
            try other.write { $0.delete(StoreProcess.item, deleted.map { RowKey(Int64($0)) }) }
            try other.log.sync()
            try first.follower.follow()
            #expect(first.numbers.count == 2_000)
            try other.compact()
            try other.insert(4_000..<4_010)
            await other.close()

            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            do { try first.follower.follow() } catch { failures += 1 }
            disk.resetCalls()
            if first.engine.failure == nil {
                try first.takeOver()
                try first.insert(4_010)
                try first.engine.checkpoint()
                #expect(try first.problems() == [], "call \(call)")
            }
            await first.close()
            let again = try StoreProcess(disk, tune)
            #expect(again.numbers.starts(with: 500..<1_000), "call \(call)")
            #expect(try again.problems() == [], "call \(call)")
            await again.close()
        }
        #expect(failures > 10)
    }

    /// A process that could not open all page files when it released the lease read its own commits
    /// again, and applied them a second time.
    @Test func aFailedReleaseDoesNotReplayOwnCommits() async throws {
        var failures = 0
        for call in 1...30 {
            let disk = SimulatedDisk()
            do {
                let made = try StoreProcess(disk, StoreProcess.smallPages)
                try made.insert(0..<200, textLength: 100)
                try made.engine.checkpoint()
                await made.close()
            }
            let writer = try StoreProcess(disk, StoreProcess.smallPages)
            for tag in Int64(1)...5 {
                try writer.write {
                    $0.listAppend(
                        contentsOf: [.int(tag)], StoreProcess.item, RowKey(0), StoreProcess.tags)
                }
            }
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            try? writer.follower.releaseLease()
            failures += disk.faultyCallCount
            disk.resetCalls()
            try? writer.follower.follow()
            #expect(writer.tags(of: RowKey(0)) == [1, 2, 3, 4, 5], "call \(call)")
            let versions = writer.publishedVersions
            #expect(versions == versions.sorted(), "call \(call)")
            #expect(Set(versions).count == versions.count, "call \(call)")
            await writer.close()
            let again = try StoreProcess(disk, StoreProcess.smallPages)
            #expect(again.tags(of: RowKey(0)) == [1, 2, 3, 4, 5], "call \(call)")
            await again.close()
        }
        #expect(failures > 3)
    }

    /// A relaxed process had read the first part of a commit, for which the disk then had no space,
    /// and was beyond the end of the log when it became the writer.
    @Test func revokedFramesAreReadAgain() async throws {
        var revoked = 0
        for call in 1...60 {
            let disk = SimulatedDisk()
            let relaxed: (inout LogOptions) -> Void = { $0.durability = .written }
            let other = try StoreProcess(disk, relaxed)
            try other.insert(1)
            try other.follower.releaseLease()
            let writer = try StoreProcess(disk, relaxed)
            #expect(writer.numbers == [1])
            disk.resetCalls()
            disk.inject(.init(.noSpace, call: call, isLasting: true))
            // Safety: the disk calls back in place, on this thread.
            nonisolated(unsafe) var hasRead = false
            // Safety: as above.
            nonisolated(unsafe) let follower = other.follower
            disk.observe { call in
                guard call.moment == .after, call.operation == .write, call.path.hasSuffix(".log")
                else { return }
                let before = follower.position
                try? follower.follow()
                if follower.position > before { hasRead = true }
            }
            try? writer.insert(2..<3, textLength: 40_000)
            disk.observe(nil)
            disk.resetCalls()
            if hasRead, writer.numbers == [1], writer.engine.failure == nil { revoked += 1 }
            if writer.engine.failure == nil { try writer.insert(3) }
            let expected = writer.numbers
            if writer.engine.failure == nil {
                // The same applies to followers.
                try other.follower.follow()
                #expect(other.numbers == expected, "call \(call)")
            }
            try? writer.follower.releaseLease()
            try other.takeOver()
            if writer.engine.failure == nil {
                #expect(other.numbers == expected, "call \(call)")
            }
            try other.insert(4)
            let numbers = other.numbers
            await other.close()
            await writer.close()
            let again = try StoreProcess(disk, relaxed)
            #expect(again.numbers == numbers, "call \(call)")
            await again.close()
        }
        #expect(revoked > 0)
    }

    /// Another process removed page files of a version that was held while the store was reopened,
    /// and the reopened store reported that as damage.
    @Test(arguments: [2, 128])
    func versionsThatAreHeldOverAReopeningStayReadable(filesMax: Int) async throws {
        let disk = SimulatedDisk()
        let account = NodeAccount()
        let few: (inout LogOptions) -> Void = { options in
            StoreProcess.smallPages(&options)
            options.pages.openFilesMax = filesMax
        }
        do {
            let made = try StoreProcess(disk, StoreProcess.smallPages)
            try made.insert(0..<2_000)
            try made.engine.checkpoint()
            await made.close()
        }
        var held: SnapshotRoot?
        do {
            let before = try StoreProcess(disk, account: account, few)
            held = before.engine.latest
            await before.close()
        }

        let other = try StoreProcess(disk, StoreProcess.smallPages)
        try other.write { _ in other.delete(0..<1_900) }
        try other.compact()
        await other.close()

        let process = try StoreProcess(disk, account: account, few)
        #expect(process.numbers == Array(1_900..<2_000))
        #expect(Self.numbers(of: try #require(held)) == Array(0..<2_000))
        #expect(process.engine.failure == nil)
        held = nil
        try process.insert(2_000)
        try process.engine.checkpoint()
        // They are not needed any more.
        let pages = process.checkpointer.pages
        #expect(Set(pages.openIndexes).isSubset(of: try pages.list()))
        await process.close()
    }

    private static func numbers(of root: SnapshotRoot) -> [Int64] {
        let view = root.view.classView(StoreProcess.item)
        return (0..<view.count).map { position in
            let row = view.row(at: position)
            return row.cluster.int(0, row.slot)
        }
    }

    /// Segments that the last checkpoint of a process had emptied, and that were removed after it,
    /// permanently stayed in the accounting of the next writers.
    @Test func removedSegmentsLeaveTheAccount() async throws {
        let disk = SimulatedDisk()
        let first = try StoreProcess(disk, StoreProcess.smallPages)
        try first.insert(0..<2_000)
        try first.engine.checkpoint()
        try first.write { _ in first.delete(0..<1_900) }
        try first.compact()
        await first.close()

        let second = try StoreProcess(disk, StoreProcess.smallPages)
        try second.insert(2_000)
        try second.engine.checkpoint()
        let known = Set(second.checkpointer.contents.segments.values.map(\.index))
        #expect(known.isSubset(of: try second.checkpointer.pages.list()))
        await second.close()
    }

    /// A superblock whose sync had failed was considered durable by the next writer, which
    /// overwrote the previous one: after a power failure, none was left.
    @Test func aSuperblockIsReplacedOnlyWhenTheOtherIsDurable() async throws {
        let disk = SimulatedDisk()
        let small: (inout LogOptions) -> Void = { options in
            StoreProcess.smallPages(&options)
            // So that checkpoints make the previous log obsolete.
            options.segmentSizeMin = 2_048
            options.segmentSizeMax = 2_048
        }
        let first = try StoreProcess(disk, small)
        for round in Int64(0)..<3 {
            try first.insert(round * 100..<(round + 1) * 100)
            try first.engine.checkpoint()
        }
        try first.insert(300..<400)
        disk.failNextSync(of: "superblock")
        #expect(throws: StorageError.self) { try first.engine.checkpoint() }
        await first.close()

        let second = try StoreProcess(disk, small)
        try second.insert(400..<500)
        // The power fails while it is written.
        let images = Mutex<[SimulatedDisk]>([])
        disk.observe { call in
            guard call.moment == .before, call.operation == .sync, call.path.hasSuffix("superblock")
            else { return }
            images.withLock { images in
                images += (UInt64(0)..<200).map { disk.crashImage(seed: $0, .random) }
            }
        }
        try second.engine.checkpoint()
        disk.observe(nil)
        await second.close()
        #expect(images.withLock { $0.count } >= 200)
        for (seed, image) in images.withLock({ $0 }).enumerated() {
            let again = try StoreProcess(image, small)
            #expect(again.numbers == Array(0..<500), "seed \(seed)")
            await again.close()
        }
    }
}
