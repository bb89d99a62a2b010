import Foundation
import RealmActors
import Testing

private final class Hut: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var keeper: Warden? = Warden()
}

private final class Warden: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = "nobody"
}

/// Defaults that are objects, of what an import makes.
@Suite struct JSONImportDefaultTests {
    private static let huts = Data(#"[{"id": 1}, {"id": 2}]"#.utf8)

    /// Was refused: another object had the primary key of the default.
    @Test(
        "M7, V8: a default that has a primary key is updated where the object is",
        arguments: [UpdatePolicy.modified, .all])
    func defaultsWithAPrimaryKey(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm([Hut.self, Warden.self]) { realm in
            try await realm.write { tx in
                _ = try tx.create(Hut.self, json: Self.huts, update: policy)
            }
            #expect(realm.objects(Hut.self).map { $0.keeper?.id } == [0, 0])
            #expect(realm.objects(Warden.self).map(\.name) == ["nobody"])
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("V13: without an update it is a duplicate")
    func defaultsAreDuplicates() async throws {
        try await withFreshRealm([Hut.self, Warden.self]) { realm in
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in _ = try tx.create(Hut.self, json: Self.huts) }
            }
            #expect(realm.objects(Hut.self).isEmpty && realm.objects(Warden.self).isEmpty)
        }
    }
}
