import StorageHarness
import Testing

@testable import Storage

/// A store that has failed, while other processes use the writer lease.
@Suite struct FailedTakeOverTests {
    /// After a commit with an unknown outcome, a process let others write, took the writer lease
    /// back for a compaction, and continued after that commit with a tree that lacked it: its
    /// checkpoint lost a commit that others had read from the log.
    @Test func aFailedStoreNeverTakesTheLeaseAgain() async throws {
        let disk = SimulatedDisk()
        let failing = try StoreProcess(disk)
        try failing.insert(1)
        disk.failNextSync(of: ".log")
        try failing.insert(2)
        #expect(failing.engine.failure != nil)
        try? failing.follower.releaseLease()

        let other = try StoreProcess(disk)
        #expect(other.numbers == [1, 2])
        try other.insert(3)
        await other.close()

        do {
            let lock = try #require(try disk.lock("store.realm/writer.lock"))
            #expect(throws: StorageError.self) { try failing.follower.takeOver(lock) }
            #expect(failing.numbers == [1])
            try? failing.engine.checkpoint()
            withExtendedLifetime(lock) {}
        }
        await failing.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers == [1, 2, 3])
        await again.close()
    }

    /// A segment longer than the maximum was continued, and no opening could read the commits in
    /// it.
    @Test func anOversizedSegmentIsNotContinued() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(1)
        try process.follower.releaseLease()
        let end = try #require(process.log.end)
        let file = try disk.open(process.log.store.path(of: end.segment), .readWrite)
        let length = try file.size().length
        try file.allocate(SegmentContents.sizeMax + 8)
        #expect {
            try process.takeOver()
        } throws: { error in
            if case .corrupted? = error as? StorageError { true } else { false }
        }
        #expect(!process.log.isWriting)
        try file.truncate(to: length)
        try process.takeOver()
        try process.insert(2)
        await process.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers == [1, 2])
        await again.close()
    }

    /// A group that could not be applied counted as read, and later groups were applied to a tree
    /// that lacked it.
    @Test func aGroupThatCannotBeAppliedIsReadAgain() async throws {
        let disk = SimulatedDisk()
        let first = try StoreProcess(disk)
        try first.insert(1)
        try first.engine.checkpoint()
        try first.follower.releaseLease()
        let writer = try StoreProcess(disk)
        for number in Int64(2)...4 { try writer.insert(number) }
        await writer.close()
        disk.resetCalls()
        var failures = 0
        for call in 1...40 {
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            do { try first.follower.follow() } catch { failures += 1 }
            disk.resetCalls()
            #expect(Array(1...4).starts(with: first.numbers.map(Int.init)))
        }
        #expect(failures > 0)
        try first.follower.follow()
        #expect(first.numbers == [1, 2, 3, 4])
        await first.close()
    }
}
