import Foundation
import RealmActors
import StorageHarness
import Testing

/// What lies on the border of an area lies in it, for a scan and for an index.
@Suite struct GeoBorderTests {
    private func point(_ latitude: Double, _ longitude: Double) -> GeoPoint {
        GeoPoint(latitude: latitude, longitude: longitude)!
    }

    private func direction(_ point: GeoPoint) -> SIMD3<Double> {
        let (north, east) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
        return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    /// A point of the great circle from one to another.
    private func between(_ a: GeoPoint, _ b: GeoPoint, share: Double) -> GeoPoint {
        let sum = direction(a) * (1 - share) + direction(b) * share
        return point(
            atan2(sum.z, hypot(sum.x, sum.y)) * 180 / .pi, atan2(sum.y, sum.x) * 180 / .pi)
    }

    @Test func polygonsContainTheirCornersAndEdges() throws {
        let ring = [point(0, 0), point(0, 10), point(10, 10), point(10, 0), point(0, 0)]
        let hole = [point(4, 4), point(4, 6), point(6, 6), point(6, 4), point(4, 4)]
        let borders: [[[GeoPoint]]] = [
            [ring, hole], [Array(ring.reversed()), hole], [ring, Array(hole.reversed())],
        ]
        for border in borders {
            let polygon = try #require(GeoPolygon(outerRing: border[0], holes: [border[1]]))
            for (from, to) in border.flatMap({ zip($0, $0.dropFirst()) }) {
                #expect(polygon.contains(from), "\(from)")
                for share in [0.001, 0.25, 0.5, 0.9] {
                    let point = between(from, to, share: share)
                    #expect(polygon.contains(point), "\(point) between \(from) and \(to)")
                }
            }
            let north = between(point(10, 0), point(10, 10), share: 0.5)
            #expect(polygon.contains(point(north.latitude - 1e-6, north.longitude)))
            #expect(!polygon.contains(point(north.latitude + 1e-6, north.longitude)))
            #expect(!polygon.contains(point(-1e-6, 0)) && !polygon.contains(point(5, 4.000_001)))
        }
    }

    @Test func randomPolygonsContainTheirBorder() {
        let seed = SeededGenerator().seed
        var places = RandomPlaces(random: SeededGenerator(seed: seed))
        for round in 0..<400 {
            let polygon = places.polygon()
            for (from, to) in zip(polygon.outerRing, polygon.outerRing.dropFirst()) {
                let comment: Comment = "SEED=\(seed), \(round): \(from) to \(to)"
                #expect(polygon.contains(from), comment)
                // Of points that are opposite, or nearly so, any way may be meant.
                let angle = from.distance(to: to)
                guard angle > .meters(1), angle < .degrees(179) else { continue }
                #expect(polygon.contains(between(from, to, share: 0.5)), comment)
            }
        }
    }

    /// Nearly all of the equator was farther from a pole than 90 degrees, by what rounding does.
    @Test func circlesContainTheirBorder() throws {
        for degrees in 1..<180 {
            let radius = GeoDistance.degrees(Double(degrees))
            let circle = try #require(GeoCircle(center: point(0, 0), radius: radius))
            #expect(circle.contains(point(0, Double(degrees))), "\(degrees)")
            #expect(circle.contains(point(0, Double(-degrees))), "\(degrees)")
            #expect(!circle.contains(point(0, Double(degrees) + 1e-6)), "\(degrees)")
        }
        let half = try #require(GeoCircle(center: point(90, 0), radius: .degrees(90)))
        for degrees in -180...180 {
            #expect(half.contains(point(0, Double(degrees))), "\(degrees)")
            #expect(!half.contains(point(-1e-6, Double(degrees))), "\(degrees)")
        }
    }

    @Test func oneMeridianHasTwoNumbers() {
        let (west, east) = (
            GeoBox(bottomLeft: point(0, -180), topRight: point(10, -170)),
            GeoBox(bottomLeft: point(0, 170), topRight: point(10, 180))
        )
        for box in [west, east] {
            #expect(box.contains(point(5, 180)) && box.contains(point(5, -180)))
            #expect(!box.contains(point(11, 180)) && !box.contains(point(11, -180)))
        }
        #expect(west.contains(point(5, -171)) && !west.contains(point(5, 179)))
        #expect(east.contains(point(5, 171)) && !east.contains(point(5, -179)))
        let other = GeoBox(bottomLeft: point(0, 170), topRight: point(10, 179))
        #expect(!other.contains(point(5, 180)) && !other.contains(point(5, -180)))
        let line = GeoBox(bottomLeft: point(0, 180), topRight: point(10, -180))
        #expect(line.contains(point(5, 180)) && line.contains(point(5, -180)))
        #expect(!line.contains(point(5, 0)))
    }

    /// A pole, or a place on the meridian opposite to Greenwich, has several longitudes, and was in
    /// several places by what rounding does.
    @Test func aPlaceIsAsFarAwayByAnyOfItsLongitudes() async throws {
        let same = [
            [point(5, 180), point(5, -180)], [point(90, 0), point(90, 90), point(90, -180)],
            [point(-90, 10), point(-90, -135)],
        ]
        let all = same.flatMap { $0 }
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                for (id, place) in all.enumerated() {
                    let spot = try tx.create(GeoSpot.self, value: ["id": id])
                    spot.move(to: (place.latitude, place.longitude))
                }
            }
            let spots = realm.objects(GeoSpot.self)
            for (places, expected) in zip(same, [[0, 1], [2, 3, 4], [5, 6]]) {
                for center in places {
                    let circle = try #require(GeoCircle(center: center, radius: .meters(0)))
                    for place in places { #expect(circle.contains(place), "\(place), \(center)") }
                    for name in ["indexed", "degrees", "plain"] {
                        let found = try spots.filter("\(name) GEOWITHIN %@", circle)
                        #expect(found.values(of: \.id) == expected, "\(name) at \(center)")
                    }
                }
            }
            let here = point(10, 20)
            let order = [2, 3, 4, 5, 6, 0, 1]
            let sorted = spots.sorted(byDistanceFrom: here, on: \.plain)
            let walked = spots.sorted(byDistanceFrom: here, on: \.indexed).limit(6)
            #expect(sorted.values(of: \.id) == order)
            #expect(walked.values(of: \.id) == Array(order.prefix(6)))
        }
    }

