import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// What a host does where its disk, or the engine of its log, is not as it should be.
@Suite struct SharedHostTests {
    /// The disk has no space for the last file of a jump. The host read on behind the image, with
    /// the tree that it had before.
    @Test func aJumpThatCannotBeNotedIsWhole() async throws {
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
    @Test func aHostOpensWhereItCannotNoteItsPlace() async throws {
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

    /// One that said more bytes than any log has ended the process with the next entry.
    @Test func aFileThatNoHostHasWrittenIsNone() {
        let places: [(version: Version, bytes: UInt64)] = [
            (Version(7), 1 << 63), (Version.max.next, 70), (Version.max, SharedCursor.bytesMax),
        ]
        for (version, bytes) in places {
            let cursor = SharedCursor(
                realm: .random(), next: LogSlot(8), hash: .none, epoch: 1, holder: .random(),
                version: version, bytes: bytes)
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

    /// The server that said where the log ends was another one than the server that was read.
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

    /// The host where its transaction ran has used its key up; the record says nothing of it, and
    /// rows of other hosts have that key. The host said that the log had diverged.
    @Test(arguments: zip([1, 200, 1] as [Int64], [1, 100, 300] as [Int64]))
    func aRowThatItsOwnTransactionDeletesKeepsNoKey(rows: Int64, gone: Int64) async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        var first = try SharedHost(MemorySharedLog(engine), files)
        let second = try SharedHost(MemorySharedLog(engine))
        try await first.commit { tree in
            for number in 1...rows { _ = Self.addRow(number, to: tree) }
            Self.addPassingRows(gone, to: tree)
        }
        try await second.store.refreshFromHosts()
        for number in 1...2 { try await second.write(rows + Int64(number)) }
        try await first.store.refreshFromHosts()
        #expect(first.numbers == Array(1...rows + 2))
        try await first.write(rows + 3)
        // The same where the host was closed in between, and its folder has the tree.
        try await first.commit { tree in Self.addPassingRows(gone, to: tree) }
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

    /// Rows that are gone again when the transaction ends.
    private static func addPassingRows(_ count: Int64, to tree: WorkingTree) {
        let keys = (1...count).map { addRow(-$0, to: tree) }
        tree.delete(HarnessSchema.item, keys)
    }

    /// The next read was taken for kept, though the engine had not proved that.
    @Test func aProofThatIsRefusedIsAskedForAgain() async throws {
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

    /// It only tried again, and hosts that write all the time came first for long.
    @Test func anOpeningThatIsSupersededAsksForItsTurn() async throws {
        let log = OvertakingLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        #expect(log.sent == [.ask(host.journal.host, isLate: false)])
        try await host.write(1)
        #expect(host.numbers == [1])
        try await host.store.close()
    }

    // MARK: Ends

    /// It read nothing more, and showed what the host had as the newest there is.
    @Test func aRefreshThatTheCloseOvertakesSaysSo() async throws {
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

    /// It went on asking, without end where writes have no limit, and nobody could write meanwhile.
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
        // Closing does not wait for an engine that is out of reach.
        let isLeft = log.isLeft.load(ordering: .relaxed)
        #expect(isLeft)
    }

    // MARK: Status

    /// One entry was behind for good, and the host that had written it was told with the next one.
    @Test func theStatusSaysWhatWasApplied() async throws {
        let engine = MemorySharedLog.Engine()
        let (versions, publishing) = AsyncStream.makeStream(of: Void.self)
        let (statuses, telling) = AsyncStream.makeStream(of: HostSharing.Status.self)
        let observer = try SharedHost(MemorySharedLog(engine)) { publishing.yield() }
        let writer = try SharedHost(MemorySharedLog(engine))
        _ = observer.hosts.watch { telling.yield($0) }
        observer.hosts.begin()
        var published = versions.makeAsyncIterator()
        try await writer.write(1)
        _ = await published.next()
        try await writer.write(2)
        var told = statuses.makeAsyncIterator()
        var status = await told.next()
        while status?.entriesBehind == 0 { status = await told.next() }
        status = await told.next()
        try #require(status?.entriesBehind == 0)
        #expect(status?.lastWriter == writer.journal.host)
        // Its own entry is applied with its commit.
        try await observer.store.refreshFromHosts()
        try await observer.write(3)
        while status?.lastWriter != observer.journal.host { status = await told.next() }
        #expect(status?.entriesBehind == 0)
        for host in [observer, writer] { try await host.store.close() }
    }
}

/// A log in which another host is first behind the genesis.
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

/// A log whose engine does not answer for a while.
private final class SilentLog: WrappedLog {
    let base: any SharedLog
    let isSilent = Atomic<Bool>(false)
    /// Ends with the first call that is not answered.
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

/// A log whose next reads show nothing.
private final class StaleLog: WrappedLog {
    let base: any SharedLog
    /// How many do.
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
