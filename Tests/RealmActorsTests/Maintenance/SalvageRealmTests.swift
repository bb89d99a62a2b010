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
    /// A store as a process leaves it that is killed, with all of its log and no checkpoint; or one
    /// that was closed, whose objects are in page files.
    private func fill(_ path: String, closed: Bool, _ count: Int = 50) async throws {
        let open = closed ? path : path + ".open"
        let realm = try await Realm.open(.init(path: open, objectTypes: [Box.self]))
        for id in 0..<50 {
            try await realm.write { tx in
                let box = try tx.create(Box.self, value: ["id": id, "label": "box \(id)"])
                box.inside = tx.object(Box.self, forPrimaryKey: id - 1)
            }
        }
        if count > 50 {
            try await realm.write { tx in
                for id in 50..<count {
                    let value: [String: Any] = ["id": id, "label": "box \(id)"]
                    _ = try tx.create(Box.self, value: value)
                }
            }
        }
        if !closed { try FileManager.default.copyItem(atPath: open, toPath: path) }
        try await realm.close()
        if !closed { try FileManager.default.removeItem(atPath: open) }
    }

    private func damage(_ file: String, at offset: UInt64) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: file))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([0xAA, 0xBB, 0xCC, 0xDD]))
        try file.close()
    }

    @Test("O11: a damaged realm is rescued")
    func aDamagedRealmIsRescued() async throws {
        try await withStorePath { path in
            try await fill(path, closed: false)
            try damage(path + "/log/0000000001.log", at: 3000)
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

    @Test(arguments: [true, false]) func aSoundRealmComesOutComplete(closed: Bool) async throws {
        try await withStorePath { path in
            try await fill(path, closed: closed, 2000)
            let copy = path + "-copy"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let report = try await Realm.salvage(from: path, to: copy)
            #expect(report.isComplete && report.objects == ["Box": 2000], "\(report)")
            let realm = try await Realm.open(.init(path: copy, objectTypes: [Box.self]))
            #expect(realm.object(Box.self, forPrimaryKey: 30)?.inside?.label == "box 29")
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            await #expect(throws: RealmError.self) {
                try await Realm.salvage(from: path, to: copy)
            }
        }
    }

    @Test("O11: damaged pages lose only what is in them")
    func damagedPagesLoseOnlyWhatStandsInThem() async throws {
        try await withStorePath { path in
            try await fill(path, closed: true, 2000)
            // A node of the first ones written, which are chunks of the first clusters.
            let file = path + "/pages/0000000001.pages"
            try damage(file, at: 200)
            let open = try await Realm.open(.init(path: path, objectTypes: [Box.self]))
            let damaged = try await open.verify()
            #expect(damaged.problems.contains { $0.file == file && $0.offset == 64 })
            try? await open.close()
            let rescued = path + "-rescued"
            defer { try? FileManager.default.removeItem(atPath: rescued) }
            let report = try await Realm.salvage(from: path, to: rescued)
            #expect(!report.isComplete, "\(report)")
            #expect(report.lostRanges.contains { $0.file == file && $0.bytes.contains(200) })
            #expect((report.objects["Box"] ?? 0) >= 1700)
            let realm = try await Realm.open(.init(path: rescued, objectTypes: [Box.self]))
            #expect(realm.object(Box.self, forPrimaryKey: 1999)?.label == "box 1999")
            let verified = try await realm.verify()
            #expect(verified.isIntact, "\(verified.problems)")
            try await realm.close()
        }
    }

    @Test func withoutItsLogARealmIsReadFromItsPages() async throws {
        try await withStorePath { path in
            try await fill(path, closed: true, 300)
            try FileManager.default.removeItem(atPath: path + "/log")
            let rescued = path + "-rescued"
            defer { try? FileManager.default.removeItem(atPath: rescued) }
            let report = try await Realm.salvage(from: path, to: rescued)
            #expect(report.objects == ["Box": 300] && !report.isComplete, "\(report)")
            #expect(report.lostRanges.contains { $0.file == path + "/log" && $0.bytes.isEmpty })
        }
    }

    @Test func theModelsReplaceALostDescription() async throws {
        try await withStorePath { path in
            try await fill(path, closed: false)
            // Behind the epoch stands the commit that brought the classes.
            try damage(path + "/log/0000000001.log", at: 128 + 104 + 56 + 30)
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
