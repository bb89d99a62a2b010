import RealmActors
import Testing

private final class Kin: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var parent: Kin?
    /// Reads a link to its own class before a property of the object itself.
    var label: String { parent == nil ? name : name + "*" }
}

private final class KinProjection: Projection<Kin> {
    @Projected(\Kin.label) var label
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
}
