import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that get stale responses: of a server that lags behind, and lacks acknowledged entries.
@Suite struct StaleReadTests {
    /// It treated the entry that it had read as lost, and refused every later call.
    @Test(arguments: [2, Int.max])
    func aStaleReadIsNoDivergence(count: Int) async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        try await host.store.refreshFromHosts()
        try await writer.write(2)
        log.staleReads.withLock { $0 = count }
        host.journal.demandBarrier()
        if count == .max {
            #expect {
                try host.store.engine.catchUp(with: host.journal, to: .near)
            } throws: { error in
                if case StorageError.sharedLogUnavailable = error { true } else { false }
            }
        } else {
            try host.store.engine.catchUp(with: host.journal, to: .near)
            #expect(log.hasBeenStale, "The responses have to be stale")
        }
        log.staleReads.withLock { $0 = 0 }
        try await host.store.refreshFromHosts()
        #expect(host.numbers == [1, 2])
        try await host.write(3)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == [1, 2, 3])
        for host in [host, writer] { try await host.store.close() }
    }

    /// The host considered the log completely read: its write ran, and lost again, without a pause.
    @Test(arguments: [1, 2, Int.max])
    func aStaleReadDoesNotHideTheEntryThatAnAppendHasLostTo(count: Int) async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        await #expect(throws: StorageError.superseded) { try await host.write(2) }
        log.staleReads.withLock { $0 = count }
        if count == .max {
            #expect {
                try host.store.engine.catchUp(with: host.journal, to: .near)
            } throws: { error in
                if case StorageError.sharedLogUnavailable = error { true } else { false }
            }
            #expect(host.journal.isBehind)
            log.staleReads.withLock { $0 = 0 }
        } else {
            try host.store.engine.catchUp(with: host.journal, to: .near)
            #expect(log.hasBeenStale, "The responses have to be stale")
            #expect(host.numbers == [1])
        }
        try await host.write(2)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == [1, 2])
        for host in [host, writer] { try await host.store.close() }
    }

    /// The log was considered completely read where the second entry of a group was missing: the
    /// write lost once more.
    @Test func aStaleReadDoesNotHideTheRestOfAGroup() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        let numbers = Array(Int64(1)...50)
        try await writer.commit { tree in
            let text = String(repeating: "long ", count: 20_000)
            for number in numbers {
                let key = tree.createRow(HarnessSchema.item)
                tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
                tree.set(.string(text), HarnessSchema.item, key, ColumnID(2))
            }
        }
        await #expect(throws: StorageError.superseded) { try await host.write(51) }
        log.freshReads.withLock { $0 = 1 }
        log.staleReads.withLock { $0 = 1 }
        try host.store.engine.catchUp(with: host.journal, to: .near)
        #expect(log.hasBeenStale, "The second response has to be stale")
        #expect(host.numbers == numbers)
        try await host.write(51)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == numbers + [51])
        for host in [host, writer] { try await host.store.close() }
    }

    // MARK: Lasting staleness

    /// A host with a log whose responses are stale until further notice, and which it waits for
    /// without limit.
    private static func host(_ log: StaleLog) throws -> (host: ImageHost, sharing: HostSharing) {
        var options = ImageHost.Options()
        options.repetitions = nil
        let host = try ImageHost(log, MemoryFileSystem(), options)
        return (host, try #require(host.store.hosts))
    }

    /// The host was reported as connected, and waited.
    @Test func aRefreshThatGetsStaleResponsesCanBeCancelled() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let (host, sharing) = try Self.host(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        log.staleReads.withLock { $0 = .max }
        let refresh = Task { [store = host.store] in try await store.refreshFromHosts() }
        try await wait { !sharing.status.isConnected }
        #expect(!sharing.status.isConnected)
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        log.staleReads.withLock { $0 = 0 }
        try await host.store.refreshFromHosts()
        #expect(host.version == writer.store.engine.latest.version)
        #expect(sharing.status.isConnected)
        for store in [host.store, writer.store] { try await store.close() }
    }

    /// While it followed the others, the host considered the log completely read, or had the turn
    /// while it waited.
    @Test func aHostThatGetsStaleResponsesCountsAsDisconnected() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let (host, sharing) = try Self.host(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        log.staleReads.withLock { $0 = .max }
        sharing.begin()
        try await wait { !sharing.status.isConnected }
        #expect(!sharing.status.isConnected)
        let refresh = Task { [store = host.store] in try await store.refreshFromHosts() }
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        #expect(!sharing.status.isConnected)
        log.staleReads.withLock { $0 = 0 }
        let version = writer.store.engine.latest.version
        try await wait { sharing.status.isConnected && host.version == version }
        #expect(sharing.status.isConnected && host.version == version)
        log.staleReads.withLock { $0 = .max }
        try await writer.write(2)
        try await wait { !sharing.status.isConnected }
        #expect(!sharing.status.isConnected)
        // Does not wait for newer responses.
        for store in [host.store, writer.store] { try await store.close() }
    }

    /// Nothing made the host read again: it counted as disconnected until there was another entry.
    @Test func aHostRecoversFromAFailureAfterAStaleResponse() async throws {
        let log = StaleLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        host.hosts.begin()
        log.staleReads.withLock { $0 = 1 }
        log.refusesRead.withLock { $0 = true }
        await #expect {
            try await host.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.sharedLogRefused = error { true } else { false }
        }
        #expect(log.hasBeenStale, "A response has to be stale")
        try await wait { host.hosts.status.isConnected }
        #expect(host.hosts.status.isConnected)
        try await host.store.close()
    }

    /// The host counted as disconnected until there was an entry of another one.
    @Test func anAppendProvesThatTheEngineIsConsistent() async throws {
        let host = try SharedHost(MemorySharedLog(MemorySharedLog.Engine()))
        host.journal.noteStaleness(true)
        #expect(!host.hosts.status.isConnected)
        try await host.write(1)
        #expect(host.hosts.status.isConnected)
        try await host.store.close()
    }

    /// An image is made while entries are read: the status may be updated by the second of two
    /// changes first.
    @Test func aLateUpdateHasTheNewestState() async throws {
        let host = try SharedHost(MemorySharedLog(MemorySharedLog.Engine()))
        host.journal.noteStaleness(true)
        #expect(!host.hosts.status.isConnected)
        let update = try #require(host.journal.state.withLock { $0.onStaleness })
        host.journal.noteStaleness(false)
        update()
        #expect(host.hosts.status.isConnected)
        try await host.store.close()
    }

    // MARK: Losses

    /// An entry that is really missing is still noticed.
    @Test func aLostEntryIsADivergence() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        try await host.write(1)
        let last = try #require(host.journal.cursor.next.previous)
        engine.loseEntries(from: last)
        #expect {
            try host.journal.requireKept(host.journal.cursor)
        } throws: { error in
            if case StorageError.sharedLogDiverged = error { true } else { false }
        }
        try? await host.store.close()
    }

    /// The append was refused as superseded, although the log had its entry: the body ran again,
    /// and the row was there twice.
    @Test func aStaleReadDoesNotHideAnAppendWithUnknownOutcome() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await host.write(1)
        log.losesAcknowledgement.withLock { $0 = true }
        try await host.write(2)
        #expect(log.hasBeenStale, "A response has to be stale")
        #expect(host.numbers == [1, 2])
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == [1, 2])
        for host in [host, writer] { try await host.store.close() }
    }

    /// An image was treated as one of entries that the log had lost, for as long as the host was
    /// open.
    @Test func aStaleReadMakesNoImageUnusable() async throws {
        let engine = MemorySharedLog.Engine()
        let writer = try SharedHost(MemorySharedLog(engine))
        var number: Int64 = 0
        while try MemorySharedLog(engine).images().isEmpty {
            try #require(number < 2_000)
            number += 1
            try await writer.write(number)
            try writer.store.makeImageIfDue()
        }
        let log = StaleLog(MemorySharedLog(engine))
        log.staleReads.withLock { $0 = 1 }
        let host = try SharedHost(log)
        #expect(log.hasBeenStale, "A response has to be stale")
        let unusable = host.journal.unusableImages.withLock { $0 }
        #expect(unusable.isEmpty)
        #expect(host.numbers == Array(1...number))
        for host in [host, writer] { try await host.store.close() }
    }

    /// The first host found no entry behind its own first one, and could not be opened.
    @Test func aStaleReadDoesNotHideTheBeginningOfALog() async throws {
        let engine = MemorySharedLog.Engine()
        let log = StaleLog(MemorySharedLog(engine))
        log.staleReads.withLock { $0 = 1 }
        let host = try SharedHost(log)
        #expect(log.hasBeenStale, "A response has to be stale")
        try await host.write(1)
        #expect(host.numbers == [1])
        try await host.store.close()
    }
}

