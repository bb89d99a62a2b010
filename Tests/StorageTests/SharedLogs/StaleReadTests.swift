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

    /// The host took the log for read: its write ran, and lost again, without a pause.
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
        let isStale = staleReads.withLock { rest -> Bool in
            defer { rest = max(rest - 1, 0) }
            return rest > 0
        }
        if isStale { staleCount.withLock { $0 += 1 } }
        return isStale ? entries.dropLast(2) : entries
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
