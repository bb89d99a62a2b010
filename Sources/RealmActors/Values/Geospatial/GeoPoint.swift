import Foundation

/// A point on the earth, in degrees.
///
/// It is stored as an embedded object with the properties `type`, which is "Point", and
/// `coordinates`, a list of longitude and latitude:
///
///     final class Location: EmbeddedObject {
///         @Persisted var type: String = "Point"
///         @Persisted var coordinates: List<Double>
///         convenience init(_ latitude: Double, _ longitude: Double) {
///             self.init()
///             coordinates = [longitude, latitude]
///         }
///     }
///     shops.where { $0.location.geoWithin(GeoCircle(center: here, radius: .kilometers(2))!) }
public struct GeoPoint: Hashable, Sendable {
    /// North of the equator, from -90 to 90.
    public let latitude: Double
    /// East of Greenwich, from -180 to 180.
    public let longitude: Double
    /// Meters above the sea; ignored by queries.
    public let altitude: Double

    /// Nil when a coordinate is out of its range or not a number.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// A point of (latitude, longitude).
    init?(_ place: (Double, Double)) { self.init(latitude: place.0, longitude: place.1) }

    /// The great-circle distance to another point.
    public func distance(to other: GeoPoint) -> GeoDistance {
        .radians(Self.angle(direction, other.direction))
    }

    /// The tolerance for points on a border, above the rounding error: an angle of some
    /// micrometers.
    static let borderSlack = 1e-12

    /// The angle between two directions. Computed from the chord, which is exact for close points,
    /// where the cosine is not.
    static func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        let chord = a - b
        return 2 * asin(min(1, (chord * chord).sum().squareRoot() / 2))
    }

    /// The point as a unit vector from the center of the earth, the same for all longitudes of a
    /// pole and for both of the date line.
    var direction: SIMD3<Double> {
        if abs(latitude) == 90 { return SIMD3(0, 0, latitude / 90) }
        let (north, east) = (
            latitude * .pi / 180, (longitude == -180 ? 180 : longitude) * .pi / 180
        )
        return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }
}

/// A distance along the surface of the earth.
public struct GeoDistance: Hashable, Sendable, Comparable {
    /// The angle at the center of the earth.
    public let radians: Double

    /// The radius of the earth in meters.
    static let earthRadius = 6_378_100.0

    private init(radians: Double) { self.radians = radians }

    /// A distance in kilometers.
    public static func kilometers(_ value: Double) -> GeoDistance { meters(value * 1000) }
    /// A distance in meters.
    public static func meters(_ value: Double) -> GeoDistance { radians(value / earthRadius) }
    /// A distance in statute miles.
    public static func miles(_ value: Double) -> GeoDistance { meters(value * 1609.344) }
    /// The angle at the center of the earth in degrees.
    public static func degrees(_ value: Double) -> GeoDistance { radians(value * .pi / 180) }
    /// The angle at the center of the earth.
    public static func radians(_ value: Double) -> GeoDistance { GeoDistance(radians: value) }

    /// The distance in kilometers.
    public var kilometers: Double { meters / 1000 }
    /// The distance in meters.
    public var meters: Double { radians * Self.earthRadius }
    /// The distance in statute miles.
    public var miles: Double { meters / 1609.344 }
    /// The angle at the center of the earth in degrees.
    public var degrees: Double { radians * 180 / .pi }

    /// Compares the lengths.
    public static func < (a: GeoDistance, b: GeoDistance) -> Bool { a.radians < b.radians }
}
