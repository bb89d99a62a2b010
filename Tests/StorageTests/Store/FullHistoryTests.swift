import StorageHarness
import Testing

@testable import Storage

/// Stores that retain history on a full disk.
@Suite struct FullHistoryTests {
    private func makeStore(
        _ disk: SimulatedDisk, _ tune: (inout LogOptions) -> Void = { _ in }
    ) throws -> FillingStore {
        var options = FillingStore.options
        options.history = .seconds(1e9)
        tune(&options)
        return try FillingStore(disk, options: options)
    }

    private func logSegments(_ disk: SimulatedDisk) throws -> [String] {
        try disk.list("store.realm/log").filter { $0.hasSuffix(".log") }
    }

    // The record of a deletion contained everything that was deleted, and the log kept its files:
    // the disk stayed full as long as the realm was open.
    @Test(arguments: [700_000, 1_500_000, 6_000_000], [false, true])
    func whatFillsTheDiskCanBeDeletedAndWrittenAgain(capacity: Int, copiesOnWrite: Bool) throws {
        let disk = SimulatedDisk()
        disk.limit(to: capacity, copiesOnWrite: copiesOnWrite)
        var random = SeededGenerator(seed: UInt64(capacity))
        let store = try makeStore(disk)
        for round in 0..<2 {
            try store.fill()
            let filled = store.numbers.count
            if round == 1 { try store.reopen() }
            if round > 0 {
                // If a record is written before it is refused, it is refused once.
                let isDone = try store.delete { $0 % 5 == 0 }
                #expect(isDone || copiesOnWrite)
            }
            #expect(try store.delete { _ in true })
            try store.compact()
            // Most of the disk is free again.
            var count = 0
            while count < filled / 2, try store.insert(100) { count += 100 }
            #expect(count >= filled / 2, "round \(round): \(count) of \(filled)")
            if random.oneIn(2) { try store.reopen() }
            try store.check()
        }
    }

    /// Without space for old values, a deletion is added to the history without them.
    @Test func aDeletionHasNoOldValues() throws {
        let disk = SimulatedDisk()
        disk.limit(to: 900_000)
        let store = try makeStore(disk)
        try store.fill()
        // After an opening, it is not known that the disk is full.
        try store.reopen()
        let start = store.engine.latest.version
        let count = store.numbers.count
        #expect(try store.delete { $0 >= 100 })
        var cursor = try HistoryCursor(behind: start, of: store.engine)
        var commits: [LoggedCommit] = []
        while let group = try cursor.next(of: store.engine) { commits += group }
        #expect(commits.map(\.hasOldValues) == [false])
        let deleted = commits.map { $0.classes[0].deleted.reduce(0) { $0 + $1.count } }
        #expect(deleted == [count - 100])
        disk.crash(seed: 1, .everything)
        try store.recover()
        try store.check()
    }

