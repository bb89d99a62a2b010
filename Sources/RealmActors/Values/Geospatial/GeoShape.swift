/// An area of the earth's surface for `geoWithin`: ``GeoBox``, ``GeoPolygon`` or ``GeoCircle``.
///
/// The library conforms its types; do not declare other conformances.
public protocol GeoShape: Sendable {
    /// Whether the point lies within the area or on its border.
    func contains(_ point: GeoPoint) -> Bool
}

/// The area between two parallels and two meridians.
public struct GeoBox: GeoShape, Hashable {
    /// The south-western corner.
    public let bottomLeft: GeoPoint
    /// The north-eastern corner.
    public let topRight: GeoPoint

    /// A box that reaches east from `bottomLeft` to `topRight`, across the date line when that lies
    /// further west.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// A box of (latitude, longitude) pairs; nil when a coordinate is out of its range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    /// Whether the point lies within the box or on its border.
    public func contains(_ point: GeoPoint) -> Bool {
        point.latitude >= bottomLeft.latitude && point.latitude <= topRight.latitude
            && spans(point.longitude)
    }

    /// Whether a meridian lies between those of the box, or is one of them. The antimeridian is
    /// both 180 and -180.
    func spans(_ longitude: Double) -> Bool {
        let (west, east) = (bottomLeft.longitude, topRight.longitude)
        func isBetween(_ longitude: Double) -> Bool {
            west <= east
                ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
        }
        return isBetween(longitude) || abs(longitude) == 180 && isBetween(-longitude)
    }
}

/// The area around a point.
public struct GeoCircle: GeoShape, Hashable {
    /// The middle.
    public let center: GeoPoint
    /// The radius.
    public let radius: GeoDistance

    /// Nil for a radius below zero, or that is not a number.
    public init?(center: GeoPoint, radius: GeoDistance) {
        guard radius.radians >= 0 else { return nil }
        self.center = center
        self.radius = radius
    }

    /// Nil for a radius below zero, or that is not a number.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        self.init(center: center, radius: .radians(radiusInRadians))
    }

    /// Around (latitude, longitude); nil when a coordinate is out of its range, or the radius.
    public init?(center: (Double, Double), radius: GeoDistance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// Around (latitude, longitude); nil when a coordinate is out of its range, or the radius.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        self.init(center: center, radius: .radians(radiusInRadians))
    }

    /// Whether the point lies within the circle or on its border.
    public func contains(_ point: GeoPoint) -> Bool {
        center.distance(to: point).radians <= radius.radians + GeoPoint.borderSlack
    }
}

/// The area within a ring of points, which great circles connect, without holes in it.
public struct GeoPolygon: GeoShape, Hashable {
    /// The border; its last point is its first.
    public let outerRing: [GeoPoint]
    /// The holes; the last point of each is its first.
    public let holes: [[GeoPoint]]

    /// Nil unless every ring has at least four points, at least three of them different, and ends
    /// with its first point. The area is the smaller of the two into which a ring divides the
    /// earth.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        for ring in [outerRing] + holes {
            let places = Set(ring.map { [$0.latitude, $0.longitude] })
            guard ring.count >= 4, ring.first == ring.last, places.count >= 3 else { return nil }
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// The same with the rings of the holes as they come.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// A polygon of (latitude, longitude) pairs; nil also when a coordinate is out of its range.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        let border = outerRing.compactMap { GeoPoint($0) }
        let cut = holes.map { $0.compactMap { GeoPoint($0) } }
        guard border.count == outerRing.count, cut.map(\.count) == holes.map(\.count) else {
            return nil
        }
        self.init(outerRing: border, holes: cut)
    }

    /// The same with the rings of the holes as they come.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// Whether the point lies within the area or on its border. The border of a hole belongs to the
    /// area.
    public func contains(_ point: GeoPoint) -> Bool {
        let direction = point.direction
        let border = GeoRing(outerRing)
        guard border.touches(direction) || border.encloses(direction) else { return false }
        return !holes.contains { hole in
            let edge = GeoRing(hole)
            return edge.encloses(direction) && !edge.touches(direction)
        }
    }
}
