import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Restoring a shared log as of a date, by the clocks of the hosts that committed.
@Suite struct RestoredDateTests {
    private static let restored = "restored.realm"

    /// A realm whose commits have given times.
    private struct TimedRealm {
        let engine = MemorySharedLog.Engine()
        let host: SharedHost
        /// The time of each number that was written.
        private(set) var times: [Double] = []
        private(set) var versions: [Version] = []

        init() throws { host = try SharedHost(MemorySharedLog(engine)) }

        var log: MemorySharedLog { MemorySharedLog(engine) }

        /// Writes the next number.
        mutating func write(at time: Double) async throws {
            try await host.write(Int64(times.count), at: time)
            times.append(time)
            versions.append(host.store.engine.latest.version)
        }

        /// The numbers before the first one that is later.
        func numbers(at date: Double) -> [Int64] {
            Array(0..<Int64(times.prefix { $0 <= date }.count))
        }

        /// The numbers in what is restored.
        func restore(asOf target: SharedLogRestore.Target) throws -> [Int64]? {
            let files = MemoryFileSystem()
            var realm = SharedRealm(log, key: nil, timeout: nil)
            realm.repetitions = 2
            let restore = SharedLogRestore(
                of: realm, asOf: target, to: RestoredDateTests.restored, files)
            _ = try restore.run()
            return try SharedHost.contents(files, RestoredDateTests.restored)
        }
    }

    private static var now: Double { Date().timeIntervalSince1970 }

    /// The clock of the host that made the image was behind those of others: the restored realm had
    /// commits that were later than the date.
    @Test func anImageWithALaterCommitIsNotUsed() async throws {
        var realm = try TimedRealm()
        let begin = Self.now + 1e6
        var rest = 8
        while rest > 0 {
            // Every seventh goes back.
            let number = Double(realm.times.count)
            let isBack = realm.times.count % 7 == 6
            try await realm.write(at: begin + number * 10 - (isBack ? 25 : 0))
            if try realm.log.images().isEmpty {
                try realm.host.store.makeImageIfDue()
            } else {
                rest -= 1
            }
        }
        try #require(try realm.log.head().first == .first)
        for time in realm.times {
            for date in [time - 1, time] {
                let expected = realm.numbers(at: date)
                #expect(try realm.restore(asOf: .time(date)) == expected)
            }
        }
        try await realm.host.store.close()
    }

    /// Dates between the last commit in the oldest image and the moment when the image was made
    /// were refused.
    @Test func eachDateFromTheOldestImageOnIsRestored() async throws {
        var realm = try TimedRealm()
        let begin = (Self.now - 1e6).rounded()
        var rest = 5
        while rest > 0 {
            try await realm.write(at: begin + Double(realm.times.count) * 10)
            if try realm.log.head().first == .first {
                try realm.host.store.makeImageIfDue()
            } else {
                rest -= 1
            }
        }
        let image = try #require(try realm.log.images().last)
        let oldest = try realm.host.journal.header(of: image)
        let number = try #require(realm.versions.firstIndex(of: oldest.cursor.version))
        #expect(oldest.time == realm.times[number])
        for time in realm.times[number...] {
            for date in [time, time + 1] {
                let expected = realm.numbers(at: date)
                #expect(try realm.restore(asOf: .time(date)) == expected)
            }
        }
        let date = Date(timeIntervalSince1970: oldest.time)
        #expect {
            _ = try realm.restore(asOf: .time(oldest.time - 1))
        } throws: { error in
            "\(error)".contains("version \(oldest.cursor.version), as of \(date)")
        }
        try await realm.host.store.close()
    }

    /// A host makes an image of commits that it has not seen itself since it was opened.
    @Test func anImageHasTheLatestTimeOfAllItsCommits() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let first = try SharedHost(MemorySharedLog(engine))
        var number: Int64 = 0
        let begin = Self.now
        for count in 1...2 {
            let highest = begin + Double(count) * 1e6
            try await first.write(number, at: highest)
            let other = try SharedHost(MemorySharedLog(engine))
            while try log.images().count < count {
                number += 1
                try await other.write(number, at: highest - Double(number))
                try other.store.makeImageIfDue()
            }
            number += 1
            let newest = try #require(try log.images().first)
            #expect(try other.journal.header(of: newest).time == highest)
            try await other.store.close()
            try await first.store.refreshFromHosts()
        }
        try await first.store.close()
    }

    @Test func aVersionBeforeTheFirstIsRefused() async throws {
        var realm = try TimedRealm()
        try await realm.write(at: 1e6)
        #expect(
            throws: StorageError.invalid(
                "The first commit of the shared log is later than version 0.")
        ) { _ = try realm.restore(asOf: .version(.zero)) }
        try await realm.host.store.close()
    }
}
