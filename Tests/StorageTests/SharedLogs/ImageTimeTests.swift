import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The latest time of the commits in an image, and what its host reads for that.
@Suite struct ImageTimeTests {
    private static let begin = 1e9

    /// The host read all entries since the previous image again: in a bucket, one request for each.
    @Test func appliedEntriesAreNotReadForAnImage() async throws {
        let engine = MemorySharedLog.Engine()
        let log = ReadCountingLog(MemorySharedLog(engine))
        let other = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(log)
        var times: [Double] = []
        while try log.images().count < 2 {
            let writer = times.count % 2 == 0 ? other : host
            let isBack = times.count % 7 > 3
            let time = Self.begin + Double(times.count) - (isBack ? 100 : 0)
            try await writer.store.refreshFromHosts()
            try await writer.write(Int64(times.count), at: time)
            times.append(time)
            try await host.store.refreshFromHosts()
            let (images, reads) = (try log.images(), log.reads)
            try host.store.makeImageIfDue()
            #expect(log.reads == reads)
            guard let newest = try log.images().first, newest != images.first else { continue }
            #expect(try host.journal.header(of: newest).time == times.max())
        }
        for host in [host, other] { try await host.store.close() }
    }

    /// A host knows no times of commits that it has applied before it was opened.
    @Test func anImageHasTheTimesFromBeforeAnOpening() async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        let log = MemorySharedLog(engine)
        var number: Int64 = 0
        for count in 1...2 {
            let highest = Self.begin + Double(count) * 1e6
            let before = try SharedHost(MemorySharedLog(engine), files)
            number += 1
            try await before.write(number, at: highest)
            try await before.store.close()
            let counting = ReadCountingLog(MemorySharedLog(engine))
            let host = try SharedHost(counting, files)
            let first = host.journal.position.times.first
            #expect(first == host.journal.cursor.next)
            let reads = counting.reads
            while try log.images().count < count {
                number += 1
                try await host.write(number, at: highest - Double(number))
                try host.store.makeImageIfDue()
            }
            #expect(counting.reads > reads)
            let newest = try #require(try log.images().first)
            #expect(try host.journal.header(of: newest).time == highest)
            try await host.store.close()
        }
    }

    /// A host that continues from an image knows its time, and not those of the commits in it.
    @Test func anImageHasTheTimeOfTheOneBefore() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let first = try SharedHost(MemorySharedLog(engine))
        try await first.write(0, at: Self.begin + 1e6)
        var number: Int64 = 0
        while try log.images().isEmpty {
            number += 1
            try await first.write(number, at: Self.begin)
            try first.store.makeImageIfDue()
        }
        let image = try #require(try log.images().first)
        try log.trim(below: image.slot, imagesBelow: image.slot)
        let counting = ReadCountingLog(MemorySharedLog(engine))
        let other = try SharedHost(counting)
        while try log.images().first == image {
            number += 1
            try await other.write(number, at: Self.begin)
            let reads = counting.reads
            try other.store.makeImageIfDue()
            #expect(counting.reads == reads)
        }
        let newest = try #require(try log.images().first)
        #expect(try other.journal.header(of: newest).time == Self.begin + 1e6)
        for host in [first, other] { try await host.store.close() }
    }
}

/// A log that counts how often several entries at a time are read from it: a check reads one.
private final class ReadCountingLog: WrappedLog {
    let base: any SharedLog
    private let count = Atomic<Int>(0)

    init(_ base: any SharedLog) { self.base = base }

    var reads: Int { count.load(ordering: .relaxed) }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        if bytesMax > 1 { count.wrappingAdd(1, ordering: .relaxed) }
        return try base.entries(from: slot, bytesMax: bytesMax)
    }
}
