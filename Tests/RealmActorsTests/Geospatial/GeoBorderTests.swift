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
