import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// How far a host is behind the log, and who has the writer lease, as it reports that.
@Suite struct HostStatusTests {
    /// Commits of these many rows are far more than are read at a time.
    private static let commits = 24
    private static let rows = 1000

    /// A host that cannot apply anything, and one that writes.
    private static func hosts(
        _ wrap: (any SharedLog) -> any SharedLog = { $0 }
    ) throws -> (observer: SharedHost, writer: SharedHost) {
        let engine = MemorySharedLog.Engine()
        let observer = try SharedHost(wrap(MemorySharedLog(engine)))
        let writer = try SharedHost(MemorySharedLog(engine))
        // Simulates a write that takes long.
        try #require(observer.store.turns.tryTake("a long write"))
        return (observer, writer)
    }

    /// By how many entries and versions a host is behind another one.
    private static func distance(
        _ host: SharedHost, _ writer: SharedHost
    ) -> (entries: Int, versions: Int) {
        let (own, other) = (host.journal.cursor, writer.journal.cursor)
        return (
            Int(other.next.rawValue - own.next.rawValue),
            Int(other.version.rawValue - own.version.rawValue)
        )
    }

    /// It was counted up to the size of one batch.
    @Test func aHostThatIsFarBehindKnowsByHowMuch() async throws {
        let (observer, writer) = try Self.hosts()
        for _ in 0..<Self.commits {
            try await writer.commit { tree in
                for _ in 0..<Self.rows {
                    let key = tree.createRow(HarnessSchema.item)
                    let number = Int64.random(in: .min ... .max)
                    tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
                }
            }
        }
        let missing = Self.distance(observer, writer)
        let batch = try writer.journal.realm.log.entries(
            from: observer.journal.cursor.next, bytesMax: 64 << 10)
        try #require(batch.count < missing.entries)
        observer.hosts.begin()
        let behind = try await observer.awaitStatus { $0.entriesBehind > 0 }
        #expect(behind.entriesBehind == missing.entries)
        #expect(behind.versionsBehind == missing.versions)
        observer.store.releaseTurn()
        let end = try await observer.awaitStatus { $0.entriesBehind == 0 }
        #expect(end.entriesBehind == 0 && end.versionsBehind == 0)
        let rest = Self.distance(observer, writer)
        #expect(rest.entries == 0 && rest.versions == 0)
        for host in [observer, writer] { try await host.store.close() }
    }

    /// What was appended while the host waited for its turn was not counted.
    @Test func theStatusFollowsTheLogWhileEntriesWait() async throws {
        let (observer, writer) = try Self.hosts()
        observer.hosts.begin()
        try await writer.write(0)
        let first = try await observer.awaitStatus { $0.entriesBehind > 0 }
        #expect(first.entriesBehind > 0)
        for number in Int64(1)...9 { try await writer.write(number) }
        let missing = Self.distance(observer, writer)
        let later = try await observer.awaitStatus { status in
            status.versionsBehind == missing.versions
        }
        #expect(later.entriesBehind == missing.entries)
        #expect(later.versionsBehind == missing.versions)
        observer.store.releaseTurn()
        for host in [observer, writer] { try await host.store.close() }
    }

    /// An engine that must be called for each look at its log.
    @Test func whatWasReadIsCountedWhereNoMoreIsKnown() async throws {
        let (observer, writer) = try Self.hosts { UnknownEndLog($0) }
        for number in Int64(1)...3 { try await writer.write(number) }
        let missing = Self.distance(observer, writer)
        observer.hosts.begin()
        let behind = try await observer.awaitStatus { $0.entriesBehind > 0 }
        #expect(behind.entriesBehind == missing.entries)
        #expect(behind.versionsBehind == missing.versions)
        observer.store.releaseTurn()
        for host in [observer, writer] { try await host.store.close() }
    }

