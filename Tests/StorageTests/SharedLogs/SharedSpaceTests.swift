import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts with a full disk, or without descriptors: the folder can store everything that the shared
/// log has, at once or later.
@Suite struct SharedSpaceTests {
    /// Commits a row with a unique number and a long text; returns its key.
    @discardableResult
    private static func add(_ number: Int64, to host: SharedHost) async throws -> RowKey {
        var made = RowKey(0)
        try await host.commit { tree in
            made = tree.createRow(HarnessSchema.item)
            tree.set(.int(number), HarnessSchema.item, made, ColumnID(0))
            let text = "text \(number) " + String(repeating: "long ", count: 200)
            tree.set(.string(text), HarnessSchema.item, made, ColumnID(2))
        }
        return made
    }

    /// Expects that hosts show these numbers, and that they and their folders are valid; closes
    /// them, and reopens the first one, whose files are on `disk`.
    private static func check(
        _ hosts: [SharedHost], _ numbers: [Int64], _ engine: MemorySharedLog.Engine,
        _ disk: any FileSystem
    ) async throws {
        for host in hosts {
            try await host.store.refreshFromHosts()
            #expect(host.numbers == numbers)
            #expect(host.store.engine.failure == nil)
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.store.close()
        }
        let again = try SharedHost(MemorySharedLog(engine), disk)
        #expect(again.numbers == numbers)
        try await again.store.close()
    }

    // MARK: Full disks

