import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private enum Later {
    final class Place: Object {
        @Persisted(primaryKey: true) var street: String
        @Persisted var rank: Int = 7
        @Persisted var inner: Before.Nest?
    }
}

/// The power fails during a migration.
@Suite struct MigrationCrashTests {
    private static let count = 40

    private func configuration(
        _ disk: SimulatedDisk, _ path: String, isNew: Bool
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(path: path)
        configuration.objectTypes =
            isNew
            ? [Later.Place.self, Before.Nest.self] : [Before.Place.self, Before.Nest.self]
        configuration.fileSystem = disk
        configuration.logOptions.segmentSizeMin = 2048
        configuration.logOptions.segmentSizeMax = 8192
        // So that a cluster is spilled during the migration.
        configuration.logOptions.spillBytes = 4096
        configuration.logOptions.preparesInBackground = false
        if isNew {
            configuration.schemaVersion = 1
            configuration.migration = { migration, _ in
                try migration.enumerate("Place") { old, new in
                    new?["street"] = "new " + (old?["street"] as? String ?? "")
                }
                try migration.create("Place", value: ["street": "another"])
            }
        }
        return configuration
    }

    private func makeStore(_ path: String) async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(configuration(disk, path, isNew: false))
        try await realm.write { tx in
            for number in 0..<Self.count {
                try tx.create(
                    Before.Place.self, value: ["street": "\(number)", "inner": ["depth": number]])
            }
        }
        try await realm.close()
        return disk.crashImage(seed: 0, .everything)
    }

    /// Says of a disk which version of the store it has; the store must be whole.
    private func version(on disk: SimulatedDisk, _ path: String) async throws -> UInt64 {
        do {
            let realm = try await Realm.open(configuration(disk, path, isNew: false))
            let places = realm.objects(Before.Place.self)
            #expect(places.map(\.street) == (0..<Self.count).map { "\($0)" })
            #expect(places.compactMap { $0.inner?.depth } == Array(0..<Self.count))
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            return 0
        } catch RealmError.schemaDowngrade {
            let realm = try await Realm.open(configuration(disk, path, isNew: true))
            let places = realm.objects(Later.Place.self)
            #expect(
                places.map(\.street) == (0..<Self.count).map { "new \($0)" } + ["another"])
            #expect(places.compactMap { $0.inner?.depth } == Array(0..<Self.count))
            #expect(places.allSatisfy { $0.rank == 7 })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            return 1
        }
    }

    @Test("G13: a crash leaves the old or the new store whole")
    func everyCallLeavesTheOldOrTheNewStoreWhole() async throws {
        let path = "migrated-\(UUID().uuidString).realm"
        let original = try await makeStore(path)
        var seen: [UInt64] = [0, 0]
        var call = 0
        while true {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            let realm = try? await Realm.open(configuration(disk, path, isNew: true))
            try? await realm?.close()
            let policies: [CrashPolicy] = [.nothing, .everything, .random]
            for (number, policy) in policies.enumerated() {
                let image = disk.crashImage(seed: UInt64(call * 8 + number), policy)
                let version = try await version(on: image, path)
                // What an opening had given out is not taken back.
                if realm != nil { #expect(version == 1, "call \(call), \(policy)") }
                seen[Int(version)] += 1
            }
            if disk.faultyCallCount == 0 { break }
        }
        #expect(seen[0] > 10 && seen[1] > 10 && call > 30, "\(seen) after \(call) calls")
    }
}
