import Foundation
import RealmActors
import StorageHarness
import Testing

/// Polygons that reach around most of the earth, between two lines near the equator, against the
/// latitudes that those have.
@Suite struct GeoBandTests {
    /// A latitude at every 30th meridian from -150 to 150, with great circles between them.
    private struct Line {
        let latitudes: [Double]

        private static let radian = Double.pi / 180

        var points: [GeoPoint] {
            latitudes.enumerated().compactMap {
                GeoPoint(latitude: $0.element, longitude: Double($0.offset) * 30 - 150)
            }
        }

        /// Nil where the line does not reach.
        func latitude(at longitude: Double) -> Double? {
            let place = (longitude + 150) / 30
            guard place >= 0, place < Double(latitudes.count - 1) else { return nil }
            let index = Int(place)
            let before = (place - Double(index)) * 30 * Self.radian
            let behind = 30 * Self.radian - before
            let west = tan(latitudes[index] * Self.radian) * sin(behind)
            let east = tan(latitudes[index + 1] * Self.radian) * sin(before)
            return atan((west + east) / sin(30 * Self.radian)) / Self.radian
        }
    }

    private struct Band {
        let south: Line
        let north: Line

        init(_ random: inout SeededGenerator) {
            let latitudes: [Double] = (0..<22).map { _ in
                Double.random(in: 1...25, using: &random)
            }
            south = Line(latitudes: latitudes.prefix(11).map { -$0 })
            north = Line(latitudes: Array(latitudes.suffix(11)))
        }

        /// Between the parallels of so many degrees at every 30th meridian.
        init(from low: Double, to high: Double) {
            south = Line(latitudes: Array(repeating: low, count: 11))
            north = Line(latitudes: Array(repeating: high, count: 11))
        }

        var ring: [GeoPoint] {
            var ring = south.points
            ring.append(contentsOf: north.points.reversed())
            ring.append(ring[0])
            return ring
        }

        func contains(_ point: GeoPoint) -> Bool {
            guard let low = south.latitude(at: point.longitude),
                let high = north.latitude(at: point.longitude)
            else { return false }
            return low < point.latitude && point.latitude < high
        }
    }

    private func points(_ random: inout SeededGenerator) -> [GeoPoint] {
        (0..<400).compactMap { number in
            GeoPoint(
                latitude: number % 4 == 0 ? 0 : Double.random(in: -40...40, using: &random),
                longitude: Double.random(in: -179...179, using: &random))
        }
    }

    @Test func polygonsReachAroundMostOfTheEarth() throws {
        var random = SeededGenerator()
        let seed = random.seed
        for round in 0..<20 {
            let band = round == 0 ? Band(from: -10, to: 10) : Band(&random)
            let polygon = try #require(GeoPolygon(outerRing: band.ring))
            let reversed = try #require(GeoPolygon(outerRing: Array(band.ring.reversed())))
            for point in points(&random) {
                let comment: Comment = "SEED=\(seed), \(round): \(point)"
                #expect(polygon.contains(point) == band.contains(point), comment)
                #expect(reversed.contains(point) == band.contains(point), comment)
            }
        }
    }

    @Test func pointsOppositeToACornerAreInsideOrNot() throws {
        let polygon = try #require(GeoPolygon(outerRing: Band(from: -10, to: 20).ring))
        for longitude in stride(from: -120.0, through: 120, by: 30) {
            for (latitude, isInside) in [(10.0, true), (-20, false)] {
                let point = try #require(GeoPoint(latitude: latitude, longitude: longitude))
                #expect(polygon.contains(point) == isInside, "\(point)")
            }
        }
    }

    @Test func holesDoSoToo() throws {
        let polygon = try #require(
            GeoPolygon(
                outerRing: Band(from: -20, to: 20).ring, holes: [Band(from: -10, to: 10).ring]))
        for longitude in stride(from: -145.0, through: 145, by: 7) {
            for (latitude, isInside) in [(0.0, false), (15, true), (-15, true), (40, false)] {
                let point = try #require(GeoPoint(latitude: latitude, longitude: longitude))
                #expect(polygon.contains(point) == isInside, "\(point)")
            }
        }
    }

    @Test func anIndexFindsWhatAScanDoes() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let band = Band(&random)
        let all = points(&random)
        let polygon = try #require(GeoPolygon(outerRing: band.ring))
        let expected = all.indices.filter { band.contains(all[$0]) }
        #expect(expected.count > 40, "SEED=\(seed)")
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                for (id, place) in all.enumerated() {
                    let spot = try tx.create(GeoSpot.self, value: ["id": id])
                    spot.move(to: (place.latitude, place.longitude))
                }
            }
            for name in ["indexed", "degrees", "plain"] {
                let found = try realm.objects(GeoSpot.self).filter("\(name) GEOWITHIN %@", polygon)
                #expect(found.values(of: \.id) == expected, "SEED=\(seed), \(name)")
            }
        }
    }
}
