import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private final class Leaflet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}

/// Openings that compact.
@Suite struct CompactionOnOpeningTests {
    /// It threw, so that a program could not open a realm that it was to make smaller just because
    /// the disk was full.
    @Test("Z12: a full disk does not keep a realm from opening")
    func aFullDiskDoesNotKeepARealmFromOpening() async throws {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "/compacted-\(UUID().uuidString).realm", objectTypes: [Leaflet.self],
            writeTimeout: nil)
        configuration.fileSystem = disk
        var realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for id in 0..<4000 {
                let leaflet = try tx.create(Leaflet.self, value: ["id": id])
                leaflet.text = String(repeating: "x", count: 200)
            }
        }
        try await realm.write { tx in
            try tx.delete(tx.objects(Leaflet.self).where { $0.id >= 100 })
        }
        try await realm.close()
        disk.resetCalls()
        configuration.shouldCompactOnOpen = { _, _ in
            disk.inject(.init(.noSpace, call: disk.callCount + 1, isLasting: true))
            return true
        }
        realm = try await Realm.open(configuration)
        #expect(disk.faultyCallCount > 0)
        disk.resetCalls()
        #expect(realm.failure == nil && realm.objects(Leaflet.self).count == 100)
        try await realm.write { tx in _ = try tx.create(Leaflet.self, value: ["id": 4000]) }
        #expect(try await realm.verify().isIntact)
        try await realm.close()
    }
}
