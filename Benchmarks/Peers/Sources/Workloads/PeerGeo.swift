import Foundation

let peerGeoWorkloads: [Workload<PeerBench>] = [
    Workload("w26_geo_build", "w26_geo_within", "w26_geo_nearest") { bench in
        let names = ["w26_geo_build", "w26_geo_within", "w26_geo_nearest"]
        let count = Places.count(bench.count)
        let path = try bench.makeFolder("spots")
        guard let result = try bench.peer.geo(path: path, places: count) else {
            return names.map { .unsupported($0, "no index of places") }
        }
        try bench.discard("spots")
        let expected = Places.expected(count)
        return [
            Measurement(
                names[0], Double(count) / result.buildSeconds, "objects/s",
                check: .equal(count, count)),
            Measurement(
                names[1], result.withinSeconds * 1000, "ms",
                check: .equal(result.within, expected.within)),
            Measurement(
                names[2], result.nearestSeconds * 1000, "ms",
                check: .equal(result.nearest, expected.nearest)),
        ]
    }
]
