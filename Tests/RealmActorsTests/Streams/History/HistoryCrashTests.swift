import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Campaign in small: power is lost at random, with whatever was not synced there or not, and the
/// consumer goes on with the token that it had.
@Suite struct HistoryCrashTests {
    /// What is there after a loss of power, and how far the consumer had come.
    private struct Loss {
        let disk: SimulatedDisk
        let token: ChangeToken
        let seen: Int
        let acknowledged: Int
    }

    private static func configuration(_ disk: SimulatedDisk) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: "history-crash.realm", objectTypes: historyTypes, history: .keep(bytes: 16 << 20))
        configuration.fileSystem = disk
        configuration.logOptions.segmentSizeMin = 2048
        configuration.logOptions.segmentSizeGrown = 4096
        configuration.logOptions.segmentSizeMax = 8192
        return configuration
    }

    private static func id(_ commit: RealmCommit) throws -> Int {
        let inserted = try #require(commit.insertions(of: HistoryDog.self).first)
        guard case .int(let id)? = inserted.values["id"]?.frozen else {
            throw RealmError.invalidValue("a commit without its value")
        }
        return id
    }

    @Test func aConsumerContinuesAfterALossOfPowerWithNothingLostAndNothingTwice() async throws {
        var generator = SeededGenerator()
        let disk = SimulatedDisk()
        var losses: [Loss] = []
        let realm = try await Realm.open(Self.configuration(disk))
        var token = realm.snapshot().changeToken
        var seen = 0
        for id in 0..<90 {
            try await realm.addDog(id, String(repeating: "z", count: Int(generator.next() % 300)))
            if generator.next() % 3 == 0 {
                var commits = realm.commits(since: token).makeAsyncIterator()
                while seen < id + 1 - Int(generator.next() % 3) {
                    let commit = try #require(try await commits.next())
                    #expect(try Self.id(commit) == seen, "SEED=\(generator.seed)")
                    token = commit.token
                    seen += 1
                }
            }
            if generator.next() % 5 == 0 {
                let image = disk.crashImage(seed: generator.next(), .random)
                losses.append(
                    Loss(disk: image, token: token, seen: seen, acknowledged: id + 1))
            }
            if id % 20 == 19 {
                // A checkpoint, and further commits in the log.
                try await realm.close()
                try await realm.reopen()
            }
        }
        try await realm.close()
        for loss in losses { try await Self.goOn(loss, generator.seed) }
    }

    private static func goOn(_ loss: Loss, _ seed: UInt64) async throws {
        let realm = try await Realm.open(configuration(loss.disk))
        let count = realm.objects(HistoryDog.self).count
        #expect(count >= loss.acknowledged, "SEED=\(seed)")
        var commits = realm.commits(since: loss.token).makeAsyncIterator()
        try await realm.addDog(count)
        let ids = try await take(count + 1 - loss.seen, &commits).map { try id($0) }
        #expect(ids == Array(loss.seen...count), "SEED=\(seed)")
        #expect(try await realm.verify().problems.isEmpty)
        try await realm.close()
    }

    @Test func damageInTheHistoryIsReportedAndNotDelivered() async throws {
        let disk = SimulatedDisk()
        var configuration = Self.configuration(disk)
        configuration.path = "history-damage.realm"
        let realm = try await Realm.open(configuration)
        let token = realm.snapshot().changeToken
        for id in 0..<20 { try await realm.addDog(id, "damage") }
        disk.damage("history-damage.realm/log/0000000001.log", at: 1000)
        var commits = realm.commits(since: token).makeAsyncIterator()
        let error = await #expect(throws: RealmError.self) {
            while try await commits.next() != nil {}
        }
        guard case .corrupted? = error else {
            Issue.record("expected damage, not \(String(describing: error))")
            return
        }
        try await realm.close()
    }

    @Test func whatIsKeptByTimeGoesWhenItsTimeIsOver() async throws {
        let disk = SimulatedDisk()
        var configuration = Self.configuration(disk)
        configuration.path = "history-time.realm"
        configuration.history = .keep(for: .zero)
        let realm = try await Realm.open(configuration)
        let token = realm.snapshot().changeToken
        for id in 0..<60 { try await realm.addDog(id, String(repeating: "t", count: 200)) }
        try await realm.close()
        try await realm.reopen()
        var commits = realm.commits(since: token).makeAsyncIterator()
        await #expect(throws: RealmError.self) { try await commits.next() }
        try await realm.close()
        configuration.path = "history-kept.realm"
        configuration.history = .keep(for: .seconds(3600))
        let kept = try await Realm.open(configuration)
        let start = kept.snapshot().changeToken
        for id in 0..<60 { try await kept.addDog(id, String(repeating: "t", count: 200)) }
        try await kept.close()
        try await kept.reopen()
        var all = kept.commits(since: start).makeAsyncIterator()
        #expect(try await take(60, &all).count == 60)
        try await kept.close()
    }
}