    @Test func anIndexFindsWhatAScanDoes() async throws {
        let ring = [point(0, 170), point(0, 180), point(10, 180), point(10, 170), point(0, 170)]
        var places: [GeoPoint] = []
        for step in 0...60 {
            let share = Double(step) / 60
            for (from, to) in zip(ring, ring.dropFirst()) {
                places.append(between(from, to, share: share))
            }
            places.append(point(10 * share, 180))
            places.append(point(10 * share, -180))
            places.append(point(10 * share, -179))
        }
        let all = places
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                for (id, place) in all.enumerated() {
                    let spot = try tx.create(GeoSpot.self, value: ["id": id])
                    spot.move(to: (place.latitude, place.longitude))
                }
            }
            let spots = realm.objects(GeoSpot.self)
            let polygon = try #require(GeoPolygon(outerRing: ring))
            let shapes: [any GeoShape] = [
                polygon, GeoBox(bottomLeft: point(0, 170), topRight: point(10, 180)),
                GeoBox(bottomLeft: point(0, -180), topRight: point(10, -175)),
                GeoBox(bottomLeft: point(0, 180), topRight: point(10, 180)),
                GeoBox(bottomLeft: point(0, 175), topRight: point(10, -175)),
            ]
            for shape in shapes {
                let expected = all.indices.filter { shape.contains(all[$0]) }
                #expect(expected.count >= 120, "\(shape)")
                for place in ["indexed", "degrees", "plain"] {
                    let found = try spots.filter("\(place) GEOWITHIN %@", shape)
                    #expect(found.values(of: \.id) == expected, "\(place) in \(shape)")
                }
            }
        }
    }
}
