import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// What cells of the grid of places are said to have of areas, and how far away they are said to
/// be, against points in them.
@Suite struct GeoRegionTests {
    private func randomCell(_ places: inout RandomPlaces) -> PlaceCell {
        var cell = PlaceCell.whole
        let point = places.point()
        for _ in 0..<Int.random(in: 0...31, using: &places.random) {
            cell =
                cell.quarters.first {
                    $0.latitudes.contains(point.latitude)
                        && $0.longitudes.contains(point.longitude)
                } ?? cell
        }
        return cell
    }

    private func points(in cell: PlaceCell, _ places: inout RandomPlaces) -> [GeoPoint] {
        let (latitudes, longitudes) = (cell.latitudes, cell.longitudes)
        var found: [(Double, Double)] = []
        for latitude in [latitudes.lowerBound, latitudes.upperBound] {
            for longitude in [longitudes.lowerBound, longitudes.upperBound] {
                found.append((latitude, longitude))
            }
        }
        for _ in 0..<12 { found.append((places.degrees(latitudes), places.degrees(longitudes))) }
        return found.compactMap { GeoPoint(latitude: $0.0, longitude: $0.1) }
    }

    @Test func cellsAreSaidRightly() throws {
        let seed = SeededGenerator().seed
        var places = RandomPlaces(random: SeededGenerator(seed: seed))
        var decided = 0
        for round in 0..<6_000 {
            let cell = randomCell(&places)
            let shape: any GeoShape =
                switch round % 3 {
                case 0: places.circle()
                case 1: places.box()
                default: places.polygon()
                }
            let relation = try #require(GeoRegion(shape)).relation(to: cell)
            let origin = GeoOrigin(places.point())
            let (least, greatest) = (origin.leastAngle(to: cell), origin.greatestAngle(to: cell))
            for point in points(in: cell, &places) {
                let isRight =
                    switch relation {
                    case .crossing: true
                    case .inside: shape.contains(point)
                    case .outside: !shape.contains(point)
                    }
                #expect(isRight, "SEED=\(seed), \(round): \(relation), \(shape), \(point)")
                let angle = origin.angle(to: point)
                #expect(
                    least <= angle && angle <= greatest,
                    "SEED=\(seed), \(round): \(origin.point), \(cell), \(point)")
            }
            if relation != .crossing { decided += 1 }
        }
        #expect(decided > 3_000)
    }
}
