import Foundation
import RealmActors
import Testing

private enum CubsBefore {
    final class Cub: Object {
        @Persisted var name: String
    }
}

private enum CubsAfter {
    final class Cub: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var note: String?
    }
}

/// Versions of the past from before a property was added.
@Suite struct AddedPropertyTests {
    private func open(
        _ path: String, _ type: ObjectBase.Type, _ version: UInt64
    ) async throws -> Realm {
        var configuration = Realm.Configuration(
            path: path, objectTypes: [type], schemaVersion: version)
        configuration.history = .keep(bytes: 64 << 20)
        return try await Realm.open(configuration)
    }

    @Test("O13, O16: a property that was added later is as if nothing had been written to it")
    func aPropertyThatWasAddedLater() async throws {
        try await withStorePath { path in
            let old = try await open(path, CubsBefore.Cub.self, 1)
            try await old.write { tx in
                for name in ["Tom", "Max"] {
                    try tx.create(CubsBefore.Cub.self, value: ["name": name])
                }
            }
            let made = old.latestVersion
            try await old.write { tx in
                try tx.delete(tx.objects(CubsBefore.Cub.self).where { $0.name == "Max" })
            }
            try await old.close()
            let new = try await open(path, CubsAfter.Cub.self, 2)
            try await new.write { tx in
                let cub = tx.objects(CubsAfter.Cub.self).first
                cub?.age = 3
            }
            let cubs = try await new.snapshot(asOf: made).objects(CubsAfter.Cub.self)
            #expect(cubs.map(\.name) == ["Tom", "Max"])
            #expect(cubs.map(\.age) == [0, 0] && cubs.map(\.note) == [nil, nil])
            let tom = try await new.versions(of: cubs[0])
            #expect(tom.map { $0.values["age"] } == [.value(.int(0)), .value(.int(3))])
            // The log has the old values of a deleted object.
            let max = try await new.versions(of: cubs[1])
            #expect(max.map { $0.values["name"] } == [.value(.string("Max")), nil])
            #expect(max.map { $0.values["age"] } == [nil, nil])
            try await new.close()
        }
    }
}
