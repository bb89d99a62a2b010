import RealmActors
import Testing

private final class Spot: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var names: List<String>
    @Persisted var heights: Map<String, Int>
}

/// Is stored as an embedded object.
private struct Place: CustomPersistable {
    var latitude: Double
    var name: String

    init(_ latitude: Double, _ name: String) {
        self.latitude = latitude
        self.name = name
    }

    init(persistedValue: Spot) {
        self.init(persistedValue.latitude, persistedValue.names.first ?? "")
    }

    var persistableValue: Spot {
        let spot = Spot()
        spot.latitude = latitude
        spot.names.append(name)
        spot.heights["top"] = 7
        return spot
    }

    /// The value of the properties of a change.
    var properties: FrozenValue {
        .dictionary([
            "latitude": .double(latitude), "names": .list([.string(name)]),
            "heights": .dictionary(["top": .int(7)]),
        ])
    }
}

private final class Cabin: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var place: Place
    @Persisted var former: Place?
    @Persisted var spot: Spot?
}

private final class CabinProjection: Projection<Cabin> {
    @Projected(\Cabin.place) var site
    @Projected(\Cabin.former) var formerSite
    @Projected(\Cabin.spot) var spot
}

/// Changes of projected properties that are stored as embedded objects.
@Suite struct EmbeddedValueProjectionTests {
    /// They had no values.
    @Test("P16, P18: values that are stored as embedded objects are reported by their properties")
    func valuesAreReportedByTheirProperties() async throws {
        try await withFreshRealm([Cabin.self, Spot.self]) { realm in
            try await realm.write { tx in
                let cabin = try tx.create(Cabin.self, value: ["id": 1])
                cabin.place = Place(1, "a")
            }
            let cabin = try #require(realm.object(CabinProjection.self, forPrimaryKey: 1))
            var changes = cabin.changes().makeAsyncIterator()
            try await realm.write { tx in
                let cabin = try #require(tx.object(Cabin.self, forPrimaryKey: 1))
                cabin.place = Place(2, "b")
                cabin.former = Place(1, "a")
                cabin.spot = Place(3, "c").persistableValue
            }
            guard case .change(_, let properties)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            try #require(properties.map(\.name) == ["site", "formerSite", "spot"])
            #expect(properties[0].oldValue == Place(1, "a").properties)
            #expect(properties[0].newValue == Place(2, "b").properties)
            #expect(properties[1].oldValue == FrozenValue.none)
            #expect(properties[1].newValue == Place(1, "a").properties)
            #expect(properties[2].oldValue == FrozenValue.none)
            #expect(properties[2].newValue == Place(3, "c").properties)
        }
    }
}
