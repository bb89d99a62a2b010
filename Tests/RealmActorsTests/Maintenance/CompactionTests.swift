import Foundation
import RealmActors
import Testing

private final class Parcel: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var code = ""
    @Persisted var weight = 0
    @Persisted var rest = 0
}

/// Space that is no longer used goes back to the disk.
@Suite struct CompactionTests {
    private static func blocks(_ path: String) throws -> Int {
        var total = 0
        for folder in ["log", "pages"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder) {
                let url = URL(fileURLWithPath: "\(path)/\(folder)/\(name)")
                let values = try url.resourceValues(forKeys: [.fileSizeKey])
                total += values.fileSize ?? 0
            }
        }
        return total
    }

    @Test("W2: compacting gives space back and loses nothing")
    func compactingGivesSpaceBackAndLosesNothing() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Parcel.self], writeTimeout: nil)
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in
                for id in 0..<20_000 {
                    let code = "parcel number \(id)"
                    try tx.create(
                        Parcel.self,
                        value: ["id": id, "code": code, "weight": id, "rest": id % 10])
                }
            }
            try await realm.compact()
            let before = try Self.blocks(path)
            try await realm.write { tx in
                try tx.delete(tx.objects(Parcel.self).where { $0.rest != 0 })
            }
            // A snapshot that is held keeps what only it needs, and can be read all the time.
            let held = realm.snapshot()
            async let writing: Void = {
                for round in 0..<50 {
                    try await realm.write { tx in
                        tx.object(Parcel.self, forPrimaryKey: round * 10)?.weight += 1
                    }
                }
            }()
            try await realm.compact()
            try await writing
            try await realm.compact()
            #expect(held.objects(Parcel.self).count == 2_000)
            let after = try Self.blocks(path)
            #expect(after < before)
            try await Self.check(realm)
            try await realm.close()
            let again = try await Realm.open(configuration)
            try await Self.check(again)
            let report = try await again.verify()
            #expect(report.problems.isEmpty)
            try await again.close()
        }
    }

    private static func check(_ realm: Realm) async throws {
        let parcels = realm.objects(Parcel.self)
        #expect(parcels.count == 2_000)
        for parcel in parcels {
            #expect(parcel.id % 10 == 0 && parcel.code == "parcel number \(parcel.id)")
            #expect(parcel.weight == parcel.id + (parcel.id < 500 ? 1 : 0))
        }
        let found = realm.objects(Parcel.self).where { $0.code == "parcel number 770" }
        #expect(found.map(\.id) == [770])
        #expect(realm.failure == nil)
    }
}
