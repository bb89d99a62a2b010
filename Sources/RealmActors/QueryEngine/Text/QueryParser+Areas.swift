import Storage

// Literals of areas, with points as longitude and latitude: `geoBox([2.2, 48.8], [2.5, 49])`,
// `geoCircle([2.3, 48.9], 0.001)`, whose radius is in radians, and
// `geoPolygon({[0, 0], [9, 0], [9, 9], [0, 0]})`, whose ring may be followed by those of holes.
extension QueryParser {
    private static let areaWords = ["GEOBOX", "GEOCIRCLE", "GEOPOLYGON"]

    /// The area that begins here; nil where none does. By itself, so that other values take no
    /// stack for it.
    @inline(never)
    mutating func area() throws(RealmError) -> QueryTerm? {
        guard let keyword = token.keyword, Self.areaWords.contains(keyword),
            tokens[index + 1].isSymbol("(")
        else { return nil }
        let position = token.position
        advance()
        try descend()
        defer { depth -= 1 }
        try expect("(")
        let shape: (any GeoShape)?
        switch keyword {
        case "GEOBOX":
            let corner = try point()
            try expect(",")
            shape = GeoBox(bottomLeft: corner, topRight: try point())
        case "GEOCIRCLE":
            let center = try point()
            try expect(",")
            shape = GeoCircle(center: center, radiusInRadians: try coordinate())
        default:
            let border = try ring()
            var holes: [[GeoPoint]] = []
            while accept(",") { holes.append(try ring()) }
            shape = GeoPolygon(outerRing: border, holes: holes)
        }
        try expect(")")
        guard let shape else {
            throw error(
                "The area is invalid: a radius must not be negative, and a ring needs at least "
                    + "four points, of which the last equals the first.", at: position)
        }
        return QueryTerm(kind: .constant(.area(GeoArea(shape: shape))), position: position)
    }

    private mutating func ring() throws(RealmError) -> [GeoPoint] {
        var points: [GeoPoint] = []
        try expect("{")
        repeat { points.append(try point()) } while accept(",")
        try expect("}")
        return points
    }

    /// `[2.3, 48.9]`; an altitude may follow these.
    private mutating func point() throws(RealmError) -> GeoPoint {
        let position = token.position
        try expect("[")
        let longitude = try coordinate()
        try expect(",")
        let latitude = try coordinate()
        let altitude = try accept(",") ? coordinate() : 0
        try expect("]")
        guard
            let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude)
        else {
            throw error(
                "The point is invalid: give a longitude from -180 to 180, then a latitude from "
                    + "-90 to 90.", at: position)
        }
        return point
    }

    private mutating func coordinate() throws(RealmError) -> Double {
        let term = try sum()
        guard let number = term.constant?.single()?.number else {
            throw error("Expected a number.", at: term.position)
        }
        return number
    }
}
