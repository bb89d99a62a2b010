import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that wait for the engine of their log, or are refused by it for a moment.
@Suite struct SharedWaitTests {
    /// Behind a commit on its way it waited for the engine, however long that took.
    @Test func aRefreshThatIsCancelledWaitsForNoCommit() async throws {
        var options = ImageHost.Options()
        options.repetitions = nil
        let log = StalledLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try ImageHost(log, MemoryFileSystem(), options)
        let store = host.store
        log.isStalled.store(true, ordering: .relaxed)
        let taken = try store.tryTakeTurn("a write", author: nil)
        let engine = try #require(taken)
        try engine.beginBody()
        let key = engine.tree.createRow(HarnessSchema.item)
        engine.tree.set(.int(1), HarnessSchema.item, key, ColumnID(0))
        let version = try engine.encodeCommit(author: nil, time: 0)
        BlockingWork.start {
            engine.endBody(version, waiter: .nobody) { store.releaseTurn() }
        }
        await log.isAsked.wait()
        let refresh = Task { try await store.refreshFromHosts() }
        // Once it has the turn, it waits for the commit.
        while store.turns.tryTake("a test") {
            store.releaseTurn()
            await Task.yield()
        }
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        log.isStalled.store(false, ordering: .relaxed)
        try await store.refreshFromHosts()
        #expect(host.version == version)
        try await store.close()
    }

    /// It waited for the engine here as well, and then read all of the image.
    @Test(arguments: [0, 1]) func aRefreshThatIsCancelledReadsNoImageOn(part: Int) async throws {
        var options = ImageHost.Options()
        options.repetitions = nil
        let engine = MemorySharedLog.Engine()
        let own = MemorySharedLog(engine)
        let log = StalledLog(MemorySharedLog(engine), fromPart: part)
        let files = MemoryFileSystem()
        let host = try ImageHost(log, files, options)
        let writer = try SharedHost(MemorySharedLog(engine))
        let place = host.journal.cursor.next
        var number: Int64 = 0
        while try own.head().first <= place {
            number += 1
            try await writer.write(number)
            try writer.store.makeImageIfDue()
        }
        let before = host.version
        log.isStalled.store(true, ordering: .relaxed)
        let refresh = Task { [store = host.store] in try await store.refreshFromHosts() }
        await log.isAsked.wait()
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        #expect(host.version == before)
        let names = try files.list(ImageHost.directory)
        #expect(!names.contains(StoreDirectory.imageName))
        log.isStalled.store(false, ordering: .relaxed)
        try await host.store.refreshFromHosts()
        #expect(host.version == writer.store.engine.latest.version)
        for store in [host.store, writer.store] { try await store.close() }
    }

    /// It showed nothing of other hosts from then on, until it was opened again.
    @Test func aRefusalThatPassesDoesNotEndWhatAHostShows() async throws {
        let engine = MemorySharedLog.Engine()
        let log = RefusingProofsLog(MemorySharedLog(engine))
        let observer = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        observer.hosts.begin()
        // Of the first attempt, which is made at once, and of the one behind it.
        log.refusals.withLock { $0 = 2 }
        observer.journal.demandBarrier()
        try await writer.write(1)
        while observer.numbers != [1], observer.store.failure == nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(observer.numbers == [1] && observer.store.failure == nil)
        #expect(log.refusals.withLock { $0 } == 0)
        for host in [observer, writer] { try await host.store.close() }
    }
}

/// A log to which nothing can be appended for a while, and of whose images parts cannot be read.
private final class StalledLog: WrappedLog {
    let base: any SharedLog
    let isStalled = Atomic<Bool>(false)
    /// Ends with the first call that is not answered.
    let isAsked = EndSignal()
    /// The first part that cannot be read.
    private let firstPart: Int

    init(_ base: any SharedLog, fromPart firstPart: Int = 0) {
        self.base = base
        self.firstPart = firstPart
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        try requireAnswer()
        return try base.append(entry, at: slot, behind: last)
    }

    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        if number >= firstPart { try requireAnswer() }
        return try base.part(number, of: image)
    }

    private func requireAnswer() throws(SharedLogError) {
        guard isStalled.load(ordering: .relaxed) else { return }
        isAsked.finish()
        throw .unavailable("cut off")
    }
}

/// A log that refuses the next proofs.
private final class RefusingProofsLog: WrappedLog {
    let base: any SharedLog
    /// How many.
    let refusals = Mutex(0)

    init(_ base: any SharedLog) { self.base = base }

    func barrier() throws(SharedLogError) {
        let isRefused = refusals.withLock { rest -> Bool in
            defer { rest = max(rest - 1, 0) }
            return rest > 0
        }
        if isRefused { throw .refused("not now") }
        try base.barrier()
    }
}
