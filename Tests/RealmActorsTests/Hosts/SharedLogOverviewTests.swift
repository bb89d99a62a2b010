import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// What a shared log says of itself, to who opens no realm.
@Suite struct SharedLogOverviewTests {
    @Test func hostsAreToldWithWhatTheyHaveAppended() async throws {
        let engine = MemorySharedLog.Engine()
        let log = Realm.SharedLog { MemorySharedLog(engine) }
        let none = try await log.overview()
        #expect(none.lastWriter == nil && none.hosts.isEmpty && none.nextEntry == none.firstEntry)
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            for (number, realm) in [first, second, second].enumerated() {
                _ = try await realm.refreshed(.toNewest)
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            let overview = try await log.overview()
            #expect(overview.hosts.map(\.id) == [second.sharing.host, first.sharing.host])
            #expect(overview.hosts.map(\.isLastWriter) == [true, false])
            #expect(overview.lastWriter == second.sharing.host)
            #expect(overview.version == second.latestVersion)
            #expect(overview.hosts[0].lastEntry == overview.nextEntry - 1)
            #expect(overview.hosts[1].entriesSince >= 2)
            // It was not notified that the lease had moved.
            #expect(overview.epoch == 1)
            _ = try await first.refreshed(.toNewest)
            try await first.write { tx in _ = try tx.create(Mark.self, value: ["number": 9]) }
            #expect(try await log.overview().epoch == 2)
            let newest = try await log.overview(lookingAt: 1)
            #expect(newest.hosts.map(\.id) == [first.sharing.host])
            let copy = try #require(try await log.copy(at: path + "-2"))
            #expect(copy.host == second.sharing.host && copy.nextEntry <= overview.nextEntry)
            try await first.close()
            try await second.close()
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// Everything that a thousand entries hold was read for it.
    @Test func onlyHeadersAreRead() async throws {
        let engine = MemorySharedLog.Engine()
        let log = CountedLog(MemorySharedLog(engine))
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            let overview = try await Realm.SharedLog { log }.overview()
            #expect(overview.hosts.map(\.id) == [realm.sharing.host])
            #expect(overview.version == realm.latestVersion)
            #expect(log.wholeReads.withLock { $0 } == 0)
            try await realm.close()
            try Realm.deleteFiles(at: path)
        }
    }

    /// It crashed where others appended while it looked, and failed where they trimmed.
    @Test(arguments: [0, 2])
    func whatChangesMeanwhileIsLeftOut(trimmed: UInt64) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            for number in 0..<4 {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            let next = try MemorySharedLog(engine).head().next.rawValue
            let log = LateLog(MemorySharedLog(engine), trimmed)
            let overview = try await Realm.SharedLog { log }.overview()
            #expect(overview.nextEntry == next - 1 && overview.firstEntry == 1)
            #expect(overview.hosts.map(\.lastEntry) == [next - 2])
            #expect(overview.hosts.map(\.entriesSince) == [0])
            try await realm.close()
            try Realm.deleteFiles(at: path)
        }
    }

    @Test func aFolderOfAnotherRealmIsNoCopy() async throws {
        let engine = MemorySharedLog.Engine()
        let log = Realm.SharedLog { MemorySharedLog(engine) }
        try await withStorePath { path in
            try await Realm.open(.init(path: path, objectTypes: [Mark.self])).close()
            #expect(try await log.copy(at: path) == nil)
        }
    }
}

/// A log that says where it ended before its last entry came, and before others were trimmed.
private final class LateLog: WrappedLog {
    let base: any SharedLog
    private let trimmed: UInt64

    init(_ base: any SharedLog, _ trimmed: UInt64) {
        self.base = base
        self.trimmed = trimmed
    }

    func head() throws(SharedLogError) -> SharedLogHead {
        let head = try base.head()
        try base.trim(below: LogSlot(head.first.rawValue + trimmed), imagesBelow: nil)
        return SharedLogHead(first: head.first, next: LogSlot(head.next.rawValue - 1))
    }
}

/// A log that counts how often entries are read with all that they have.
private final class CountedLog: WrappedLog {
    let base: any SharedLog
    let wholeReads = Mutex(0)

    init(_ base: any SharedLog) { self.base = base }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        wholeReads.withLock { $0 += 1 }
        return try base.entries(from: slot, bytesMax: bytesMax)
    }

    func entries(
        from slot: LogSlot, prefix: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        try base.entries(from: slot, prefix: prefix)
    }
}
