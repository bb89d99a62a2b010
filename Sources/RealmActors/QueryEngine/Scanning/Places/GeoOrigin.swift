import Foundation
import Storage

/// A point that distances are taken from.
package struct GeoOrigin: Sendable, Hashable {
    let point: GeoPoint
    private let direction: SIMD3<Double>

    /// The tolerance of an angle, above the rounding error: less than a meter.
    static let slack = 1e-7

    init(_ point: GeoPoint) {
        self.point = point
        direction = point.direction
    }

    /// The angle to another point.
    func angle(to other: GeoPoint) -> Double { GeoPoint.angle(direction, other.direction) }

    /// A lower bound of the angles to points of the cell.
    func leastAngle(to cell: PlaceCell) -> Double {
        let (south, north) = (
            cell.latitudes.lowerBound * .pi / 180, cell.latitudes.upperBound * .pi / 180
        )
        let latitude = point.latitude * .pi / 180
        let east = eastward(to: cell.longitudes)
        if east == 0 {
            return max(0, max(south - latitude, latitude - north) - Self.slack)
        }
        // Along a meridian the cosine of the angle is one of the latitude, too, with its maximum
        // here. Parallels have their nearest points where the nearest meridian crosses them.
        let peak = atan2(sin(latitude), cos(latitude) * cos(east))
        let nearest: Double
        if peak > south, peak < north {
            nearest = peak
        } else {
            nearest = cos(south - peak) > cos(north - peak) ? south : north
        }
        let (rise, turn) = (sin((nearest - latitude) / 2), sin(east / 2))
        let share = rise * rise + cos(nearest) * cos(latitude) * turn * turn
        return max(0, 2 * asin(min(1, share.squareRoot())) - Self.slack)
    }

    /// An upper bound of the angles to points of the cell, from the lower bound for the antipode.
    func greatestAngle(to cell: PlaceCell) -> Double { .pi - opposite.leastAngle(to: cell) }

    private var opposite: GeoOrigin {
        let longitude = point.longitude > 0 ? point.longitude - 180 : point.longitude + 180
        return GeoPoint(latitude: -point.latitude, longitude: longitude).map { GeoOrigin($0) }
            ?? self
    }

    /// The angle between the meridian of the point and the nearest one of some; 0 when it is one
    /// of them.
    private func eastward(to meridians: ClosedRange<Double>) -> Double {
        if meridians.contains(point.longitude) { return 0 }
        func apart(_ longitude: Double) -> Double {
            let difference = abs(longitude - point.longitude)
            return min(difference, 360 - difference)
        }
        return min(apart(meridians.lowerBound), apart(meridians.upperBound)) * .pi / 180
    }
}
