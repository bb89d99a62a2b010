import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Versions frozen inside transactions that spilled some of their nodes, and were then rolled back.
@Suite struct FrozenSpillTests {
    private func spilling(_ options: inout LogOptions) {
        options.pageCommitBytes = 3_000
        options.spillBytes = 30_000
    }

    private func makeProcess(_ files: any FileSystem, inBackground: Bool) throws -> StoreProcess {
        let account = NodeAccount()
        account.budget.bytes = 100_000
        return try StoreProcess(files, account: account) { options in
            spilling(&options)
            options.preparesInBackground = inBackground
        }
    }

    private func numbers(of root: SnapshotRoot) -> [Int64] {
        let view = root.view.classView(StoreProcess.item)
        return (0..<view.count).map { position in
            let row = view.row(at: position)
            return row.cluster.int(0, row.slot)
        }
    }

    /// Files that are open and have no number any more.
    private func formerFiles(_ process: StoreProcess) -> Int {
        process.checkpointer.pages.former.withLock { former in
            (UInt32(1)..<100).reduce(0) { $0 + former.files(of: PageIndex($1)).count }
        }
    }

    /// Another process created files with the numbers of the files of such a version: reading it
    /// reported damage, and stopped the store.
    /// With `isPending`, the lease is released before the files could be removed.
    @Test(arguments: [false, true])
    func aVersionStaysReadableOverAHandover(isPending: Bool) async throws {
        let files = SimulatedDisk()
        let first = try makeProcess(files, inBackground: isPending)
        try first.insert(0..<10)
        await first.waitForLogThread()
        try first.engine.beginBody()
        first.add(10..<9_000, to: first.engine.tree)
        let account = first.engine.tree.account
        var frozen: SnapshotRoot? = first.engine.captureBody()
        let gate = DispatchSemaphore(value: 0)
        if isPending { first.engine.thread.run { gate.wait() } }
        first.engine.rollBack()
        first.engine.endBody(nil, waiter: .nobody)
        try first.follower.releaseLease()

        let other = try StoreProcess(files, spilling)
        for begin in stride(from: Int64(10), to: 3_000, by: 500) {
            try other.insert(begin..<begin + 500, textLength: 60)
        }
        try other.engine.checkpoint()
        gate.signal()
        await first.waitForLogThread()
        try other.follower.releaseLease()
        try first.takeOver()
        try first.insert(10_000)
        try first.engine.checkpoint()
        #expect(first.numbers.count == 3_011)
        #expect(try numbers(of: #require(frozen)) == Array(0..<9_000))
        #expect(first.engine.failure == nil && account.failure == nil)
        #expect(formerFiles(first) > 0)

        try await expectNothingForNobody(&frozen, first)
        await first.close()
        await other.close()
    }

    /// A file that was not open any more was opened after the lease was released: by then, it could
    /// belong to another process.
    @Test func aVersionIsNotReadFromForeignFiles() async throws {
        let files = SimulatedDisk()
        let account = NodeAccount()
        account.budget.bytes = 100_000
        let first = try StoreProcess(files, account: account) { options in
            spilling(&options)
            options.preparesInBackground = true
            options.pages.segmentSizeGrown = 1 << 10
            options.pages.openFilesMax = 2
        }
        try first.insert(0..<10)
        await first.waitForLogThread()
        try first.engine.beginBody()
        first.add(10..<9_000, to: first.engine.tree)
        var frozen: SnapshotRoot? = first.engine.captureBody()
        let gate = DispatchSemaphore(value: 0)
        first.engine.thread.run { gate.wait() }
        first.engine.rollBack()
        first.engine.endBody(nil, waiter: .nobody)

        // The other process takes the lease as soon as it is free.
        // Safety: the disk calls on the thread that calls it.
        nonisolated(unsafe) var newWriter: StoreProcess?
        let hasTaken = Atomic<Bool>(false)
        files.observe { [self] call in
            guard call.moment == .before, call.path.hasSuffix(".pages"),
                !hasTaken.load(ordering: .relaxed),
                (try? files.lock("store.realm/writer.lock")) ?? nil != nil
            else { return }
            hasTaken.store(true, ordering: .relaxed)
            newWriter = try? makeOther(files)
        }
        try first.follower.releaseLease()
        files.observe(nil)
        let other = try newWriter ?? makeOther(files)
        gate.signal()
        await first.waitForLogThread()
        try first.takeOver()
        #expect(first.numbers.count == 3_010)
        #expect(try numbers(of: #require(frozen)) == Array(0..<9_000))
        #expect(first.engine.failure == nil && account.failure == nil)
        try await expectNothingForNobody(&frozen, first)
        await first.close()
        await other.close()
    }

    /// A file that could not be kept open was removed nevertheless.
    @Test func aFileThatCannotBeOpenedKeepsItsName() async throws {
        let files = SimulatedDisk()
        let account = NodeAccount()
        account.budget.bytes = 100_000
        let first = try StoreProcess(files, account: account) { options in
            spilling(&options)
            options.pages.segmentSizeGrown = 1 << 10
            options.pages.openFilesMax = 2
        }
        try first.insert(0..<10)
        try first.engine.beginBody()
        first.add(10..<9_000, to: first.engine.tree)
        var frozen: SnapshotRoot? = first.engine.captureBody()
        let refusals = Mutex(0)
        files.observe { call in
            guard call.moment == .before, call.operation == .open, call.path.hasSuffix(".pages")
            else { return }
            refusals.withLock { $0 += 1 }
            files.inject(.init(.inputOutput, call: files.callCount + 1))
        }
        first.engine.rollBack()
        first.engine.endBody(nil, waiter: .nobody)
        files.observe(nil)
        files.resetCalls()
        #expect(refusals.withLock { $0 } > 0)
        #expect(try numbers(of: #require(frozen)) == Array(0..<9_000))
        // The next checkpoint opens and removes the file that this one could not open.
        try first.insert(10_000)
        try first.engine.checkpoint()
        #expect(try numbers(of: #require(frozen)) == Array(0..<9_000))
        #expect(first.engine.failure == nil && account.failure == nil)
        try await expectNothingForNobody(&frozen, first)
        await first.close()
    }

    /// Writes page files with the free numbers, and releases the lease.
    private func makeOther(_ files: any FileSystem) throws -> StoreProcess {
        let other = try StoreProcess(files, spilling)
        for begin in stride(from: Int64(10), to: 3_000, by: 500) {
            try other.insert(begin..<begin + 500, textLength: 60)
        }
        try other.engine.checkpoint()
        try other.follower.releaseLease()
        return other
    }

    private func expectNothingForNobody(
        _ frozen: inout SnapshotRoot?, _ first: StoreProcess
    ) async throws {
        // None of its files stays open unnecessarily.
        frozen = nil
        try first.insert(10_001)
        try first.engine.checkpoint()
        await first.waitForLogThread()
        #expect(formerFiles(first) == 0)
        #expect(try first.problems() == [])
    }
}
