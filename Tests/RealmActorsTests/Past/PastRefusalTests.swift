import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Versions of the past that cannot be read, and their errors.
@Suite struct PastRefusalTests {
    /// The oldest version that an error says can be read.
    private func oldest(
        _ realm: Realm, asOf version: Realm.Version
    ) async -> Realm.Version? {
        do {
            _ = try await realm.snapshot(asOf: version)
            Issue.record("version \(version) can be read")
        } catch RealmError.versionUnavailable(_, let oldest) {
            return oldest
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    @Test("O15: without old values the error says from which version on they are there")
    func withoutOldValues() async throws {
        try await withFreshRealm(historyTypes) { realm in
            for id in 0..<4 { try await realm.addDog(id) }
            let inserted = realm.latestVersion
            try await realm.editDog(1) { $0.name = "Rex" }
            let edited = realm.latestVersion
            try await realm.addDog(4)
            // What only adds needs none.
            #expect(try await realm.snapshot(asOf: edited).objects(HistoryDog.self).count == 4)
            #expect(await oldest(realm, asOf: inserted) == edited)
            let error = await #expect(throws: RealmError.self) {
                _ = try await realm.snapshot(asOf: inserted)
            }
            #expect(error?.description.contains(".keep") == true)
            await #expect(throws: RealmError.self) {
                _ = try await realm.snapshot(asOf: .distantPast)
            }
            // Of the object, too, versions begin there.
            let dog = try #require(realm.object(HistoryDog.self, forPrimaryKey: 1))
            #expect(try await realm.versions(of: dog).map(\.version) == [edited])
        }
    }

    @Test("O15: a version to come, and one of a trimmed log") func aVersionToComeOrTrimmed()
        async throws
    {
        try await withFreshRealm(historyTypes, shortenLog) { realm in
            let first = realm.latestVersion
            for id in 0..<200 {
                try await realm.addDog(id, String(repeating: "y", count: 100))
            }
            let next = Realm.Version(rawValue: realm.latestVersion.rawValue + 1)
            #expect(await oldest(realm, asOf: next) == nil)
            try await realm.close()
            try await realm.reopen()
            let kept = try #require(await oldest(realm, asOf: first))
            #expect(kept > first)
            #expect(try await realm.snapshot(asOf: kept).version == kept)
            await #expect(throws: RealmError.self) {
                _ = try await realm.snapshot(asOf: .distantPast)
            }
        }
    }

    @Test("O15: a commit that is too large for values") func aCommitWithoutValues() async throws {
        let configure: (inout Realm.Configuration) -> Void = {
            $0.history = .keep(bytes: 64 << 20)
            $0.logOptions.pageCommitBytes = 16 << 10
        }
        try await withFreshRealm(historyTypes, configure) { realm in
            try await realm.addDog(0, "Rex")
            let first = realm.latestVersion
            try await realm.write { tx in
                tx.object(HistoryDog.self, forPrimaryKey: 0)?.name = "Max"
                for id in 1..<2000 {
                    try tx.create(
                        HistoryDog.self,
                        value: ["id": id, "name": String(repeating: "x", count: 40)])
                }
            }
            let large = realm.latestVersion
            try await realm.editDog(7) { $0.name = "small" }
            let past = try await realm.snapshot(asOf: large)
            #expect(past.object(HistoryDog.self, forPrimaryKey: 7)?.name.count == 40)
            #expect(await oldest(realm, asOf: first) == large)
        }
    }

    @Test("O15: a realm in memory without a history says how to have one")
    func inMemory() async throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: historyTypes)
        let realm = try await Realm.open(configuration)
        try await realm.addDog(1, "Rex")
        let newest = realm.latestVersion
        #expect(try await realm.snapshot(asOf: newest).version == newest)
        let error = await #expect(throws: RealmError.self) {
            _ = try await realm.snapshot(asOf: Realm.Version(rawValue: 0))
        }
        #expect(error?.description.contains(".keep(for:)") == true)
        try await realm.close()
        configuration.inMemoryIdentifier = UUID().uuidString
        configuration.history = .keep(bytes: 1 << 20)
        let kept = try await Realm.open(configuration)
        try await kept.addDog(1, "Rex")
        let version = kept.latestVersion
        try await kept.editDog(1) { $0.name = "Max" }
        let past = try await kept.snapshot(asOf: version)
        #expect(past.objects(HistoryDog.self).map(\.name) == ["Rex"])
        try await kept.close()
    }

    @Test("O15: a version from before a change of the schema") func aChangeOfTheSchema()
        async throws
    {
        try await withStorePath { path in
            let history = Realm.Configuration.History.keep(bytes: 64 << 20)
            let old = try await Realm.open(
                .init(path: path, objectTypes: [HistoryCat.self], history: history))
            try await old.write { tx in
                try tx.create(HistoryCat.self, value: ["name": "Tom"])
                return
            }
            let version = old.latestVersion
            try await old.close()
            let realm = try await Realm.open(
                .init(path: path, objectTypes: historyTypes, history: history))
            try await realm.addDog(1, "Rex")
            // The log has every commit, that of the new class among them.
            let past = try await realm.snapshot(asOf: version)
            #expect(past.objects(HistoryCat.self).map(\.name) == ["Tom"])
            #expect(past.objects(HistoryDog.self).isEmpty)
            try await realm.close()
        }
    }
}
