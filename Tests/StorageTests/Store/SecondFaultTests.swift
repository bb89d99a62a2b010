import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Failures during the handling of a failure.
@Suite struct SecondFaultTests {
    /// A superblock that was refused for lack of space was written slot by slot; without space for
    /// the second slot, the checkpoint was treated as refused and its page files were removed,
    /// although the first copy was durable, and the newest.
    @Test func aSuperblockWithOneCopyIsWritten() async throws {
        for isFullyRefused in [false, true] {
            let disk = SimulatedDisk()
            let process = try StoreProcess(disk)
            try process.insert(0..<300)
            try process.engine.checkpoint()
            try process.insert(300..<600)
            let writes = Mutex(0)
            let refused: Set = isFullyRefused ? [1, 2, 3, 4, 5, 6] : [1, 3, 4, 6]
            disk.observe { call in
                guard call.moment == .before, call.operation == .write,
                    call.path.hasSuffix("superblock")
                else { return }
                let number = writes.withLock { count in
                    count += 1
                    return count
                }
                guard refused.contains(number) else { return }
                disk.inject(.init(.noSpace, call: disk.callCount + 1))
            }
            try? process.engine.checkpoint()
            disk.observe(nil)
            disk.resetCalls()
            #expect(writes.withLock { $0 } >= 2)
            let image = disk.crashImage(seed: 1, .everything)
            let found = try StoreProcess(image)
            #expect(found.numbers.elementsEqual(0..<600))
            #expect(try found.problems() == [])
            await found.close()
            try process.insert(600)
            await process.close()
            let again = try StoreProcess(disk)
            #expect(again.numbers.elementsEqual(0..<601))
            #expect(try again.problems() == [])
            await again.close()
        }
    }

    /// If the superblock of a checkpoint that frees space for a deletion could not be written, the
    /// deletion continued and removed page files that the superblock, if it was on the disk, refers
    /// to.
    @Test func filesOfAFailedSuperblockAreKept() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        try process.engine.checkpoint()
        try process.insert(300..<900)
        let isFull = Atomic<Bool>(true)
        let hasFailed = Atomic<Bool>(false)
        disk.observe { call in
            guard call.moment == .before else { return }
            if call.operation.takesSpace, call.path.hasSuffix(".log"),
                isFull.exchange(false, ordering: .relaxed)
            {
                disk.inject(.init(.noSpace, call: disk.callCount + 1))
            } else if call.operation == .sync, call.path.hasSuffix("superblock") {
                hasFailed.store(true, ordering: .relaxed)
                disk.inject(.init(.inputOutput, call: disk.callCount + 1))
            }
        }
        try process.write { _ in process.delete(0..<600) }
        disk.observe(nil)
        let failed = hasFailed.load(ordering: .relaxed)
        #expect(failed)
        #expect(process.engine.failure != nil)
        let image = disk.crashImage(seed: 1, .everything)
        await process.close()
        let found = try StoreProcess(image)
        #expect(found.numbers.elementsEqual(0..<900))
        #expect(try found.problems() == [])
        await found.close()
    }

    /// A copy that had found an unreadable node succeeded if the store was reopened before its end.
    @Test func aCopyThatCouldNotReadEverythingFails() async throws {
        var failures = 0
        for call in 1...40 {
            let disk = SimulatedDisk()
            let account = NodeAccount()
            do {
                let made = try StoreProcess(disk)
                try made.insert(0..<2_000)
                try made.engine.checkpoint()
                await made.close()
            }
            let process = try StoreProcess(disk, account: account)
            let snapshot = process.engine.latest
            let files = MemoryFileSystem()
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            let monitor = ReadingMonitor { _ in
                // As a reopening does.
                if disk.faultyCallCount > 0 { account.clearFailure() }
            }
            do {
                try StoreCopy(of: snapshot, to: files, directory: "copy.realm", monitor: monitor)
                    .write()
            } catch {
                failures += 1
                #expect(throws: StorageError.self) { _ = try files.list("copy.realm") }
                continue
            }
            let copy = try StoreProcess(files, directory: "copy.realm")
            #expect(copy.numbers.elementsEqual(0..<2_000), "call \(call)")
            #expect(try copy.problems() == [], "call \(call)")
            await copy.close()
            await process.close()
        }
        #expect(failures > 3)
    }

    /// Right after a compaction, a follower of the commits after the newest version got an error:
    /// they no longer exist.
    @Test func commitsBehindACompactionAreRead() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<50)
        try process.compact(isFull: true)
        var newest = try HistoryCursor(latestOf: process.engine)
        var named = try HistoryCursor(behind: process.engine.tip, of: process.engine)
        try process.insert(50)
        #expect(try newest.next(of: process.engine)?.map(\.version) == [process.engine.tip])
        #expect(try named.next(of: process.engine)?.map(\.version) == [process.engine.tip])
        await process.close()
    }
}
