import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts whose disk, or the engine of whose log, fails.
@Suite struct SharedHostTests {
    /// The disk has no space for the last file of an image. The host read entries after the image,
    /// with its previous tree.
    @Test func anImageWhosePositionCannotBeRecordedIsComplete() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            path.hasSuffix("/" + SharedRealmFile.newName) ? .outOfSpace(path: path) : nil
        }
        let writer = try SharedHost(MemorySharedLog(engine))
        let other = try SharedHost(MemorySharedLog(engine), files)
        var number: Int64 = 0
        while try log.head().first <= other.journal.cursor.next {
            number += 1
            try await writer.write(number)
            try writer.store.makeImageIfDue()
        }
        files.isRefusing = true
        try? await other.store.refreshFromHosts()
        files.isRefusing = false
        try await other.store.refreshFromHosts()
        #expect(other.numbers == Array(1...number))
        try await other.write(0)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == Array(1...number) + [0])
        for host in [writer, other] {
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.store.close()
        }
    }

    /// A host whose disk was full could not be opened any more, not even to delete something.
    @Test func aHostOpensIfItCannotRecordItsPosition() async throws {
        let engine = MemorySharedLog.Engine()
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            path.hasSuffix("/" + SharedRealmFile.newName) ? .outOfSpace(path: path) : nil
        }
        let before = try SharedHost(MemorySharedLog(engine), files)
        try await before.write(1)
        try await before.store.close()
        files.isRefusing = true
        let full = try SharedHost(MemorySharedLog(engine), files)
        #expect(full.numbers == [1])
        try await full.write(2)
        try await full.store.close()
        files.isRefusing = false
        let again = try SharedHost(MemorySharedLog(engine), files)
        #expect(again.numbers == [1, 2])
        try await again.store.close()
    }

    /// A file with a larger byte count than any log has ended the process at the next entry.
    @Test func anImpossibleCursorFileIsRefused() {
        let places: [(version: Version, bytes: UInt64)] = [
            (Version(7), 1 << 63), (Version.max.next, 70), (Version.max, SharedCursor.bytesMax),
        ]
        for (version, bytes) in places {
            let cursor = SharedCursor(
                realm: .random(), next: LogSlot(8), hash: .none, epoch: 1,
                lastWriter: .random(), version: version, bytes: bytes)
            let file = SharedRealmFile(host: .random(), cursor: cursor)
            var encoded = [UInt8](repeating: 0, count: SharedRealmFile.size)
            // Unsafe: lent for the call; as below.
            encoded.withUnsafeMutableBytes { file.encode(into: $0) }
            // Unsafe: lent for the call.
            let found = encoded.withUnsafeBytes { SharedRealmFile(decoding: $0) }
            let isPossible = version <= .max && bytes <= SharedCursor.bytesMax
            #expect(found == (isPossible ? file : nil), "version \(version), \(bytes) bytes")
        }
    }

    @Test func aVersionThatTheLogHasIsNotAppendedAgain() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let host = try SharedHost(MemorySharedLog(engine))
        try await host.write(1)
        let before = try log.head()
        let group = CommitGroupBuffer()
        try group.append(version: host.journal.cursor.version) { writer throws(StorageError) in
            writer.write(UInt64(0))
        }
        #expect(throws: StorageError.self) { try host.journal.append(group) }
        #expect(try log.head() == before)
        try await host.store.close()
    }

    /// The end of the log was read from another server than the entries.
    @Test func aReadThatMissesWhatTheHeadHasIsRepeated() async throws {
        let engine = MemorySharedLog.Engine()
        let stale = StaleLog(MemorySharedLog(engine))
        let writer = try SharedHost(MemorySharedLog(engine))
        let other = try SharedHost(stale)
        try await writer.write(1)
        stale.misses.withLock { $0 = 1 }
        try await other.store.refreshFromHosts()
        #expect(other.numbers == [1])
        try await writer.write(2)
        stale.misses.withLock { $0 = .max }
        await #expect {
            try await other.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.sharedLogUnavailable = error { true } else { false }
        }
        stale.misses.withLock { $0 = 0 }
        try await other.store.refreshFromHosts()
        #expect(other.numbers == [1, 2])
        for host in [writer, other] { try await host.store.close() }
    }

    /// The host that ran the transaction has used the row's key, which the record does not contain,
    /// and other hosts use that key for another row. The host reported that the log had diverged.
    @Test(arguments: zip([1, 200, 1] as [Int64], [1, 100, 300] as [Int64]))
    func aRowThatItsOwnTransactionDeletesKeepsNoKey(rows: Int64, deleted: Int64) async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        var first = try SharedHost(MemorySharedLog(engine), files)
        let second = try SharedHost(MemorySharedLog(engine))
        try await first.commit { tree in
            for number in 1...rows { _ = Self.addRow(number, to: tree) }
            Self.addPassingRows(deleted, to: tree)
        }
        try await second.store.refreshFromHosts()
        for number in 1...2 { try await second.write(rows + Int64(number)) }
        try await first.store.refreshFromHosts()
        #expect(first.numbers == Array(1...rows + 2))
        try await first.write(rows + 3)
        // The same if the host was closed in between, and its folder has the tree.
        try await first.commit { tree in Self.addPassingRows(deleted, to: tree) }
        try await first.store.close()
        try await second.store.refreshFromHosts()
        try await second.write(rows + 4)
        first = try SharedHost(MemorySharedLog(engine), files)
        for host in [first, second] {
            #expect(host.numbers == Array(1...rows + 4))
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.store.close()
        }
    }

    private static func addRow(_ number: Int64, to tree: WorkingTree) -> RowKey {
        let key = tree.createRow(HarnessSchema.item)
        tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
        return key
    }

    /// Rows that are deleted before the transaction ends.
    private static func addPassingRows(_ count: Int64, to tree: WorkingTree) {
        let keys = (1...count).map { addRow(-$0, to: tree) }
        tree.delete(HarnessSchema.item, keys)
    }

    /// The next read was considered durable, though the engine had not proven that.
    @Test func aRefusedProofIsRequestedAgain() async throws {
        let log = RefusingLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        host.journal.demandBarrier()
        log.refuse()
        let before = log.barriers
        #expect(throws: StorageError.sharedLogRefused(reason: "not now")) {
            try host.store.engine.catchUp(with: host.journal, to: .near)
        }
        try host.store.engine.catchUp(with: host.journal, to: .near)
        #expect(log.barriers == before + 2)
        try await host.store.close()
    }

    /// The opening only retried, and hosts that write continuously were first for a long time.
    @Test func aSupersededOpeningRequestsTheLease() async throws {
        let log = OvertakingLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        #expect(log.sent == [.request(host.journal.host, isLate: false)])
        try await host.write(1)
        #expect(host.numbers == [1])
        try await host.store.close()
    }

    // MARK: Ends

    /// It read nothing more, and reported the state of the host as the newest one.
    @Test func aRefreshDuringACloseThrows() async throws {
        let engine = MemorySharedLog.Engine()
        let writer = try SharedHost(MemorySharedLog(engine))
        let other = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        // As closing does, before it takes its turn.
        other.journal.stopWaiting()
        await #expect {
            try await other.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.closed = error { true } else { false }
        }
        for host in [writer, other] { try await host.store.close() }
    }

    /// It retried without end if writes have no timeout, and nobody could write meanwhile.
    @Test func aRefreshThatIsCancelledWaitsForNoEngine() async throws {
        var options = ImageHost.Options()
        options.repetitions = nil
        let engine = MemorySharedLog.Engine()
        let log = SilentLog(MemorySharedLog(engine))
        let host = try ImageHost(log, MemoryFileSystem(), options)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        log.isSilent.store(true, ordering: .relaxed)
        let refresh = Task { [store = host.store] in try await store.refreshFromHosts() }
        await log.isAsked.wait()
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        log.isSilent.store(false, ordering: .relaxed)
        try await host.store.refreshFromHosts()
        #expect(host.version == writer.store.engine.latest.version)
        for store in [host.store, writer.store] { try await store.close() }
        // Closing does not wait for an engine that cannot be reached.
        let isLeft = log.isLeft.load(ordering: .relaxed)
        #expect(isLeft)
    }

    // MARK: Status

    /// The status permanently reported one entry as not applied, and reported its writer only with
    /// the next one.
    @Test func theStatusSaysWhatWasApplied() async throws {
        let engine = MemorySharedLog.Engine()
        let (versions, publishing) = AsyncStream.makeStream(of: Void.self)
        let (statuses, continuation) = AsyncStream.makeStream(of: HostSharing.Status.self)
        let observer = try SharedHost(MemorySharedLog(engine)) { publishing.yield() }
        let writer = try SharedHost(MemorySharedLog(engine))
        _ = observer.hosts.statuses.watch { continuation.yield($0) }
        observer.hosts.begin()
        var published = versions.makeAsyncIterator()
        try await writer.write(1)
        _ = await published.next()
        try await writer.write(2)
        var iterator = statuses.makeAsyncIterator()
        var status = await iterator.next()
        while status?.entriesBehind == 0 { status = await iterator.next() }
        status = await iterator.next()
        try #require(status?.entriesBehind == 0)
        #expect(status?.lastWriter == writer.journal.host)
        // Its own entry is applied by its commit.
        try await observer.store.refreshFromHosts()
        try await observer.write(3)
        while status?.lastWriter != observer.journal.host { status = await iterator.next() }
        #expect(status?.entriesBehind == 0)
        for host in [observer, writer] { try await host.store.close() }
    }
}

