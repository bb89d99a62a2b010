import Foundation

/// Points on the earth, most of them around towns, and what is looked for among them.
enum Places {
    struct Point {
        let latitude: Double
        let longitude: Double

        /// A length of the chord to another point, by which the nearest are found as well.
        func chord(to other: Point) -> Double {
            func direction(_ point: Point) -> SIMD3<Double> {
                let (north, east) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
                return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
            }
            let chord = direction(self) - direction(other)
            return (chord * chord).sum().squareRoot()
        }
    }

    struct Box {
        let bottomLeft: Point
        let topRight: Point

        func contains(_ point: Point) -> Bool {
            point.latitude >= bottomLeft.latitude && point.latitude <= topRight.latitude
                && point.longitude >= bottomLeft.longitude
                && point.longitude <= topRight.longitude
        }
    }

    private static let seed: UInt64 = 0x0B0A_0908_0706_0504
    private static let towns = 500
    /// How many of the nearest are looked for.
    static let nearest = 10

    /// A share of the persons' number.
    static func count(_ persons: Int) -> Int { persons / 5 }

    private static func share(_ number: Int) -> Double {
        Double(Dataset.draw(seed, UInt64(number)) >> 11) * 0x1p-53
    }

    private static func town(_ number: Int) -> Point {
        Point(
            latitude: share(number * 2) * 110 - 50, longitude: share(number * 2 + 1) * 320 - 160)
    }

    /// A point close to a town, or every fourth anywhere.
    static func point(_ number: Int) -> Point {
        let (a, b) = (share(number * 2 + 10_000), share(number * 2 + 10_001))
        if number % 4 == 0 { return Point(latitude: a * 110 - 50, longitude: b * 320 - 160) }
        let middle = town(number % towns)
        return Point(
            latitude: middle.latitude + (a * a - 0.5) * 2,
            longitude: middle.longitude + (b * b - 0.5) * 2)
    }

    /// Boxes around towns, half a degree to five degrees wide.
    static let boxes: [Box] = (0..<100).map { number in
        let (middle, half) = (town(number), 0.25 + Double(number % 10) * 0.25)
        return Box(
            bottomLeft: Point(
                latitude: middle.latitude - half, longitude: middle.longitude - half),
            topRight: Point(
                latitude: middle.latitude + half, longitude: middle.longitude + half))
    }

    /// From where the nearest points are looked for: in towns and between them.
    static let origins: [Point] = (0..<100).map { number in
        let (a, b) = (town(number), town(number + 100))
        return number % 2 == 0
            ? a
            : Point(
                latitude: (a.latitude + b.latitude) / 2, longitude: (a.longitude + b.longitude) / 2)
    }

    /// What all boxes have, and the sum of the numbers of all that are nearest.
    static func expected(_ count: Int) -> (within: Int, nearest: Int) {
        let points = (0..<count).map { point($0) }
        let within = boxes.reduce(0) { sum, box in
            sum + points.reduce(0) { $0 + (box.contains($1) ? 1 : 0) }
        }
        let nearest = origins.reduce(0) { sum, origin in
            var best: [(chord: Double, number: Int)] = []
            for (number, point) in points.enumerated() {
                let chord = point.chord(to: origin)
                if best.count == Self.nearest, chord >= best[Self.nearest - 1].chord { continue }
                best.append((chord, number))
                best.sort { $0.chord < $1.chord }
                if best.count > Self.nearest { best.removeLast() }
            }
            return sum + best.reduce(0) { $0 + $1.number }
        }
        return (within, nearest)
    }
}