    /// The request of an instance from before a reopening ended that of its successor, whose status
    /// no longer followed the log.
    @Test func anAbandonedRequestEndsNoOther() async throws {
        let engine = MemorySharedLog.Engine()
        let former = try SharedHost(MemorySharedLog(engine))
        let successor = try SharedHost(MemorySharedLog(engine))
        let writer = try SharedHost(MemorySharedLog(engine))
        for host in [former, successor] {
            // Simulates a write that takes long.
            try #require(host.store.turns.tryTake("a long write"))
            host.hosts.begin()
        }
        try await writer.write(1)
        for host in [former, successor] {
            while host.store.turns.waiterCount == 0 { await Task.yield() }
            #expect(host.hosts.isApplying)
        }
        // As a reopening does.
        former.store.state.withLock { $0.hosts = successor.hosts }
        former.store.isReleased.store(true, ordering: .releasing)
        former.store.releaseTurn()
        try await wait { !former.hosts.isApplying }
        #expect(!former.hosts.isApplying)
        #expect(successor.hosts.isApplying)
        former.store.state.withLock { $0.hosts = former.hosts }
        successor.store.releaseTurn()
        for host in [former, successor, writer] { try await host.store.close() }
    }

    /// It was reported only with the next entry.
    @Test func theLastWriterIsKnownFromTheOpeningOn() async throws {
        let engine = MemorySharedLog.Engine()
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        let observer = try SharedHost(MemorySharedLog(engine))
        #expect(observer.hosts.status.lastWriter == writer.journal.host)
        #expect(observer.hosts.status.leaseHolder == nil)
        for host in [observer, writer] { try await host.store.close() }
    }

    @Test func theHolderOfTheLeaseIsReported() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let observer = try SharedHost(MemorySharedLog(engine))
        let writer = try SharedHost(MemorySharedLog(engine))
        observer.hosts.begin()
        try await writer.write(1)
        let host = writer.journal.host
        let written = try await observer.awaitStatus { $0.leaseHolder == host }
        #expect(written.leaseHolder == host && written.lastWriter == host)
        let next = Bits128.random()
        try log.send(HostMessage.pass(from: host, to: next).bytes)
        let passed = try await observer.awaitStatus { $0.leaseHolder == next }
        #expect(passed.leaseHolder == next && passed.lastWriter == host)
        for host in [observer, writer] { try await host.store.close() }
    }

    // MARK: Watchers

    @Test func aWatcherIsCalledWithEachStatusAndTheEnd() {
        let statuses = HostStatuses()
        let opening = statuses.beginOpening()
        let calls = Mutex<[Int?]>([])
        _ = statuses.watch { status in
            calls.withLock { $0.append(status.entriesBehind) }
        } ended: {
            calls.withLock { $0.append(nil) }
        }
        // The second one changes nothing.
        for _ in 0..<2 { statuses.update(of: opening) { $0.entriesBehind = 1 } }
        // What a store finds after it was closed and reopened is too late.
        let reopening = statuses.beginOpening()
        statuses.update(of: opening) { $0.entriesBehind = 2 }
        statuses.update(of: reopening) { $0.entriesBehind = 3 }
        for _ in 0..<2 { statuses.end() }
        statuses.update(of: reopening) { $0.entriesBehind = 4 }
        #expect(calls.withLock { $0 } == [0, 1, 3, nil])
    }

    @Test func aWatcherThatHasLeftIsNotCalled() {
        let statuses = HostStatuses()
        let opening = statuses.beginOpening()
        let calls = Mutex(0)
        let number = statuses.watch { _ in
            calls.withLock { $0 += 1 }
        } ended: {
            calls.withLock { $0 += 10 }
        }
        statuses.unwatch(number)
        statuses.update(of: opening) { $0.entriesBehind = 1 }
        statuses.end()
        #expect(calls.withLock { $0 } == 1)
    }

    /// A watcher that came after the end waited forever.
    @Test func aLateWatcherIsCalledWithTheEnd() {
        let statuses = HostStatuses()
        statuses.end()
        let calls = Mutex<[Int?]>([])
        _ = statuses.watch { status in
            calls.withLock { $0.append(status.entriesBehind) }
        } ended: {
            calls.withLock { $0.append(nil) }
        }
        #expect(calls.withLock { $0 } == [0, nil])
    }
}

/// A log that knows nothing without a call of the engine.
private final class UnknownEndLog: WrappedLog {
    let base: any SharedLog

    init(_ base: any SharedLog) { self.base = base }

    var knownNext: LogSlot? { nil }
}
