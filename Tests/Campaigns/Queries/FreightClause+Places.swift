import RealmActors
import StorageHarness

extension SeededGenerator {
    /// A condition on the location of a freight.
    mutating func places() -> FreightClause {
        let area = area()
        let name = "area\(next(below: 1 << 30))"
        var clause = FreightClause("place GEOWITHIN $\(name)") { row, _ in
            row.place.map { area.contains($0) } ?? false
        }
        clause.arguments = [name: area]
        return clause
    }

    private mutating func area() -> any GeoShape {
        let point = freightPoint()
        switch next(below: 3) {
        case 0:
            let radius = one([0, 0.0001, 0.01, 0.1, 1, 3, 4])
            return GeoCircle(center: point, radiusInRadians: radius).unsafelyUnwrapped
        case 1: return GeoBox(bottomLeft: point, topRight: freightPoint())
        default:
            while true {
                let ring = [freightPoint(), freightPoint(), freightPoint()]
                if let polygon = GeoPolygon(outerRing: ring + [ring[0]]) { return polygon }
            }
        }
    }
}