/// A log to which another host appends right after the genesis entry.
private final class OvertakingLog: WrappedLog {
    let base: any SharedLog
    private let messages = Mutex<[HostMessage]>([])

    init(_ base: any SharedLog) { self.base = base }

    var sent: [HostMessage] { messages.withLock { $0 } }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        if slot == LogSlot.first.next, try base.head().next == slot,
            let genesis = try base.entries(from: .first, bytesMax: 1).first,
            let realm = SharedEntry.realm(of: genesis.bytes)
        {
            let other = SharedEntry(
                kind: .epoch, realm: realm, slot: slot, epoch: 1, host: .random(),
                firstVersion: 0, lastVersion: 0,
                previousHash: SharedEntryHash(of: genesis.bytes))
            _ = try base.append(other.encoded(nil), at: slot)
        }
        return try base.append(entry, at: slot, behind: last)
    }

    func send(_ message: [UInt8]) throws(SharedLogError) {
        if let found = HostMessage(message) { messages.withLock { $0.append(found) } }
        try base.send(message)
    }
}

/// A log that counts barriers, and refuses the next one.
private final class RefusingLog: WrappedLog {
    private struct State {
        var barriers = 0
        var refuses = false
    }

    let base: any SharedLog
    private let state = Mutex(State())

    init(_ base: any SharedLog) { self.base = base }

