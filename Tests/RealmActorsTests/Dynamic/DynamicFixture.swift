import RealmActors

final class DynamicOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = "nobody"
    @Persisted var pet: DynamicPet?
    @Persisted var pets: List<DynamicPet>
    @Persisted var tags: MutableSet<String>
    @Persisted var byName: Map<String, DynamicPet?>
    @Persisted var collar: DynamicCollar?
    @Persisted var any: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
}

final class DynamicPet: Object {
    @Persisted var name: String = "pet"
    @Persisted var age: Int?
    @Persisted(originProperty: "pets") var owners: LinkingObjects<DynamicOwner>
}

final class DynamicCollar: EmbeddedObject {
    @Persisted var color: String = "red"
}

/// Owners, their pets and collars, for tests of access by name.
enum DynamicFixture {
    static let models: [ObjectBase.Type] = [DynamicOwner.self, DynamicPet.self, DynamicCollar.self]

    /// Runs `body` in a fresh realm with an owner, whose primary key is 1, and three pets.
    static func withOwner(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = [
                    "id": 1, "name": "Ann", "pet": ["name": "Rex", "age": 3] as [String: Any],
                    "pets": [["name": "Tom"], ["name": "Kit"]], "tags": ["a", "b"],
                    "collar": ["color": "blue"],
                ]
                _ = try tx.create(DynamicOwner.self, value: value)
            }
            try await body(realm)
        }
    }
}
