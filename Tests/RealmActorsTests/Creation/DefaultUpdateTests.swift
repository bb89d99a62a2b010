import RealmActors
import Testing

private final class Harbour: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var boats: List<Boat>
}

private final class Boat: Object {
    @Persisted var owner: Skipper? = Skipper()
    @Persisted var crew: List<Skipper> = [Skipper()]
}

private final class Skipper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = "nobody"
}

/// Defaults that are objects, of what an update makes.
@Suite struct DefaultUpdateTests {
    /// Was refused, as the object that has the default has no primary key of its own.
    @Test(
        "M7: a default that has a primary key is updated where the object is",
        arguments: [UpdatePolicy.modified, .all])
    func defaultsOfObjectsWithoutAPrimaryKey(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm([Harbour.self, Boat.self, Skipper.self]) { realm in
            try await realm.write { tx in
                let boats: [[String: Any]] = [[:], [:]]
                let values: [String: Any] = ["id": 1, "boats": boats]
                let harbour = try tx.create(Harbour.self, value: values, update: policy)
                #expect(harbour.boats.map { $0.owner?.id } == [0, 0])
                #expect(harbour.boats.map { $0.crew.map(\.name) } == [["nobody"], ["nobody"]])
            }
            #expect(realm.objects(Skipper.self).count == 1 && realm.objects(Boat.self).count == 2)
            #expect(try await realm.verify().isIntact)
        }
    }
}