    var barriers: Int { state.withLock { $0.barriers } }

    func refuse() { state.withLock { $0.refuses = true } }

    func barrier() throws(SharedLogError) {
        let isRefused = state.withLock { state in
            defer { state.refuses = false }
            state.barriers += 1
            return state.refuses
        }
        if isRefused { throw .refused("not now") }
        try base.barrier()
    }
}

/// A log whose engine temporarily does not answer.
private final class SilentLog: WrappedLog {
    let base: any SharedLog
    let isSilent = Atomic<Bool>(false)
    /// Occurs at the first call that is not answered.
    let isAsked = EndSignal()
    let isLeft = Atomic<Bool>(false)

    init(_ base: any SharedLog) { self.base = base }

    func stopWaiting() { isLeft.store(true, ordering: .relaxed) }

    func barrier() throws(SharedLogError) {
        if isSilent.load(ordering: .relaxed) {
            isAsked.finish()
            throw .unavailable("cut off")
        }
        try base.barrier()
    }
}

/// A log whose next reads return nothing.
private final class StaleLog: WrappedLog {
    let base: any SharedLog
    /// The number of these reads.
    let misses = Mutex(0)

    init(_ base: any SharedLog) { self.base = base }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        let isMissed = misses.withLock { rest -> Bool in
            defer { rest = max(rest - 1, 0) }
            return rest > 0
        }
        return isMissed ? [] : try base.entries(from: slot, bytesMax: bytesMax)
    }
}
