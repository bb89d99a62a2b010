import Foundation

/// A closed line of great-circle arcs, and the smaller of the two areas into which it divides the
/// earth.
struct GeoRing {
    private let edges: [(start: SIMD3<Double>, end: SIMD3<Double>)]

    /// - Parameter points: the corners; the last is the first again.
    init(_ points: [GeoPoint]) {
        let corners = points.map(\.direction)
        edges = zip(corners, corners.dropFirst()).map { (start: $0, end: $1) }
    }

    /// Whether the direction is one of a point of the ring.
    func touches(_ point: SIMD3<Double>) -> Bool {
        let slack = GeoPoint.borderSlack
        return edges.contains { edge in
            // Relative to the point, so that little precision is lost for short edges.
            let (a, b) = (edge.start - point, edge.end - point)
            if Self.dot(a, a) < slack * slack { return true }
            let normal = Self.cross(edge.start, edge.end - edge.start)
            let isBeside =
                Self.dot(Self.cross(normal, edge.start), point) > 0
                && Self.dot(Self.cross(edge.end, normal), point) > 0
            let width = Self.dot(normal, normal).squareRoot()
            return isBeside && abs(Self.dot(point, Self.cross(a, b))) < slack * width
        }
    }

    /// Whether the area contains the direction.
    func encloses(_ point: SIMD3<Double>) -> Bool {
        let turned = turns(around: point)
        // The ring winds once around a point of the area, and once the other way around the
        // opposite point. If both points are in the area, or neither is, the winding number is
        // zero.
        if abs(turned) > .pi { return (turned > 0) == isAreaLeft }
        if isWithinHemisphere { return false }
        return isLeft(point).map { $0 == isAreaLeft } ?? false
    }

    private func turns(around point: SIMD3<Double>) -> Double {
        var turned = 0.0
        for edge in edges {
            let a = edge.start - point * Self.dot(edge.start, point)
            let b = edge.end - point * Self.dot(edge.end, point)
            turned += atan2(Self.dot(point, Self.cross(a, b)), Self.dot(a, b))
        }
        return turned
    }

    /// Whether the area is known to contain no two antipodal points.
    private var isWithinHemisphere: Bool {
        var middle = SIMD3<Double>()
        for edge in edges { middle += edge.start }
        return edges.allSatisfy { Self.dot($0.start, middle) > 1e-6 }
    }

    /// Whether the smaller area is to the left of the ring.
    private var isAreaLeft: Bool { isWithinHemisphere ? area > 0 : turning > 0 }

    /// The area to the left if that is the smaller one, otherwise less than zero: exact for very
    /// small areas, but not if corners are antipodal.
    private var area: Double {
        var total = 0.0
        for edge in edges.dropFirst().dropLast() {
            let (a, b, c) = (edges[0].start, edge.start, edge.end)
            let volume = Self.dot(a, Self.cross(b, c))
            total += 2 * atan2(volume, 1 + Self.dot(a, b) + Self.dot(b, c) + Self.dot(c, a))
        }
        // Beyond half of the earth the right side is smaller.
        if total > 2 * .pi { return total - 4 * .pi }
        return total < -2 * .pi ? total + 4 * .pi : total
    }

    /// The sum of the left turns at the corners, which is half of the earth minus the area to the
    /// left.
    private var turning: Double {
        let long = edges.map { (end: $0.end, normal: Self.cross($0.start, $0.end)) }
            .filter { Self.dot($0.normal, $0.normal) > 0 }
        var total = 0.0
        for (index, edge) in long.enumerated() {
            let next = long[(index + 1) % long.count].normal
            total += atan2(
                Self.dot(edge.end, Self.cross(edge.normal, next)), Self.dot(edge.normal, next))
        }
        return total
    }

    /// Whether a direction that is not on the ring is to the left of it; nil if no edge decides.
    private func isLeft(_ point: SIMD3<Double>) -> Bool? {
        for index in edges.indices {
            if let found = isLeft(point, seenFrom: index) { return found }
        }
        return nil
    }

    /// The same, by counting how often an arc from the left of an edge to the direction crosses the
    /// ring; nil if the arc passes so close to a corner that rounding would decide.
    private func isLeft(_ point: SIMD3<Double>, seenFrom index: Int) -> Bool? {
        let (start, end) = edges[index]
        let normal = Self.cross(start, end)
        // Not from the middle of the edge: in regular rings, arcs from there meet corners.
        let (share, height) = (0.4, 1e-6)
        let between: SIMD3<Double> = start + (end - start) * share
        let beside: SIMD3<Double> = between + normal * height
        let place: SIMD3<Double> = beside / Self.dot(beside, beside).squareRoot()
        let (way, ahead) = (Self.cross(place, point), place + point)
        let length = Self.dot(way, way)
        guard Self.dot(normal, normal) > Self.tooShort, length > Self.tooShort else { return nil }
        let least = length * GeoPoint.borderSlack * GeoPoint.borderSlack
        var isLeft = true
        for edge in edges {
            let (a, b) = (Self.dot(way, edge.start), Self.dot(way, edge.end))
            if a * a < least, Self.dot(edge.start, ahead) > 0 { return nil }
            let side = Self.cross(edge.start, edge.end)
            let isAbove = Self.dot(side, place) > 0
            // The last condition excludes a crossing at the antipode.
            if (a > 0) != (b > 0), isAbove != (Self.dot(side, point) > 0), isAbove == (b > 0) {
                isLeft.toggle()
            }
        }
        return isLeft
    }

    /// The squared length below which a direction is imprecise.
    private static let tooShort = 1e-12

    private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { (a * b).sum() }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
