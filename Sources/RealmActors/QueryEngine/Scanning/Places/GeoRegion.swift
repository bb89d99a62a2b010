import Foundation
import Storage

/// The relation of a cell of the grid of places to an area.
enum CellRelation {
    /// No point of the cell lies in the area.
    case outside
    /// Every point does.
    case inside
    /// Some may.
    case crossing
}

/// An area for a search in an index of places, cell by cell. Its answer for a cell allows for
/// rounding of points at the border.
enum GeoRegion: Sendable {
    case box(GeoBox)
    case circle(GeoOrigin, radius: Double)
    case polygon(GeoPolygon, edges: [GeoEdge])

    /// Nil for a shape that can only test single points.
    init?(_ shape: any GeoShape) {
        switch shape {
        case let box as GeoBox: self = .box(box)
        case let circle as GeoCircle:
            self = .circle(GeoOrigin(circle.center), radius: circle.radius.radians)
        case let polygon as GeoPolygon:
            let rings = [polygon.outerRing] + polygon.holes
            let edges = rings.flatMap { zip($0, $0.dropFirst()).map { GeoEdge($0, $1) } }
            self = .polygon(polygon, edges: edges)
        default: return nil
        }
    }

    func relation(to cell: PlaceCell) -> CellRelation {
        switch self {
        case .box(let box): Self.relation(box, cell)
        case .circle(let center, let radius): Self.relation(center, radius, cell)
        case .polygon(let polygon, let edges): Self.relation(polygon, edges, cell)
        }
    }

    private static func relation(_ box: GeoBox, _ cell: PlaceCell) -> CellRelation {
        let (west, east) = (box.bottomLeft.longitude, box.topRight.longitude)
        let latitudes = relation(box.bottomLeft.latitude, box.topRight.latitude, cell.latitudes)
        var longitudes: CellRelation
        if west <= east {
            longitudes = relation(west, east, cell.longitudes)
        } else {
            // Across the date line: what lies west of its east, or east of its west.
            switch (
                relation(-180, east, cell.longitudes), relation(west, 180, cell.longitudes)
            ) {
            case (.inside, _), (_, .inside): longitudes = .inside
            case (.outside, .outside): longitudes = .outside
            case (.crossing, _), (_, .crossing): longitudes = .crossing
            }
        }
        if longitudes == .outside, box.spans(180),
            cell.longitudes.contains(180) || cell.longitudes.contains(-180)
        {
            // Some of the cell lies on the meridian that both ends of the grid have.
            longitudes = .crossing
        }
        switch (latitudes, longitudes) {
        case (.outside, _), (_, .outside): return .outside
        case (.inside, .inside): return .inside
        case (.crossing, _), (_, .crossing): return .crossing
        }
    }

    /// The relation of `degrees` to the range from `lower` to `upper`.
    private static func relation(
        _ lower: Double, _ upper: Double, _ degrees: ClosedRange<Double>
    ) -> CellRelation {
        if degrees.upperBound < lower || degrees.lowerBound > upper { return .outside }
        return degrees.lowerBound >= lower && degrees.upperBound <= upper ? .inside : .crossing
    }

    private static func relation(
        _ center: GeoOrigin, _ radius: Double, _ cell: PlaceCell
    ) -> CellRelation {
        if center.leastAngle(to: cell) > radius { return .outside }
        return center.greatestAngle(to: cell) <= radius ? .inside : .crossing
    }

    private static func relation(
        _ polygon: GeoPolygon, _ edges: [GeoEdge], _ cell: PlaceCell
    ) -> CellRelation {
        let (latitudes, longitudes) = (cell.latitudes, cell.longitudes)
        guard
            let middle = GeoPoint(
                latitude: (latitudes.lowerBound + latitudes.upperBound) / 2,
                longitude: (longitudes.lowerBound + longitudes.upperBound) / 2)
        else { return .crossing }
        // Points change between inside and outside only at an edge, or at its antipode.
        let (center, radius) = (middle.direction, GeoOrigin(middle).greatestAngle(to: cell))
        for edge in edges
        where edge.leastAngle(to: center) <= radius || edge.leastAngle(to: -center) <= radius {
            return .crossing
        }
        return polygon.contains(middle) ? .inside : .outside
    }
}

/// A part of a great circle, the shorter way from one point to another.
struct GeoEdge: Sendable {
    private let start: SIMD3<Double>
    private let end: SIMD3<Double>
    /// The pole of its great circle; nil where the points are too close to each other, or to being
    /// opposite, to have a certain one.
    private let pole: SIMD3<Double>?

    private static let shortest = 1e-6

    init(_ start: GeoPoint, _ end: GeoPoint) {
        (self.start, self.end) = (start.direction, end.direction)
        let normal = Self.cross(self.start, self.end)
        let length = (normal * normal).sum().squareRoot()
        pole = length > Self.shortest ? normal / length : nil
    }

    /// A lower bound of the angles to points of the edge.
    func leastAngle(to point: SIMD3<Double>) -> Double {
        let ends = min(GeoPoint.angle(start, point), GeoPoint.angle(end, point))
        guard let pole else {
            // Between opposite points, any way may be meant.
            let isShort = (start * end).sum() > 0
            return isShort ? max(0, ends - 2 * Self.shortest) : 0
        }
        let isBeside =
            (Self.cross(pole, start) * point).sum() > 0 && (Self.cross(end, pole) * point).sum() > 0
        let least = isBeside ? abs(asin(max(-1, min(1, (pole * point).sum())))) : ends
        return max(0, least - GeoOrigin.slack)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
