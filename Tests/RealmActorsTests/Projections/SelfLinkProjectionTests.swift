import RealmActors
import Testing

private final class Kin: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var surname: String
    @Persisted var parent: Kin?
    /// Reads a link to its own class before a property of the object itself.
    var label: String { parent == nil ? name : name + "*" }
    var fullName: String { name + " " + surname }
}

private final class KinProjection: Projection<Kin> {
    @Projected(\Kin.label) var label
}

private final class ParentProjection: Projection<Kin> {
    @Projected(\Kin.parent?.fullName) var parentName
}

/// Projected properties that are computed of a link to the same class and of the object itself.
@Suite struct SelfLinkProjectionTests {
    /// The name of the parent was watched, and a change of the object itself was not reported.
    @Test func whatIsReadOfTheObjectItselfIsWatched() async throws {
        try await withFreshRealm([Kin.self]) { realm in
            try await realm.write { tx in
                _ = try tx.create(Kin.self, value: ["id": 1])
            }
            let kin = try #require(realm.object(KinProjection.self, forPrimaryKey: 1))
            var changes = kin.changes().buffering(.everyVersion(bufferLimit: 4))
                .makeAsyncIterator()
            try await realm.write { tx in tx.object(Kin.self, forPrimaryKey: 1)?.name = "Ann" }
            try await realm.write { tx in try tx.deleteAll(Kin.self) }
            guard case .change(_, let properties) = try await changes.next() else {
                Issue.record("The change was not reported.")
                return
            }
            #expect(properties.map(\.name) == ["label"])
            #expect(properties.first?.newValue == .string("Ann"))
        }
    }

    /// Of the parent, the first property was watched alone, and of the object itself the second.
    @Test func whatIsComputedOfALinkedObjectIsWatched() async throws {
        try await withFreshRealm([Kin.self]) { realm in
            try await realm.write { tx in
                let parent = try tx.create(
                    Kin.self, value: ["id": 2, "name": "Ann"] as [String: Any])
                try tx.create(Kin.self, value: ["id": 1]).parent = parent
            }
            let kin = try #require(realm.object(ParentProjection.self, forPrimaryKey: 1))
            var changes = kin.changes().buffering(.everyVersion(bufferLimit: 4))
                .makeAsyncIterator()
            for id in 1...2 {
                try await realm.write { tx in
                    tx.object(Kin.self, forPrimaryKey: id)?.surname = "Ash"
                }
            }
            try await realm.write { tx in try tx.deleteAll(Kin.self) }
            guard case .change(_, let properties) = try await changes.next() else {
                Issue.record("The change was not reported.")
                return
            }
            #expect(properties.map(\.name) == ["parentName"])
            #expect(properties.first?.oldValue == .string("Ann "))
            #expect(properties.first?.newValue == .string("Ann Ash"))
        }
    }
}
