import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private enum Packed {
    final class StowedCrate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
    }
}

private enum Repacked {
    final class StowedCrate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var rank: Int = 7
    }
}

private final class StowedLid: Object {
    @Persisted var width: Int
}

/// Openings that have to write, on a disk that is full.
@Suite struct FullDiskOpeningTests {
    private static let count = 20

    private static func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for id in 0..<count {
                _ = try tx.create(Packed.StowedCrate.self, value: ["id": id, "text": "\(id)"])
            }
        }
    }

    /// Expects that opening is refused for want of space, and says what to do.
    private static func expectRefusal(
        _ configuration: Realm.Configuration, saying advice: String
    ) async throws {
        do {
            let realm = try await Realm.open(configuration)
            try await realm.close()
            Issue.record("It was opened")
        } catch RealmError.noSpaceToOpen(let path, let reason) {
            #expect(path == configuration.path && reason.contains(advice))
        }
    }

    // It said to delete objects and to call compact(), which nobody could.
    @Test(arguments: [false, true])
    func aSchemaThatThereIsNoSpaceForIsNamed(addsClass: Bool) async throws {
        let disk = SimulatedDisk()
        let path = "/simulated-\(UUID().uuidString).realm"
        func prepared(_ configuration: Realm.Configuration) -> Realm.Configuration {
            var configuration = configuration
            configuration.fileSystem = disk
            configuration.logOptions.preparesInBackground = false
            return configuration
        }
        let old = prepared(Realm.Configuration(path: path, objectTypes: [Packed.StowedCrate.self]))
        var new = old
        if addsClass {
            new.objectTypes = [Packed.StowedCrate.self, StowedLid.self]
        } else {
            new.objectTypes = [Repacked.StowedCrate.self]
            new.schemaVersion = 1
        }
        let realm = try await Realm.open(old)
        try await Self.fill(realm)
        try await realm.close()
        disk.resetCalls()
        disk.inject(.init(.noSpace, call: 1, isLasting: true))
        for _ in 0..<2 { try await Self.expectRefusal(new, saying: "usesStoredSchema") }
        // What it advises can be done.
        let stored = try await Realm.open(
            prepared(Realm.Configuration(path: path, usesStoredSchema: true)))
        #expect(try stored.dynamicObjects("StowedCrate").count == Self.count)
        try await stored.close()
        disk.resetCalls()
        let opened = try await Realm.open(new)
        if addsClass {
            #expect(opened.objects(Packed.StowedCrate.self).count == Self.count)
            #expect(opened.objects(StowedLid.self).isEmpty)
        } else {
            let crates = opened.objects(Repacked.StowedCrate.self)
            #expect(crates.count == Self.count && crates.allSatisfy { $0.rank == 7 })
        }
        #expect(try await opened.verify().isIntact)
        try await opened.close()
    }

    @Test func aHostThatCannotTakeWhatOthersHaveCommittedSaysSo() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        func configuration(_ files: SimulatedDisk) -> Realm.Configuration {
            var configuration = files.configuration([Packed.StowedCrate.self])
            configuration.sharedLog = Realm.SharedLog { MemorySharedLog(engine) }
            return configuration
        }
        let host = configuration(disk)
        try await Realm.open(host).close()
        let other = try await Realm.open(configuration(SimulatedDisk()))
        try await Self.fill(other)
        disk.resetCalls()
        disk.inject(.init(.noSpace, call: 1, isLasting: true))
        for _ in 0..<2 { try await Self.expectRefusal(host, saying: "shared log") }
        disk.resetCalls()
        let opened = try await Realm.open(host)
        #expect(opened.objects(Packed.StowedCrate.self).count == Self.count)
        try await opened.close()
        try await other.close()
    }
}
