import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that wait for the engine of their log, or are temporarily refused by it.
@Suite struct SharedWaitTests {
    /// Behind a commit in progress, it waited for the engine without limit.
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

    /// It waited for the engine here as well, and then read the whole image.
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

    /// The task of an opening may be cancelled just after its end.
    @Test func aCancellationAfterAnOpeningEndsNoLaterWait() async throws {
        let monitor = ReadingMonitor()
        let host = try SharedHost(MemorySharedLog(MemorySharedLog.Engine()), monitor: monitor)
        monitor.cancel()
        #expect(!host.journal.isStopping)
        try await host.write(1)
        try await host.store.refreshFromHosts()
        #expect(host.numbers == [1])
        try await host.store.close()
    }

    /// It waited until the store was open again, for as long as the engine did not answer.
    @Test func aWriteThatWaitsForAReopeningCanBeCancelled() async throws {
        struct Refusal: Error {}
        let host = try SharedHost(MemorySharedLog(MemorySharedLog.Engine()))
        let store = host.store
        #expect(await store.beginReopening())
        let cancelled = Task { try await store.isReopened() }
        let waiting = Task { try await store.isReopened() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await #expect(throws: Refusal.self) {
            try await store.reopen({ _ in throw Refusal() }, ended: { _ in })
        }
        #expect(try await !waiting.value && store.isClosed)
    }

