import RealmActors
import Testing

/// Figures about a store.
@Suite struct StatisticsTests {
    @Test func aRealmThatOnlyReadsKnowsWhatTheCheckpointUses() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Tenant.self], writeTimeout: nil)
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in
                for id in 0..<500 { try tx.create(Tenant.self, value: ["id": id, "flat": id]) }
            }
            try await realm.compact()
            let expected = realm.statistics.liveBytes
            try await realm.close()
            configuration.readOnly = true
            let reader = try await Realm.open(configuration)
            #expect(reader.statistics.liveBytes == expected && expected > 4_000)
            try await reader.close()
        }
    }
}
