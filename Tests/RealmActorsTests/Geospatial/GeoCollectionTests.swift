import RealmActors
import StorageHarness
import Testing

/// An object that says no place itself.
private final class GeoTour: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var spots: List<GeoSpot>
    @Persisted var named: Map<String, GeoSpot?>
    @Persisted var before: GeoTour?

    static let classes: [ObjectBase.Type] = [GeoTour.self] + GeoSpot.classes
}

/// `geoWithin` behind collections of objects, against what is worked out object by object.
@Suite struct GeoCollectionTests {
    /// The places of a tour in the order of its list, those that are none as nil.
    private struct Naive {
        let id: Int
        let points: [GeoPoint?]
        let first: GeoPoint?
        let beforeLast: GeoPoint?
    }

    private func fill(_ places: inout RandomPlaces, _ tx: WriteTransaction) throws {
        var spots: [GeoSpot] = []
        for id in 0..<150 {
            let spot = try tx.create(GeoSpot.self, value: ["id": id])
            spot.move(to: places.place())
            spots.append(spot)
        }
        var before: GeoTour?
        for id in 0..<80 {
            let tour = try tx.create(GeoTour.self, value: ["id": id])
            for _ in 0..<(id % 4) {
                tour.spots.append(spots[Int.random(in: 0..<150, using: &places.random)])
            }
            if id % 5 > 0 { tour.named["first"] = spots[id] }
            tour.before = before
            before = id % 7 == 0 ? nil : tour
        }
    }

    private func naive(_ tours: FrozenResults<GeoTour>) -> [Naive] {
        tours.map { tour in
            tour.withObject { tour in
                Naive(
                    id: tour.id, points: tour.spots.map(\.point),
                    first: (tour.named["first"] ?? nil)?.point,
                    beforeLast: tour.before?.spots.last?.point)
            }
        }
    }

    private func ids(_ tours: FrozenResults<GeoTour>) -> [Int] { tours.values(of: \.id) }

    /// One element was looked for in the columns of the class with the collection.
    @Test func anElementIsTheObjectThatItLeadsTo() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm(GeoTour.classes) { realm in
            var places = RandomPlaces(random: SeededGenerator(seed: seed))
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: seed))
                try fill(&places, tx)
            }
            let tours = realm.objects(GeoTour.self)
            let rows = naive(tours)
            for round in 0..<30 {
                let shapes: [any GeoShape] = [places.circle(), places.box(), places.polygon()]
                for shape in shapes {
                    let comment: Comment = "SEED=\(seed), \(round): \(shape)"
                    func within(_ point: GeoPoint?) -> Bool {
                        point.map { shape.contains($0) } ?? false
                    }
                    for place in ["indexed", "plain"] {
                        let head = try tours.filter("spots[0].\(place) GEOWITHIN %@", shape)
                        let expected = rows.filter { within($0.points.first ?? nil) }.map(\.id)
                        #expect(ids(head) == expected, comment)
                        let named = try tours.filter("named['first'].\(place) GEOWITHIN %@", shape)
                        #expect(ids(named) == rows.filter { within($0.first) }.map(\.id), comment)
                        let before = try tours.filter(
                            "NOT before.spots[LAST].\(place) GEOWITHIN %@", shape)
                        #expect(
                            ids(before) == rows.filter { !within($0.beforeLast) }.map(\.id),
                            comment)
                    }
                }
                let circle = places.circle()
                let named = tours.where { $0.named["first"].indexed.geoWithin(circle) }
                let expected = rows.filter { $0.first.map { circle.contains($0) } ?? false }
                #expect(ids(named) == expected.map(\.id), "SEED=\(seed), \(round): \(circle)")
            }
            // Nothing that is sound was taken for damage.
            try await realm.write { tx in try tx.create(GeoTour.self, value: ["id": 1000]) }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test func quantifiersSayHowManyLieWithin() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm(GeoTour.classes) { realm in
            var places = RandomPlaces(random: SeededGenerator(seed: seed))
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: seed))
                try fill(&places, tx)
            }
            let tours = realm.objects(GeoTour.self)
            let rows = naive(tours)
            for round in 0..<40 {
                let area = places.box()
                let comment: Comment = "SEED=\(seed), \(round): \(area)"
                func within(_ point: GeoPoint?) -> Bool {
                    point.map { area.contains($0) } ?? false
                }
                let one = rows.filter { $0.points.contains(where: within) }.map(\.id)
                let every = rows.filter { $0.points.allSatisfy(within) }.map(\.id)
                let no = rows.map(\.id).filter { !one.contains($0) }
                for found in [
                    tours.where { $0.spots.indexed.geoWithin(area) },
                    tours.where { $0.spots.any.plain.geoWithin(area) },
                    try tours.filter("ANY spots.indexed GEOWITHIN %@", area),
                ] { #expect(ids(found) == one, comment) }
                for found in [
                    tours.where { $0.spots.all.indexed.geoWithin(area) },
                    tours.where { $0.spots.all.plain.geoWithin(area) },
                ] { #expect(ids(found) == every, comment) }
                for found in [
                    tours.where { $0.spots.none.indexed.geoWithin(area) },
                    try tours.filter("NONE spots.plain GEOWITHIN %@", area),
                    try tours.filter("NONE spots.indexed IN %@", area),
                ] { #expect(ids(found) == no, comment) }
            }
        }
    }

    @Test func textSaysWhetherAnyIsMeant() async throws {
        try await withFreshRealm(GeoTour.classes) { realm in
            let tours = realm.objects(GeoTour.self)
            let area = try #require(GeoBox(bottomLeft: (0, 0), topRight: (9, 9)))
            for text in [
                "spots.indexed GEOWITHIN %@", "ANY spots[0].indexed GEOWITHIN %@",
                "ANY spots GEOWITHIN %@", "NONE before GEOWITHIN %@",
            ] {
                #expect(throws: RealmError.self, "\(text)") { try tours.filter(text, area) }
            }
        }
    }
}