    /// The host did not apply entries of others until it was reopened.
    @Test func aTemporaryRefusalDoesNotEndFollowing() async throws {
        let engine = MemorySharedLog.Engine()
        let log = RefusingProofsLog(MemorySharedLog(engine))
        let observer = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        observer.hosts.begin()
        // The first attempt, which is made at once, and the next one.
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

    /// While one call waited for the engine, the calls behind it reported that call as the cause.
    @Test func aWaitForTheTurnSaysThatTheEngineDoesNotRespond() async throws {
        let log = UnreadableLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log, writeTimeout: .milliseconds(200))
        await Self.cutOff(host, log)
        // Simulates a call that waits for the engine.
        try #require(host.store.turns.tryTake("a test"))
        for isWrite in [false, true] {
            await #expect {
                if isWrite {
                    try await host.write(1)
                } else {
                    try await host.store.refreshFromHosts()
                }
            } throws: { error in
                if case StorageError.sharedLogUnavailable = error { true } else { false }
            }
        }
        host.store.releaseTurn()
        log.isSilent.store(false, ordering: .relaxed)
        try await host.write(1)
        #expect(host.numbers == [1])
        try await host.store.close()
    }

    /// A host was reported as disconnected until it got the turn for a proof of the engine: a long
    /// write of this host was blamed on the engine.
    @Test func aHostThatWaitsForTheTurnIsConnected() async throws {
        let log = UnreadableLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log, writeTimeout: .milliseconds(100))
        await Self.cutOff(host, log)
        // Simulates a write that takes long.
        try #require(host.store.turns.tryTake("a long write"))
        log.isSilent.store(false, ordering: .relaxed)
        try await host.awaitStatus { $0.isConnected }
        await #expect {
            try await host.write(1)
        } throws: { error in
            if case StorageError.turnTaken = error { true } else { false }
        }
        host.store.releaseTurn()
        try await host.store.close()
    }

    /// The turn was held until the engine had proven its entries: all writes waited for that.
    @Test func aProofIsAwaitedWithoutTheTurn() async throws {
        var options = ImageHost.Options()
        options.repetitions = nil
        options.writeTimeout = .seconds(60)
        let log = UnprovenLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try ImageHost(log, MemoryFileSystem(), options)
        let before = host.version
        log.isSilent.store(true, ordering: .relaxed)
        host.journal.demandBarrier()
        host.store.hosts?.begin()
        log.wake()
        await log.isAsked.wait()
        try await host.commit { tree in
            let key = tree.createRow(HarnessSchema.item)
            tree.set(.int(1), HarnessSchema.item, key, ColumnID(0))
        }
        #expect(host.version > before)
        log.isSilent.store(false, ordering: .relaxed)
        try await host.store.close()
    }

    /// The error was `writerBusy`, and named another host. A refresh waits until the entries are
    /// applied.
    @Test func aWriteBehindTheCommitsOfOthersIsSuperseded() async throws {
        let log = MemorySharedLog(MemorySharedLog.Engine())
        let host = try SharedHost(log, writeTimeout: .milliseconds(100))
        // As while an image is read.
        try #require(host.store.turns.tryTake("another host", isFollowing: true))
        await #expect(throws: StorageError.superseded) { try await host.write(1) }
        let refresh = Task { [store = host.store] in try await store.refreshFromHosts() }
        try await Task.sleep(for: .milliseconds(300))
        host.store.releaseTurn()
        try await refresh.value
        try await host.write(1)
        #expect(host.numbers == [1])
        try await host.store.close()
    }

    /// After its turn, it waited for the engine for the timeout once more.
    @Test func aRefreshEndsWithinItsTimeout() async throws {
        var options = ImageHost.Options()
        options.repetitions = nil
        options.writeTimeout = .milliseconds(100)
        let log = UnreadableLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try ImageHost(log, MemoryFileSystem(), options)
        log.isSilent.store(true, ordering: .relaxed)
        await #expect {
            try await host.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.sharedLogUnavailable = error { true } else { false }
        }
        log.isSilent.store(false, ordering: .relaxed)
        try await host.store.refreshFromHosts()
        try await host.store.close()
    }

    /// A write continued reading as long as others wrote faster.
    @Test func aWriteReadsWithinItsTimeout() async throws {
        let engine = MemorySharedLog.Engine()
        let host = try SharedHost(MemorySharedLog(engine))
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.commit { tree in
            let key = tree.createRow(HarnessSchema.item)
            tree.set(.int(1), HarnessSchema.item, key, ColumnID(0))
            let text = String(repeating: "long ", count: 20_000)
            tree.set(.string(text), HarnessSchema.item, key, ColumnID(2))
        }
        #expect(throws: StorageError.superseded) {
            try host.store.engine.catchUp(
                with: host.journal, to: .near, monitor: ReadingMonitor(until: Instant.now))
        }
        // What was read is kept.
        #expect(host.numbers == [1])
        try host.store.engine.catchUp(with: host.journal, to: .near)
        for host in [host, writer] { try await host.store.close() }
    }

    /// A host that wrote nothing showed entries that the engine had lost, until others had filled
    /// their slots.
    @Test func aHostThatOnlyReadsNoticesWhatTheEngineHasLost() async throws {
        let engine = MemorySharedLog.Engine()
        let log = UnreadableLog(MemorySharedLog(engine))
        let observer = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        for number in Int64(1)...2 { try await writer.write(number) }
        try await observer.store.refreshFromHosts()
        #expect(observer.numbers == [1, 2])
        await Self.cutOff(observer, log)
        let last = try #require(observer.journal.cursor.next.previous)
        engine.loseEntries(from: last)
        log.isSilent.store(false, ordering: .relaxed)
        try await wait { observer.store.failure != nil }
        let failure = observer.store.failure
        let isDiverged = if case .sharedLogDiverged? = failure { true } else { false }
        #expect(isDiverged, "\(String(describing: failure))")
        // The status had the error of an earlier attempt, or none.
        #expect(observer.hosts.status.lastError == failure)
        for host in [observer, writer] { try? await host.store.close() }
    }

    /// It continued to wait, forever if writes have no timeout, and its folder could not be opened
    /// meanwhile.
    @Test func aReleasedStoreWaitsForNoEngine() async throws {
        let closing = try await Self.releaseWaitingStore()
        try await wait { closing.hasFinished }
        #expect(closing.hasFinished)
    }

    /// Releases a store that waits for its engine; returns an event that occurs when it is closed.
    private static func releaseWaitingStore() async throws -> EndSignal {
        var options = ImageHost.Options()
        options.repetitions = nil
        let engine = MemorySharedLog.Engine()
        let log = UnprovenLog(MemorySharedLog(engine))
        let host = try ImageHost(log, MemoryFileSystem(), options)
        let writer = try SharedHost(MemorySharedLog(engine))
        log.isSilent.store(true, ordering: .relaxed)
        host.journal.demandBarrier()
        host.store.hosts?.begin()
        try await writer.write(1)
        try await writer.store.close()
        await log.isAsked.wait()
        host.store.release()
        return host.store.closing
    }

    /// Watches a log that no longer answers, and waits until the host has detected that.
    private static func cutOff(_ host: SharedHost, _ log: UnreadableLog) async {
        let (statuses, changes) = AsyncStream.makeStream(of: HostSharing.Status.self)
        let number = host.hosts.statuses.watch { changes.yield($0) }
        log.isSilent.store(true, ordering: .relaxed)
        host.hosts.begin()
        log.wake()
        for await status in statuses where !status.isConnected { break }
        host.hosts.statuses.unwatch(number)
    }
}

/// A log that temporarily proves nothing.
private final class UnprovenLog: WrappedLog {
    let base: any SharedLog
    let isSilent = Atomic<Bool>(false)
    /// Occurs at the first call that is not answered.
    let isAsked = EndSignal()

    init(_ base: any SharedLog) { self.base = base }

    func barrier() throws(SharedLogError) {
        guard isSilent.load(ordering: .relaxed) else { return try base.barrier() }
        isAsked.finish()
        throw .unavailable("cut off")
    }
}

/// A log whose entries temporarily cannot be read.
private final class UnreadableLog: WrappedLog {
    let base: any SharedLog
    let isSilent = Atomic<Bool>(false)

    init(_ base: any SharedLog) { self.base = base }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        if isSilent.load(ordering: .relaxed) { throw .unavailable("cut off") }
        return try base.entries(from: slot, bytesMax: bytesMax)
    }
}

/// A log to which temporarily nothing can be appended, and whose images have unreadable parts.
private final class StalledLog: WrappedLog {
    let base: any SharedLog
    let isStalled = Atomic<Bool>(false)
    /// Occurs at the first call that is not answered.
    let isAsked = EndSignal()
    /// The first unreadable part.
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
    /// The number of refusals.
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