    /// No more history is removed than necessary, the oldest first.
    @Test func compactionDropsTheOldestHistory() throws {
        let disk = SimulatedDisk()
        let store = try makeStore(disk) { $0.segmentSizeGrown = 64 << 10 }
        for _ in 0..<60 { #expect(try store.insert(200)) }
        try store.engine.checkpoint()
        let segments = try logSegments(disk)
        try store.compact()
        #expect(try logSegments(disk).starts(with: segments))
        disk.limit(to: disk.usedBytes)
        try store.compact()
        let left = try logSegments(disk)
        #expect(!left.contains(segments[0]) && left.contains(segments[segments.count - 3]))
        #expect(try store.insert(200))
        try store.check()
    }

    /// A store whose policy retains no history.
    private func makeStoreWithoutHistory(
        _ disk: SimulatedDisk, _ tune: (inout LogOptions) -> Void = { _ in }
    ) throws -> FillingStore {
        var options = FillingStore.options
        options.segmentSizeGrown = 64 << 10
        tune(&options)
        let store = try FillingStore(disk, options: options)
        #expect(try store.insert(10))
        return store
    }

    /// Writes log that becomes obsolete.
    private func passTime(_ rounds: Int, in store: FillingStore) throws {
        for _ in 0..<rounds {
            #expect(try store.insert(500))
            #expect(try store.delete { _ in true })
            try store.engine.checkpoint()
        }
    }

    /// Up to 256 MB of log were retained for an unread stream of commits: on a smaller disk, all
    /// writes were refused as long as the stream existed, even after everything was deleted.
    @Test func anUnreadStreamDoesNotKeepTheDiskFull() throws {
        let disk = SimulatedDisk()
        let store = try makeStoreWithoutHistory(disk)
        var cursor = try HistoryCursor(latestOf: store.engine)
        let reader = EndSignal()
        store.engine.keepHistory(for: ObjectIdentifier(reader), from: cursor)
        disk.limit(to: disk.usedBytes + (1 << 20))
        for round in 0..<40 {
            #expect(try store.insert(500), "round \(round)")
            #expect(try store.delete { _ in true }, "round \(round)")
            try? store.engine.checkpoint()
        }
        try store.check()
        // The stream throws, since it has lost commits.
        #expect(throws: HistoryError.self) {
            while try cursor.next(of: store.engine) != nil {}
        }
        withExtendedLifetime(reader) {}
    }

    /// The rest of the log for a stream that had lost its beginning was useless, but stayed until
    /// the next checkpoint, for which it may leave no space.
    @Test func uselessLogOfAStreamIsRemovedCompletely() throws {
        let disk = SimulatedDisk()
        let store = try makeStoreWithoutHistory(disk)
        let readers = [EndSignal(), EndSignal()]
        store.engine.keepHistory(
            for: ObjectIdentifier(readers[0]), from: try HistoryCursor(latestOf: store.engine))
        try passTime(30, in: store)
        var late = try HistoryCursor(latestOf: store.engine)
        let begin = try #require(late.segment)
        store.engine.keepHistory(for: ObjectIdentifier(readers[1]), from: late)
        try passTime(10, in: store)
        let before = try logSegments(disk)
        let superfluous = before.count { $0 < begin.fileName }
        #expect(superfluous > 20)
        disk.limit(to: disk.usedBytes)
        for _ in 0..<6 { #expect(try store.insert(500)) }
        let after = try logSegments(disk)
        #expect(after.allSatisfy { $0 >= begin.fileName })
        #expect(after.contains(begin.fileName))
        // The other stream has everything that it has not read yet.
        while try late.next(of: store.engine) != nil {}
        #expect(late.version == store.engine.latest.version)
        try store.check()
        withExtendedLifetime(readers) {}
    }

    /// It was removed for commits in the log, but not for larger ones.
    @Test func aLargeCommitGetsTheSpaceOfAnUnreadStream() throws {
        let disk = SimulatedDisk()
        let store = try makeStoreWithoutHistory(disk) { $0.pageCommitBytes = 256 << 10 }
        let reader = EndSignal()
        store.engine.keepHistory(
            for: ObjectIdentifier(reader), from: try HistoryCursor(latestOf: store.engine))
        try passTime(40, in: store)
        disk.limit(to: disk.usedBytes + (300 << 10))
        // The first one is refused, and frees space for the next.
        if try !store.insert(6_000) { #expect(try store.insert(6_000)) }
        try store.check()
        withExtendedLifetime(reader) {}
    }

    /// On a full disk, a compaction removed only history that the policy retains.
    @Test func compactionDropsUnreadHistory() throws {
        let disk = SimulatedDisk()
        let store = try makeStoreWithoutHistory(disk)
        let reader = EndSignal()
        store.engine.keepHistory(
            for: ObjectIdentifier(reader), from: try HistoryCursor(latestOf: store.engine))
        try passTime(20, in: store)
        let first = try #require(try logSegments(disk).first)
        disk.limit(to: disk.usedBytes)
        try store.compact()
        #expect(try !logSegments(disk).contains(first))
        try store.check()
        withExtendedLifetime(reader) {}
    }
}
