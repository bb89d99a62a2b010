import Foundation

extension SQLitePeer {
    /// With an R*Tree, whose boxes have single precision, and the exact coordinates beside them.
    static func geo(path: String, places: Int) throws -> PeerPlaces? {
        let connection = try connect(path)
        defer { connection.close() }
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute(
            "CREATE VIRTUAL TABLE spots USING rtree(id, south, north, west, east, "
                + "+latitude REAL, +longitude REAL)")
        let add = try connection.prepare("INSERT INTO spots VALUES (?, ?2, ?2, ?3, ?3, ?2, ?3)")
        let build = try timed {
            try connection.transaction {
                for number in 0..<places {
                    let point = Places.point(number)
                    add.bind(number, at: 1)
                    add.bind(point.latitude, at: 2)
                    add.bind(point.longitude, at: 3)
                    try add.run()
                }
            }
        }
        let select = try connection.prepare(
            "SELECT id, latitude, longitude FROM spots WHERE north >= ?1 AND south <= ?2 "
                + "AND east >= ?3 AND west <= ?4 AND latitude BETWEEN ?1 AND ?2 "
                + "AND longitude BETWEEN ?3 AND ?4")
        func forEach(in box: Places.Box, _ body: (Int, Places.Point) -> Void) throws {
            select.bind(box.bottomLeft.latitude, at: 1)
            select.bind(box.topRight.latitude, at: 2)
            select.bind(box.bottomLeft.longitude, at: 3)
            select.bind(box.topRight.longitude, at: 4)
            try select.forEach {
                body(
                    select.int(0),
                    Places.Point(latitude: select.double(1), longitude: select.double(2)))
            }
        }
        let within = {
            var count = 0
            for box in Places.boxes { try forEach(in: box) { _, _ in count += 1 } }
            return count
        }
        // The box grows until nothing beside it can be nearer than what it has.
        let nearest = {
            try Places.origins.reduce(0) { sum, origin in
                var half = 0.125
                while true {
                    var found: [(chord: Double, number: Int)] = []
                    let box = Places.Box(around: origin, half: half)
                    try forEach(in: box) { found.append(($1.chord(to: origin), $0)) }
                    found.sort { $0.chord < $1.chord }
                    let reach = 2 * sin(half * .pi / 360)
                    if found.count >= Places.nearest, found[Places.nearest - 1].chord <= reach {
                        return sum + found.prefix(Places.nearest).reduce(0) { $0 + $1.number }
                    }
                    half *= 2
                }
            }
        }
        _ = (try within(), try nearest())
        let withinRuns = try (0..<5).map { _ in try timed(within) }
        let nearestRuns = try (0..<5).map { _ in try timed(nearest) }
        return PeerPlaces(
            buildSeconds: build.seconds, withinSeconds: withinRuns.map(\.seconds).median,
            within: withinRuns[0].result, nearestSeconds: nearestRuns.map(\.seconds).median,
            nearest: nearestRuns[0].result)
    }
}

extension Places.Box {
    /// What lies so many degrees around a point has its place in it.
    fileprivate init(around origin: Places.Point, half: Double) {
        let farthest = min(89, abs(origin.latitude) + half) * .pi / 180
        let wide = half / cos(farthest)
        self.init(
            bottomLeft: Places.Point(
                latitude: origin.latitude - half, longitude: origin.longitude - wide),
            topRight: Places.Point(
                latitude: origin.latitude + half, longitude: origin.longitude + wide))
    }
}