/// A log whose next reads lack the newest two entries.
private final class StaleLog: WrappedLog {
    let base: any SharedLog
    /// How many reads are stale.
    let staleReads = Mutex(0)
    /// How many reads before them are not.
    let freshReads = Mutex(0)
    /// Whether the read after the stale ones is refused.
    let refusesRead = Mutex(false)
    private let staleCount = Mutex(0)
    /// Whether the acknowledgement of the next append is lost. The next read is stale then.
    let losesAcknowledgement = Mutex(false)

    init(_ base: any SharedLog) { self.base = base }

    /// Whether all reads were stale that had to be.
    var hasBeenStale: Bool {
        let rest = staleReads.withLock { $0 }
        return staleCount.withLock { $0 } > 0 && rest == 0
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        let entries = try base.entries(from: slot, bytesMax: bytesMax)
        if entries.isEmpty { return [] }
        if Self.takeOne(of: freshReads) { return entries }
        let isStale = Self.takeOne(of: staleReads)
        if isStale {
            staleCount.withLock { $0 += 1 }
            return entries.dropLast(2)
        }
        let isRefused = refusesRead.withLock { isRefused -> Bool in
            defer { isRefused = false }
            return isRefused
        }
        if isRefused { throw .refused("no permission") }
        return entries
    }

    /// Counts down; false at zero.
    private static func takeOne(of reads: borrowing Mutex<Int>) -> Bool {
        reads.withLock { rest in
            defer { rest = max(rest - 1, 0) }
            return rest > 0
        }
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let isFirst = try base.append(entry, at: slot, behind: last)
        let isLost = losesAcknowledgement.withLock { isLost -> Bool in
            defer { isLost = false }
            return isLost
        }
        guard isLost else { return isFirst }
        staleReads.withLock { $0 = 1 }
        throw .outcomeUnknown("the acknowledgement was lost")
    }
}
