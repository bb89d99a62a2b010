import RealmActors
import Testing

private enum BadgeDefaults {
    @TaskLocal static var areRefused = false
}

private final class Badge: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var badges: List<Badge>
    @Persisted(originProperty: "badges") var owners: LinkingObjects<Badge>

    required init() {
        super.init()
        if BadgeDefaults.areRefused { self["id"] = "one" }
    }

    required init(value: Any) throws(RealmError) { try super.init(value: value) }
}

/// Frozen objects of a class whose initializer sets a value that does not fit.
@Suite struct RefusedDefaultTests {
    private func find(_ id: Int, in realm: Realm) throws -> Frozen<Badge> {
        try BadgeDefaults.$areRefused.withValue(true) {
            try #require(realm.object(Badge.self, forPrimaryKey: id))
        }
    }

    /// The note of the refused value was taken for that of a lost row.
    @Test func anObjectWhoseInitializerSetsARefusedValueHasItsRow() async throws {
        try await withFreshRealm([Badge.self]) { realm in
            try await realm.write { tx in
                let badge = try tx.create(Badge.self, value: ["id": 1])
                badge.badges.append(badge)
            }
            let badge = try find(1, in: realm)
            #expect(badge.id == 1 && badge.owners.count == 1)
            #expect(badge.badges.sorted(by: \.id).count == 1)
            #expect(badge == realm.object(Badge.self, forPrimaryKey: 1))
        }
    }
}
