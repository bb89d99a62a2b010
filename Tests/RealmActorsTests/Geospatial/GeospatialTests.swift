import Foundation
import RealmActors
import Testing

private final class Place: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

private final class Town: Object {
    @Persisted var name: String
    @Persisted var place: Place?
    @Persisted var twin: Town?
}

/// Geospatial types and `geoWithin`.
@Suite struct GeospatialTests {
    private func point(_ latitude: Double, _ longitude: Double) -> GeoPoint {
        GeoPoint(latitude: latitude, longitude: longitude)!
    }

    @Test("P17: points lie on the Earth")
    func pointsLieOnTheEarth() {
        #expect(GeoPoint(latitude: 90, longitude: -180, altitude: 5)?.altitude == 5)
        for (latitude, longitude, altitude) in [
            (90.1, 0.0, 0.0), (-90.1, 0, 0), (0, 180.1, 0), (0, -180.1, 0), (0, 0, -1),
            (.nan, 0, 0), (0, .nan, 0), (0, 0, .nan),
        ] {
            #expect(
                GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) == nil)
        }
    }

    @Test func distancesConvert() {
        #expect(abs(GeoDistance.kilometers(1).meters - 1000) < 1e-9)
        #expect(abs(GeoDistance.miles(1).meters - 1609.344) < 1e-9)
        #expect(abs(GeoDistance.degrees(180).radians - .pi) < 1e-12)
        #expect(GeoDistance.meters(6_378_100).radians == 1 && GeoDistance.meters(1) < .miles(1))
    }

    @Test func circlesReachTheirRadius() throws {
        let center = point(47, 8)
        #expect(GeoCircle(center: center, radius: .meters(-1)) == nil)
        #expect(GeoCircle(center: center, radiusInRadians: .nan) == nil)
        let circle = try #require(GeoCircle(center: center, radius: .degrees(1)))
        #expect(circle.contains(center) && circle.contains(point(47.999, 8)))
        #expect(!circle.contains(point(48.001, 8)))
        // A degree of longitude is shorter there than one of latitude.
        #expect(circle.contains(point(47, 9.4)) && !circle.contains(point(47, 9.5)))
        let pole = try #require(GeoCircle(center: point(90, 0), radius: .degrees(2)))
        #expect(pole.contains(point(89, 170)) && !pole.contains(point(87, 10)))
    }

    @Test func shapesAreMadeOfPairs() throws {
        let box = try #require(GeoBox(bottomLeft: (-10, 170), topRight: (10, -170)))
        #expect(box == GeoBox(bottomLeft: point(-10, 170), topRight: point(10, -170)))
        #expect(GeoBox(bottomLeft: (-91, 0), topRight: (0, 0)) == nil)
        #expect(GeoBox(bottomLeft: (0, 0), topRight: (0, .nan)) == nil)
        let circle = GeoCircle(center: (47, 8), radius: .kilometers(3))
        #expect(circle == GeoCircle(center: point(47, 8), radius: .kilometers(3)))
        #expect(GeoCircle(center: (47, 8), radiusInRadians: 0.1)?.radius == .radians(0.1))
        #expect(GeoCircle(center: (47, 181), radiusInRadians: 0.1) == nil)
        #expect(GeoCircle(center: (47, 8), radiusInRadians: -1) == nil)
        let ring = [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0), (0.0, 0.0)]
        let hole = [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (1.0, 2.0)]
        let (border, cut) = (ring.map { point($0.0, $0.1) }, hole.map { point($0.0, $0.1) })
        let polygon = try #require(GeoPolygon(outerRing: ring, holes: [hole]))
        #expect(polygon == GeoPolygon(outerRing: border, holes: [cut]))
        #expect(polygon == GeoPolygon(outerRing: ring, holes: hole))
        #expect(polygon == GeoPolygon(outerRing: border, holes: cut))
        #expect(GeoPolygon(outerRing: ring) == GeoPolygon(outerRing: border))
        #expect(GeoPolygon(outerRing: Array(ring.dropLast())) == nil)
        #expect(GeoPolygon(outerRing: ring, holes: [[(1, 2), (1, 300), (2, 3), (1, 2)]]) == nil)
    }

    @Test func boxesMayCrossTheDateLine() throws {
        let box = GeoBox(bottomLeft: point(-10, 170), topRight: point(10, -170))
        #expect(box.contains(point(0, 180)) && box.contains(point(5, -175)))
        #expect(box.contains(point(10, 170)) && !box.contains(point(0, 0)))
        #expect(!box.contains(point(11, 180)))
    }

    @Test func polygonsAreClosedRings() throws {
        let (a, b, c, d) = (
            point(0, 0), point(0, 10), point(10, 10), point(10, 0)
        )
        #expect(GeoPolygon(outerRing: [a, b, c, d]) == nil)
        #expect(
            GeoPolygon(outerRing: [a, b, a]) == nil && GeoPolygon(outerRing: [a, b, b, a]) == nil)
        let hole = [
            point(4, 4), point(4, 6), point(6, 6), point(6, 4), point(4, 4),
        ]
        #expect(GeoPolygon(outerRing: [a, b, c, d, a], holes: [[a, b]]) == nil)
        for ring in [[a, b, c, d, a], [a, d, c, b, a]] {
            let polygon = try #require(GeoPolygon(outerRing: ring, holes: [hole]))
            #expect(polygon.contains(point(2, 2)) && polygon.contains(point(9, 1)))
            #expect(!polygon.contains(point(5, 5)) && !polygon.contains(point(-1, 5)))
            #expect(!polygon.contains(point(5, 11)))
            // Nor does it contain what is opposite on the earth.
            #expect(!polygon.contains(point(-2, -178)))
        }
        let around = try #require(
            GeoPolygon(outerRing: [
                point(80, 0), point(80, 120), point(80, -120), point(80, 0),
            ]))
        #expect(around.contains(point(89, 45)) && !around.contains(point(70, 45)))
    }

    @Test("P17: geoWithin finds places and nothing else")
    func geoWithinFindsPlacesAndNothingElse() async throws {
        try await withFreshRealm([Town.self, Place.self]) { realm in
            try await realm.write { tx in
                for (name, latitude, longitude) in [
                    ("Zurich", 47.37, 8.54), ("Bern", 46.95, 7.45), ("Oslo", 59.91, 10.75),
                ] {
                    let value: [String: Any] = [
                        "name": name, "place": ["coordinates": [longitude, latitude]],
                    ]
                    try tx.create(Town.self, value: value)
                }
                try tx.create(Town.self, value: ["name": "nowhere"])
                let odd: [[String: Any]] = [
                    ["coordinates": [8.0]], ["coordinates": [8.0, 147]],
                    ["type": "Line", "coordinates": [8.0, 47]],
                ]
                for place in odd {
                    try tx.create(Town.self, value: ["name": "odd", "place": place])
                }
                let bern = try #require(tx.objects(Town.self).where { $0.name == "Bern" }.first)
                tx.objects(Town.self).first?.twin = bern
            }
            let circle = try #require(GeoCircle(center: point(47, 8), radius: .kilometers(80)))
            let towns = realm.objects(Town.self)
            #expect(towns.where { $0.place.geoWithin(circle) }.map(\.name) == ["Zurich", "Bern"])
            #expect(towns.where { !$0.place.geoWithin(circle) }.count == 5)
            #expect(towns.where { $0.twin.place.geoWithin(circle) }.map(\.name) == ["Zurich"])
            let box = GeoBox(bottomLeft: point(55, 5), topRight: point(65, 15))
            #expect(
                towns.where { $0.place.geoWithin(box) && $0.name != "" }.map(\.name) == ["Oslo"])
            #expect(try towns.filter("place GEOWITHIN %@", circle).count == 2)
            #expect(try towns.filter("NOT place GEOWITHIN %@", circle).count == 5)
            #expect(
                try towns.filter("twin.place GEOWITHIN $area", arguments: ["area": circle])
                    .map(\.name) == ["Zurich"])
            #expect(try towns.filter("name != '' AND place GEOWITHIN %@", box).count == 1)
            for text in ["place GEOWITHIN 3", "name GEOWITHIN %@", "place == %@"] {
                #expect(throws: RealmError.self) { try towns.filter(text, circle) }
            }
            try await realm.write { tx in
                #expect(tx.objects(Town.self).where { $0.place.geoWithin(circle) }.count == 2)
                let found = try tx.objects(Town.self).filter("place GEOWITHIN %@", circle)
                #expect(found.count == 2)
            }
        }
    }
}