    /// The host had already appended to the shared log, and stopped.
    @Test func aFullDiskRefusesBeforeTheSharedAppend() async throws {
        let engine = MemorySharedLog.Engine()
        let (log, disk) = (MemorySharedLog(engine), SimulatedDisk())
        let full = try SharedHost(MemorySharedLog(engine), disk)
        let other = try SharedHost(MemorySharedLog(engine))
        disk.limit(to: disk.usedBytes)
        var numbers: [Int64] = []
        var refusals = 0
        while refusals < 3 {
            try #require(numbers.count < 1_000)
            let number = Int64(numbers.count) + 1
            let before = try log.head()
            do {
                try await Self.add(number, to: full)
                numbers.append(number)
            } catch StorageError.outOfSpace {
                refusals += 1
                #expect(try log.head() == before)
                #expect(full.numbers == numbers)
                #expect(full.store.engine.failure == nil)
            }
        }
        // The others continue, and so does this one once there is space.
        try await other.store.refreshFromHosts()
        #expect(other.numbers == numbers)
        for number in Int64(2_000)..<2_030 {
            try await Self.add(number, to: other)
            numbers.append(number)
        }
        await #expect {
            try await full.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.outOfSpace = error { true } else { false }
        }
        #expect(full.store.engine.failure == nil)
        disk.limit(to: nil)
        try await full.store.refreshFromHosts()
        #expect(full.numbers == numbers)
        try await Self.add(3_000, to: full)
        try await Self.check([full, other], numbers + [3_000], engine, disk)
    }

    /// A host whose disk was full of log that was retained for an unread stream of commits did not
    /// apply entries of others.
    @Test func anUnreadStreamKeepsNoHostBehind() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), disk)
        let reader = EndSignal()
        host.store.engine.keepHistory(
            for: ObjectIdentifier(reader), from: try HistoryCursor(latestOf: host.store.engine))
        for number in Int64(1)...160 { try await Self.add(number, to: writer) }
        try await host.store.refreshFromHosts()
        try host.store.engine.checkpoint()
        disk.limit(to: disk.usedBytes)
        for number in Int64(161)...200 { try await Self.add(number, to: writer) }
        try await host.store.refreshFromHosts()
        #expect(host.numbers == Array(1...200))
        withExtendedLifetime(reader) {}
        disk.limit(to: nil)
        try await Self.check([host, writer], Array(1...200), engine, disk)
    }

    /// Everything in the folder is in the shared log.
    @Test func theFolderIsWrittenAfterTheSharedLog() async throws {
        let engine = MemorySharedLog.Engine()
        let (disk, log) = (SimulatedDisk(), WatchedLog(MemorySharedLog(engine)))
        let host = try SharedHost(log, disk)
        let other = try SharedHost(MemorySharedLog(engine))
        let local = host.journal.local
        let seen = Mutex<[Version]>([])
        log.watchAppends { seen.withLock { $0.append(local.lastVersion) } }
        var before: [Version] = []
        for number in Int64(1)...20 {
            before.append(host.store.engine.latest.version)
            try await Self.add(number, to: host)
            #expect(local.lastVersion == host.store.engine.latest.version)
        }
        let found = seen.withLock { $0 }
        #expect(found == before)
        try await Self.check([host, other], Array(1...20), engine, disk)
    }

    /// Another program takes all free space during the append to the shared log.
    @Test func spaceLostDuringTheAppendIsTakenFromTheReserve() async throws {
        let engine = MemorySharedLog.Engine()
        let (disk, log) = (SimulatedDisk(), WatchedLog(MemorySharedLog(engine)))
        let host = try SharedHost(log, disk)
        let other = try SharedHost(MemorySharedLog(engine))
        log.watchAppends { disk.limit(to: disk.usedBytes) }
        for number in Int64(1)...20 {
            try await Self.add(number, to: host)
            disk.limit(to: nil)
            #expect(host.store.engine.latest.version == host.journal.local.lastVersion)
        }
        log.watchAppends(nil)
        try await Self.check([host, other], Array(1...20), engine, disk)
    }

    /// Not even the reserve is left: the others have the commit, and so does this host once there
    /// is space.
    @Test func groupsThatTheFolderCannotStoreAreReadAgain() async throws {
        let engine = MemorySharedLog.Engine()
        let (disk, log) = (SimulatedDisk(), WatchedLog(MemorySharedLog(engine)))
        let host = try SharedHost(log, disk)
        let other = try SharedHost(MemorySharedLog(engine))
        log.watchAppends { disk.limit(to: 0) }
        var number: Int64 = 0
        var isUnknown = false
        while !isUnknown {
            number += 1
            try #require(number < 100)
            do {
                try await Self.add(number, to: host)
                disk.limit(to: nil)
            } catch StorageError.commitOutcomeUnknown(let cause) {
                isUnknown = true
                #expect(cause.isShortage)
            }
        }
        log.watchAppends(nil)
        #expect(host.numbers == Array(1..<number))
        #expect(host.store.engine.failure == nil)
        try await other.store.refreshFromHosts()
        #expect(other.numbers == Array(1...number))
        // No other entry precedes it.
        let before = try log.head()
        await #expect {
            try await Self.add(-1, to: host)
        } throws: { error in
            if case StorageError.outOfSpace = error { true } else { false }
        }
        #expect(try log.head() == before)
        disk.limit(to: nil)
        number += 1
        try await Self.add(number, to: host)
        // The row is still the one that its write has found, and not one of another host.
        #expect(host.store.account.reusedKeys.isEmpty)
        try await Self.check([host, other], Array(1...number), engine, disk)
    }

    /// The deletion was only written to the local log: no other host had it.
    @Test func aDeletionOnAFullDiskReachesAllHosts() async throws {
        let engine = MemorySharedLog.Engine()
        let (log, disk) = (MemorySharedLog(engine), SimulatedDisk())
        let full = try SharedHost(MemorySharedLog(engine), disk)
        let other = try SharedHost(MemorySharedLog(engine))
        var keys: [RowKey] = []
        try await full.commit { tree in
            for number in Int64(1)...500 {
                let key = tree.createRow(HarnessSchema.item)
                tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
                keys.append(key)
            }
        }
        disk.limit(to: disk.usedBytes)
        var isRefused = false
        while !isRefused {
            try #require(keys.count < 5_000)
            do {
                let key = try await Self.add(Int64(keys.count) + 1, to: full)
                keys.append(key)
            } catch StorageError.outOfSpace {
                isRefused = true
            }
        }
        let before = try log.head()
        let deleted = keys
        try await full.commit { tree in tree.delete(HarnessSchema.item, deleted) }
        #expect(full.numbers.isEmpty)
        #expect(try log.head() != before)
        try await other.store.refreshFromHosts()
        #expect(other.numbers.isEmpty)
        disk.limit(to: nil)
        try await Self.add(1, to: full)
        try await other.store.refreshFromHosts()
        try await Self.add(2, to: other)
        try await Self.check([full, other], [1, 2], engine, disk)
    }

    /// It used the reserve while a checkpoint could take the space.
    @Test func aDeletionExcludesCheckpointsAfterTheSharedAppend() async throws {
        let log = MemorySharedLog(MemorySharedLog.Engine())
        let host = try SharedHost(log)
        try await host.write(1)
        let (local, version) = (host.journal.local, host.store.engine.latest.version)
        let before = try log.head()
        let group = CommitGroupBuffer()
        try group.append(TestCommit(version.next.rawValue, length: 100))
        var versions: [Version] = []
        var isShared = false
        try host.journal.appendUsingReserve(group, copiedAs: group) {
            (body) throws(StorageError) in
            isShared = (try? log.head()) != before
            versions.append(local.lastVersion)
            try body()
            versions.append(local.lastVersion)
        }
        #expect(isShared && versions == [version, version.next])
        // The engine does not have the commit.
        host.journal.fail(.invalid("The test has ended."))
    }

    // MARK: Following

    /// Without any request, the host continues by itself.
    @Test func aFollowingHostContinuesWhenThereIsSpace() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), disk)
        disk.limit(to: 0)
        host.hosts.begin()
        let numbers = Array(Int64(1)...10)
        for number in numbers { try await Self.add(number, to: writer) }
        await #expect {
            try await host.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.outOfSpace = error { true } else { false }
        }
        #expect(numbers.starts(with: host.numbers) && host.numbers != numbers)
        disk.limit(to: nil)
        try await Self.awaitNumbers(numbers, of: host)
        try await Self.check([host, writer], numbers, engine, disk)
    }

    /// It permanently ended following.
    @Test func aFollowingHostContinuesWhenThereAreDescriptors() async throws {
        let engine = MemorySharedLog.Engine()
        let files = ScarceFiles(MemoryFileSystem())
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), files)
        files.allow(0)
        host.hosts.begin()
        for number in Int64(1)...10 { try await Self.add(number, to: writer) }
        try await wait { files.refusals > 0 }
        #expect(files.refusals > 0)
        files.allow(nil)
        try await Self.awaitNumbers(Array(1...10), of: host)
        try await Self.check([host, writer], Array(1...10), engine, files)
    }

    /// Waits until a host shows these numbers, for a minute at most.
    private static func awaitNumbers(_ numbers: [Int64], of host: SharedHost) async throws {
        try await wait { host.numbers == numbers }
        #expect(host.numbers == numbers)
    }

    // MARK: Descriptors

    /// The host stopped, although the shared log had the commit.
    @Test(arguments: 0..<6)
    func aWriteWithoutDescriptorsIsRefusedOrReadAgain(allowed: Int) async throws {
        let engine = MemorySharedLog.Engine()
        let (log, files) = (MemorySharedLog(engine), ScarceFiles(MemoryFileSystem()))
        let host = try SharedHost(MemorySharedLog(engine), files)
        let other = try SharedHost(MemorySharedLog(engine))
        var numbers: [Int64] = []
        var refusals = 0
        for number in Int64(1)...60 {
            let before = try log.head()
            files.allow(number % 5 == 0 ? nil : allowed)
            do {
                try await Self.add(number, to: host)
            } catch let error as StorageError {
                refusals += 1
                if case .commitOutcomeUnknown(let cause) = error {
                    #expect(cause.isShortage)
                } else {
                    #expect(error.isShortage)
                    #expect(try log.head() == before)
                }
            }
            files.allow(nil)
            #expect(host.store.engine.failure == nil)
            if try log.head() != before { numbers.append(number) }
            try await host.store.refreshFromHosts()
            #expect(host.numbers == numbers)
        }
        #expect(allowed > 0 || refusals > 0)
        try await Self.check([host, other], numbers, engine, files)
    }

    /// Without a descriptor for the checkpoint after an image, the host stopped.
    @Test func aJumpContinuesWhenThereAreDescriptors() async throws {
        let engine = MemorySharedLog.Engine()
        var realm = try ImagedRealm(on: engine)
        try await realm.write()
        let files = ScarceFiles(MemoryFileSystem())
        let host = try realm.open(files)
        try host.store.engine.checkpoint()
        try await realm.makeImages()
        try realm.trim()
        try await realm.write()
        var refusals = 0
        for allowed in 0..<200 {
            files.allow(allowed)
            do {
                try await host.store.refreshFromHosts()
            } catch let error as StorageError {
                #expect(error.isShortage, "\(allowed) allowed: \(error)")
                refusals += 1
            }
            files.allow(nil)
            try #require(host.store.engine.failure == nil, "\(allowed) allowed")
            if host.version == realm.writer.version { break }
        }
        #expect(refusals > 0)
        try await realm.checkGoingOn(host, files)
    }
}

/// A log that calls a closure before each append.
private final class WatchedLog: WrappedLog {
    let base: any SharedLog
    private let watcher = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    func watchAppends(_ watcher: (@Sendable () -> Void)?) {
        self.watcher.withLock { $0 = watcher }
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let watcher = self.watcher.withLock { $0 }
        watcher?()
        return try base.append(entry, at: slot, behind: last)
    }
}
