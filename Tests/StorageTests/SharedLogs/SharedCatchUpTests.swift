import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that lack more of a log than their memory budget holds.
@Suite struct SharedCatchUpTests {
    private static let count: Int64 = 9_000
    private static let commitRows: Int64 = 100

    /// Commits ``count`` rows, some at a time.
    private static func fill(_ host: SharedHost) async throws {
        for first in stride(from: 0, to: count, by: Int(commitRows)) {
            try await host.commit { tree in
                for number in first..<first + commitRows {
                    let key = tree.createRow(EngineHarness.item)
                    tree.set(.int(number), EngineHarness.item, key, ColumnID(0))
                    tree.set(.int(number / 10), EngineHarness.item, key, ColumnID(1))
                    let text = "row \(number) of \(count)"
                    tree.set(.string(text), EngineHarness.item, key, ColumnID(2))
                }
            }
        }
    }

    /// A host that is open, or is opened, when a realm has become four times as large as its memory
    /// budget.
    @Test(arguments: [true, false])
    func catchingUpStaysNearTheMemoryBudget(isOpen: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        let writer = try SharedHost(MemorySharedLog(engine), schema: EngineHarness.schema)
        let (files, gauge) = (MemoryFileSystem(), Gauge())
        let openHost = { () throws -> SharedHost in
            try SharedHost(
                NarrowLog(MemorySharedLog(engine), gauge), files, account: gauge.account,
                onPublish: { gauge.notePublished() })
        }
        let opened = try isOpen ? openHost() : nil
        let before = opened?.store.engine.latest
        try await Self.fill(writer)
        let budget = writer.store.account.byteCount / 4
        gauge.account.memoryBudget = budget
        let host = try opened ?? openHost()
        try await host.store.refreshFromHosts()
        #expect(gauge.peak > budget / 2, "The budget has to matter")
        #expect(gauge.peak <= budget / 10 * 13)
        #expect(host.numbers == Array(0..<Self.count))
        if let before {
            // Readers were shown each commit, and the version before them is unchanged.
            #expect(gauge.published == Int(Self.count / Self.commitRows))
            #expect(SharedHost.numbers(before.view).isEmpty)
        }
        try await host.write(Self.count)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == Array(0...Self.count))
        #expect(writer.store.engine.latest.version == host.store.engine.latest.version)
        #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        for host in [writer, host] { try await host.store.close() }
        let again = try SharedHost(MemorySharedLog(engine), files)
        #expect(again.numbers == Array(0...Self.count))
        try await again.store.close()
    }

    /// Everything that a restore applied stayed in memory, with and without an image.
    @Test(arguments: [true, false])
    func restoringStaysNearTheMemoryBudget(hasImage: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let writer = try SharedHost(MemorySharedLog(engine), schema: EngineHarness.schema)
        var expected: [Int64] = []
        while hasImage, try log.images().isEmpty {
            let number = -Int64(expected.count) - 1
            expected.append(number)
            try await writer.write(number)
            try writer.store.makeImageIfDue()
        }
        try await Self.fill(writer)
        expected += Array(0..<Self.count)
        let (files, gauge) = (MemoryFileSystem(), Gauge())
        let budget = writer.store.account.byteCount / 4
        gauge.account.memoryBudget = budget
        var realm = SharedRealm(NarrowLog(log, gauge), key: nil, timeout: nil)
        realm.repetitions = 2
        var restore = SharedLogRestore(of: realm, asOf: .newest, to: Self.restored, files)
        restore.makeAccount = { gauge.account }
        let version = try restore.run()
        #expect(version == writer.store.engine.latest.version)
        #expect(gauge.peak > budget / 2, "The budget has to matter")
        #expect(gauge.peak <= budget / 10 * 13)
        #expect(try SharedHost.contents(files, Self.restored) == expected)
        // Nothing else is left.
        #expect(try files.list(".") == [Self.restored])
        try await writer.store.close()
    }

    private static let restored = "restored.realm"

    // MARK: Crashes

    /// A host without a memory budget, so that each group is applied separately.
    private static func starvedHost(
        _ engine: MemorySharedLog.Engine, _ files: any FileSystem
    ) throws -> SharedHost {
        let account = NodeAccount()
        account.memoryBudget = 0
        return try SharedHost(MemorySharedLog(engine), files, account: account)
    }

    /// The power fails at each of many calls of an opening that applies a log in portions.
    @Test(arguments: CrashPolicy.allCases)
    func aPowerFailureBetweenPortionsLeavesAVersionOfTheLog(policy: CrashPolicy) async throws {
        let engine = MemorySharedLog.Engine()
        let writer = try SharedHost(MemorySharedLog(engine))
        let numbers = Array(Int64(1)...8)
        for number in numbers { try await writer.write(number) }
        var counts: Set<Int> = []
        var isDone = false
        for call in stride(from: 1, to: 2_000, by: 6) where !isDone {
            let disk = SimulatedDisk()
            disk.inject(SimulatedDisk.Fault(.inputOutput, call: call, isLasting: true))
            if let host = try? Self.starvedHost(engine, disk) {
                isDone = true
                try? await host.store.close()
            }
            disk.crash(seed: UInt64(call), policy)
            let found = try SharedHost.contents(disk) ?? []
            #expect(numbers.starts(with: found), "call \(call)")
            counts.insert(found.count)
            let host = try Self.starvedHost(engine, disk)
            #expect(host.numbers == numbers, "call \(call)")
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.store.close()
        }
        #expect(isDone)
        #expect(counts.count > numbers.count / 2, "There were portions in between")
        try await writer.store.close()
    }

    /// Without space for a checkpoint nothing more is applied, and nothing is lost.
    @Test func aFullDiskPutsCatchingUpOff() async throws {
        let engine = MemorySharedLog.Engine()
        let account = NodeAccount()
        let files = RefusingFiles(MemoryFileSystem()) { path, mode in
            mode != .readOnly && path.contains("/pages/") ? .outOfSpace(path: path) : nil
        }
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), files, account: account)
        for number in Int64(1)...10 { try await writer.write(number) }
        account.memoryBudget = 0
        files.isRefusing = true
        await #expect {
            try await host.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.outOfSpace = error { true } else { false }
        }
        #expect(host.numbers.isEmpty)
        files.isRefusing = false
        try await host.store.refreshFromHosts()
        #expect(host.numbers == Array(1...10))
        try await host.write(11)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == Array(1...11))
        for host in [writer, host] { try await host.store.close() }
    }

    /// There was a checkpoint, and space to write more, but no space to remove what it makes
    /// obsolete: catching up was deferred.
    @Test func aFailedRemovalDefersNothing() async throws {
        let engine = MemorySharedLog.Engine()
        let account = NodeAccount()
        let files = FullFiles(MemoryFileSystem())
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), files, account: account)
        for number in Int64(1)...40 { try await writer.write(number) }
        account.memoryBudget = 0
        files.isFull.store(true, ordering: .relaxed)
        try await host.store.refreshFromHosts()
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        #expect(host.numbers == Array(1...40))
        files.isFull.store(false, ordering: .relaxed)
        try await host.write(41)
        #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        for host in [writer, host] { try await host.store.close() }
        let again = try SharedHost(MemorySharedLog(engine), files)
        #expect(again.numbers == Array(1...41))
        try await again.store.close()
    }

    /// A host that loaded an image stopped, since it could not remove its previous files.
    @Test func aJumpContinuesDespiteAFailedRemoval() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let files = FullFiles(MemoryFileSystem())
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), files)
        var count: Int64 = 0
        while try log.head().first <= host.journal.cursor.next {
            try await writer.write(count)
            count += 1
            try writer.store.makeImageIfDue()
        }
        files.isFull.store(true, ordering: .relaxed)
        try await host.store.refreshFromHosts()
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        #expect(host.numbers == Array(0..<count) && host.store.engine.failure == nil)
        files.isFull.store(false, ordering: .relaxed)
        try await host.write(-1)
        try host.store.engine.checkpoint()
        #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        for host in [writer, host] { try await host.store.close() }
        let again = try SharedHost(MemorySharedLog(engine), files)
        #expect(again.numbers == Array(0..<count) + [-1])
        try await again.store.close()
    }

    /// Space for an image was probed during a checkpoint, which could find none at that moment.
    @Test func spaceForAnImageIsProbedBetweenCheckpoints() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let known = Mutex<Checkpointer?>(nil)
        let probes = Mutex<[Bool]>([])
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            guard path == SharedHost.directory + "/reserve.new",
                let checkpointer = known.withLock({ $0 })
            else { return nil }
            let isExclusive = Atomic<Bool>(false)
            let ended = DispatchSemaphore(value: 0)
            Platform.runOnThread {
                isExclusive.store(checkpointer.isBusy, ordering: .relaxed)
                ended.signal()
            }
            ended.wait()
            probes.withLock { $0.append(isExclusive.load(ordering: .relaxed)) }
            return nil
        }
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), files)
        let checkpointer = try #require(host.store.engine.checkpoints).checkpointer
        known.withLock { $0 = checkpointer }
        files.isRefusing = true
        var count: Int64 = 0
        while try log.head().first <= host.journal.cursor.next {
            try await writer.write(count)
            count += 1
            try writer.store.makeImageIfDue()
        }
        try await host.store.refreshFromHosts()
        #expect(host.numbers == Array(0..<count))
        let found = probes.withLock { $0 }
        #expect(!found.isEmpty && found.allSatisfy { $0 })
        for host in [writer, host] { try await host.store.close() }
    }

    /// Without a timeout: the attempts end only because the caller is cancelled.
    @Test func aCancelledCallerDoesNotWaitForTheLog() {
        let monitor = ReadingMonitor()
        var attempts = 0
        #expect(throws: CancellationError.self) {
            try SharedRealm.connecting(key: nil, timeout: nil, monitor) {
                attempts += 1
                if attempts == 2 { monitor.cancel() }
                throw StorageError.sharedLogUnavailable(reason: "it does not start")
            }
        }
        #expect(attempts == 2)
    }
}

/// The memory use of a host, and how often it has published a version.
private final class Gauge: Sendable {
    let account = NodeAccount()
    private let highest = Mutex(0)
    private let publications = Atomic<Int>(0)

    /// The maximum of all measurements of its nodes' memory.
    var peak: Int { highest.withLock { $0 } }
    var published: Int { publications.load(ordering: .relaxed) }

    func look() {
        let bytes = account.byteCount
        highest.withLock { $0 = max($0, bytes) }
    }

    func notePublished() { publications.wrappingAdd(1, ordering: .relaxed) }
}

/// A log that returns few entries per call, and measures its reader each time.
private final class NarrowLog: WrappedLog {
    let base: any SharedLog
    private let gauge: Gauge

    init(_ base: any SharedLog, _ gauge: Gauge) {
        self.base = base
        self.gauge = gauge
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        gauge.look()
        return try base.entries(from: slot, bytesMax: min(bytesMax, 4 << 10))
    }
}
