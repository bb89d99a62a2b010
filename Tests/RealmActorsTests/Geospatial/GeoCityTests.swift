import Foundation
import RealmActors
import Testing

private final class CityPlace: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

private final class City: Object {
    @Persisted var name: String
    @Persisted var place: CityPlace?
}

private typealias Ring = [(Double, Double)]

/// Few places, far apart and close to each other, in shapes of all sizes.
@Suite struct GeoCityTests {
    private func withCities(_ body: (FrozenResults<City>) throws -> Void) async throws {
        try await withFreshRealm([City.self, CityPlace.self]) { realm in
            try await realm.write { tx in
                for (name, latitude, longitude) in [
                    ("New York", 40.7128, -74.0060), ("Copenhagen", 55.6761, 12.5683),
                    ("Roskilde", 55.6280, 12.0826), ("Camp", -76, -76),
                ] {
                    let place: [String: Any] = ["coordinates": [longitude, latitude]]
                    try tx.create(City.self, value: ["name": name, "place": place])
                }
                try tx.create(City.self, value: ["name": "Nowhere"])
            }
            try body(realm.objects(City.self))
        }
    }

    private func names(_ area: (some GeoShape)?, _ cities: FrozenResults<City>) throws -> [String] {
        let area = try #require(area)
        let found = cities.where { $0.place.geoWithin(area) }.map(\.name)
        #expect(try cities.filter("place GEOWITHIN %@", area).map(\.name) == found)
        return found
    }

    @Test("P17: boxes and circles")
    func boxesAndCircles() async throws {
        try await withCities { cities in
            let small = GeoBox(bottomLeft: (55.6281, 12.0826), topRight: (55.6762, 12.5684))
            let wider = GeoBox(bottomLeft: (55.6279, 12.0825), topRight: (55.6762, 12.5684))
            let great = GeoBox(bottomLeft: (0, -75), topRight: (60, 15))
            let three = ["New York", "Copenhagen", "Roskilde"]
            let smallNames = try names(small, cities)
            let widerNames = try names(wider, cities)
            let greatNames = try names(great, cities)
            #expect(smallNames == ["Copenhagen"])
            #expect(widerNames == ["Copenhagen", "Roskilde"] && greatNames == three)
            for (radius, found) in [
                (GeoDistance.radians(0.001), ["Copenhagen"]),
                (GeoDistance.kilometers(10), ["Copenhagen"]),
                (GeoDistance.kilometers(100), ["Copenhagen", "Roskilde"]),
            ] {
                let near = try names(GeoCircle(center: (55.67, 12.56), radius: radius), cities)
                #expect(near == found)
            }
            let ocean = try names(
                GeoCircle(center: (45, -20), radius: .kilometers(5000)), cities)
            #expect(ocean == three)
        }
    }

    @Test("P17: polygons across an ocean, with holes in them")
    func polygons() async throws {
        let corner = (40.0096192, -75.5175781)
        let inner: Ring = [corner, (60, 20), (20, 20), (-75.5175781, -75.5175781), corner]
        let outer: Ring = [(50, -80), (62, 22), (22, 22), (-80, -80), (50, -80)]
        let newYork: Ring = [(40.7129, -75), (40.7129, -74), (40.7126, -74), (40.7129, -75)]
        let camp: Ring = [(-77, -77), (-77, -75), (-75, -75), (-75, -77), (-77, -77)]
        let copenhagen: Ring = [
            (55.6760, 12.5682), (55.6760, 12.5684), (55.6763, 12.5684), (55.6763, 12.5682),
            (55.6760, 12.5682),
        ]
        let roskilde: Ring = [
            (55.6279, 12.0825), (55.6279, 12.0827), (55.6281, 12.0827), (55.6281, 12.0825),
            (55.6279, 12.0825),
        ]
        let triangle: Ring = [(55, 12), (55.67, 12.5), (55.67, 11.5), (55, 12)]
        try await withCities { cities in
            func found(_ ring: Ring, _ holes: [Ring] = []) throws -> [String] {
                try names(GeoPolygon(outerRing: ring, holes: holes), cities)
            }
            let within = try [
                found(triangle), found(inner), found(outer, [inner]), found(outer, [newYork]),
                found(outer, [newYork, camp]), found(outer, [newYork, camp, copenhagen]),
                found(outer, [newYork, camp, copenhagen, roskilde]),
            ]
            #expect(
                within == [
                    ["Roskilde"], ["New York", "Copenhagen", "Roskilde"], ["Camp"],
                    ["Copenhagen", "Roskilde", "Camp"], ["Copenhagen", "Roskilde"], ["Roskilde"],
                    [],
                ])
        }
    }
}
