import Foundation
import RealmActors

/// Places with an index: the objects in areas, and the nearest ones.
let geoWorkloads: [Workload<Bench>] = [
    Workload("w26_geo_build", "w26_geo_within", "w26_geo_nearest") { bench in
        let count = Places.count(bench.count)
        let path = bench.folder.appendingPathComponent("spots-\(UUID().uuidString).realm").path
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [Spot.self, Location.self]))
        let clock = ContinuousClock()
        let start = clock.now
        try await realm.write { tx in
            for number in 0..<count {
                let spot = Spot()
                spot.number = number
                spot.location = Location(Places.point(number))
                try tx.add(spot)
            }
        }
        let seconds = (clock.now - start).inSeconds
        let spots = realm.objects(Spot.self)
        let boxes = Places.boxes.compactMap { box in
            GeoBox(
                bottomLeft: (box.bottomLeft.latitude, box.bottomLeft.longitude),
                topRight: (box.topRight.latitude, box.topRight.longitude))
        }
        let origins = Places.origins.compactMap {
            GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
        }
        let within = {
            boxes.reduce(0) { sum, box in
                sum + spots.where { $0.location.geoWithin(box) }.values(of: \.number).count
            }
        }
        let nearest = {
            origins.reduce(0) { sum, origin in
                let found = spots.sorted(byDistanceFrom: origin, on: \.location)
                    .limit(Places.nearest)
                return sum + found.values(of: \.number).reduce(0, +)
            }
        }
        _ = (within(), nearest())
        let withinRuns = (0..<5).map { _ in timed(within) }
        let nearestRuns = (0..<5).map { _ in timed(nearest) }
        let expected = Places.expected(count)
        try await bench.discard(realm)
        return [
            Measurement(
                "w26_geo_build", Double(count) / seconds, "objects/s",
                check: .equal(spots.count, count)),
            Measurement(
                "w26_geo_within", withinRuns.map(\.seconds).median * 1000, "ms",
                check: .equal(withinRuns[0].result, expected.within)),
            Measurement(
                "w26_geo_nearest", nearestRuns.map(\.seconds).median * 1000, "ms",
                check: .equal(nearestRuns[0].result, expected.nearest)),
        ]
    }
]
