import Foundation
import RealmActors
import Testing

private final class Box: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var label: String
    @Persisted var inside: Box?
}

/// Salvage through the public interface.
@Suite struct SalvageRealmTests {
    private func fill(_ path: String) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: [Box.self]))
        for id in 0..<50 {
            try await realm.write { tx in
                let box = try tx.create(Box.self, value: ["id": id, "label": "box \(id)"])
                box.inside = tx.object(Box.self, forPrimaryKey: id - 1)
            }
        }
        try await realm.close()
    }

    private func damage(_ path: String, at offset: UInt64) throws {
        let file = try #require(
            FileHandle(forUpdatingAtPath: path + "/log/0000000001.log"))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([0xAA, 0xBB, 0xCC, 0xDD]))
        try file.close()
    }

    @Test func aDamagedRealmIsRescued() async throws {
        try await withStorePath { path in
            try await fill(path)
            try damage(path, at: 3000)
            await #expect(throws: RealmError.self) {
                _ = try await Realm.open(.init(path: path, objectTypes: [Box.self]))
            }
            let rescued = path + "-rescued"
            defer { try? FileManager.default.removeItem(atPath: rescued) }
            let report = try await Realm.salvage(from: path, to: rescued)
            #expect(!report.isComplete && report.gaps == 1, "\(report)")
            #expect(report.lostRanges.contains { $0.bytes.contains(3000) })
            #expect(report.description.contains("Lost"))
            let realm = try await Realm.open(.init(path: rescued, objectTypes: [Box.self]))
            let count = realm.objects(Box.self).count
            #expect(count >= 48 && count < 50 && report.objects["Box"] == count)
            #expect(realm.object(Box.self, forPrimaryKey: 49)?.label == "box 49")
            #expect(try await realm.verify().isIntact)
            try await realm.write { tx in
                _ = try tx.create(Box.self, value: ["id": 100, "label": "new"])
            }
            try await realm.close()
        }
    }

    @Test func aSoundRealmComesOutComplete() async throws {
        try await withStorePath { path in
            try await fill(path)
            let copy = path + "-copy"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let report = try await Realm.salvage(from: path, to: copy)
            #expect(report.isComplete && report.objects == ["Box": 50], "\(report)")
            await #expect(throws: RealmError.self) {
                try await Realm.salvage(from: path, to: copy)
            }
        }
    }

    @Test func theModelsReplaceALostDescription() async throws {
        try await withStorePath { path in
            try await fill(path)
            // Behind the epoch stands the commit that brought the classes.
            try damage(path, at: 128 + 104 + 56 + 30)
            let rescued = path + "-rescued"
            defer { try? FileManager.default.removeItem(atPath: rescued) }
            let report = try await Realm.salvage(
                from: path, to: rescued, objectTypes: [Box.self])
            #expect(report.objects == ["Box": 50], "\(report)")
        }
    }

    @Test func whatIsNoRealmCannotBeSalvaged() async throws {
        try await withStorePath { path in
            await #expect(throws: RealmError.self) {
                try await Realm.salvage(from: path, to: path + "-rescued")
            }
            #expect(!FileManager.default.fileExists(atPath: path + "-rescued"))
        }
    }
}
