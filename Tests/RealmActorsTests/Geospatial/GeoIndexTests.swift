import Foundation
import StorageHarness
import Testing

@testable import RealmActors

/// Areas and orders by distance that an index of places finds, against what is worked out point by
/// point.
@Suite struct GeoIndexTests {
    private func fill(
        _ count: Int, _ places: inout RandomPlaces, _ tx: WriteTransaction
    ) throws {
        for id in 0..<count {
            let spot = try tx.create(GeoSpot.self, value: ["id": id, "category": id % 3])
            spot.move(to: places.place())
        }
    }

    private struct Naive {
        let id: Int
        let category: Int
        let point: GeoPoint?
    }

    private func naive(_ spots: FrozenResults<GeoSpot>) -> [Naive] {
        spots.map { spot in
            Naive(id: spot.id, category: spot.category, point: spot.withObject { $0.point })
        }
    }

    private func naive(_ spots: Results<GeoSpot>) -> [Naive] {
        spots.map { Naive(id: $0.id, category: $0.category, point: $0.point) }
    }

    private func nearest(_ rows: [Naive], _ point: GeoPoint) -> [Int] {
        let far = rows.map { $0.point?.distance(to: point).radians ?? .infinity }
        return rows.indices.sorted { far[$0] == far[$1] ? $0 < $1 : far[$0] < far[$1] }
            .map { rows[$0].id }
    }

    private func check<Found: QueryableResults<GeoSpot>>(
        _ all: Found, _ rows: [Naive], _ places: inout RandomPlaces, rounds: Int
    ) throws {
        func ids(_ found: Found) -> [Int] { found.values(of: \.id) }
        let seed = places.random.seed
        for round in 0..<rounds {
            let shapes: [any GeoShape] = [places.circle(), places.box(), places.polygon()]
            for shape in shapes {
                let comment: Comment = "SEED=\(seed), \(round): \(shape)"
                let inside = rows.filter { $0.point.map { shape.contains($0) } ?? false }
                let expected = inside.map(\.id)
                let found = try all.filter("indexed GEOWITHIN %@", shape)
                #expect(ids(found) == expected, comment)
                #expect(found.count == expected.count, comment)
                #expect(ids(try all.filter("degrees GEOWITHIN %@", shape)) == expected, comment)
                #expect(
                    ids(try all.filter("NOT indexed GEOWITHIN %@", shape)).count
                        == rows.count - expected.count, comment)
                #expect(
                    ids(try all.filter("indexed GEOWITHIN %@ AND category == 1", shape))
                        == inside.filter { $0.category == 1 }.map(\.id), comment)
            }
            let (a, b) = (places.circle(), places.circle())
            let either = all.where { $0.indexed.geoWithin(a) || $0.degrees.geoWithin(b) }
            #expect(
                ids(either)
                    == rows.filter { row in
                        row.point.map { a.contains($0) || b.contains($0) } ?? false
                    }.map(\.id), "SEED=\(seed)")
            let point = places.point()
            let comment: Comment = "SEED=\(seed), \(round): nearest to \(point)"
            let order = nearest(rows, point)
            let sorted = all.sorted(byDistanceFrom: point, on: \.indexed)
            #expect(ids(sorted) == order, comment)
            let limit = round % 4 == 0 ? rows.count + 1 : round % 20
            #expect(ids(sorted.limit(limit)) == Array(order.prefix(limit)), comment)
            #expect(
                ids(all.sorted(byDistanceFrom: point, on: \.degrees).limit(limit))
                    == Array(order.prefix(limit)), comment)
            #expect(
                ids(
                    all.where { $0.category == 2 }.sorted(byDistanceFrom: point, on: \.indexed)
                        .limit(5))
                    == Array(nearest(rows.filter { $0.category == 2 }, point).prefix(5)), comment)
            let farthest = all.sorted(byDistanceFrom: point, on: \.indexed, ascending: false)
            #expect(farthest.values(of: \.id).first == farthestID(rows, point), comment)
            #expect(
                ids(try all.filter("category >= 0 SORT(DISTANCE(degrees, %@) ASC) LIMIT(3)", point))
                    == Array(order.prefix(3)), comment)
        }
    }

    private func farthestID(_ rows: [Naive], _ point: GeoPoint) -> Int? {
        let far = rows.map { $0.point?.distance(to: point).radians ?? .infinity }
        return far.max().flatMap { most in far.firstIndex(of: most) }.map { rows[$0].id }
    }

    @Test func everyReaderFindsWhatIsThere() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: seed))
                try fill(700, &places, tx)
                let all = tx.objects(GeoSpot.self)
                try check(all, naive(all), &places, rounds: 3)
                for (number, spot) in all.enumerated() where number % 3 == 0 {
                    spot.move(to: places.place())
                    if number % 9 == 0 { spot.indexed?.type = "Line" }
                    if number % 9 == 0 { spot.plain?.type = "Line" }
                    if number % 9 == 0 { spot.degrees?.latitude = nil }
                }
                try tx.delete(all.where { $0.category == 0 && $0.id > 500 })
                try check(all, naive(all), &places, rounds: 3)
            }
            var places = RandomPlaces(random: SeededGenerator(seed: seed &+ 1))
            let spots = realm.objects(GeoSpot.self)
            try check(spots, naive(spots), &places, rounds: 20)
            try await realm.write { tx in
                try tx.delete(tx.objects(GeoSpot.self).where { $0.id < 400 })
            }
            try check(spots, naive(spots), &places, rounds: 2)
            let rest = realm.objects(GeoSpot.self)
            try check(rest, naive(rest), &places, rounds: 4)
            try await realm.compact()
            let compacted = realm.objects(GeoSpot.self)
            try check(compacted, naive(compacted), &places, rounds: 4)
            #expect(try await realm.verify().isIntact)
        }
    }

    @MainActor @Test func liveResultsFollow() async throws {
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: 7))
                try fill(300, &places, tx)
            }
            var places = RandomPlaces(random: SeededGenerator(seed: 8))
            let live = try await realm.live()
            let spots = live.objects(GeoSpot.self)
            try check(spots, naive(spots), &places, rounds: 3)
            let place = places.place()
            try await live.write { live.objects(GeoSpot.self)[8].move(to: place) }
            try check(spots, naive(spots), &places, rounds: 3)
        }
    }

    @Test func aStoreThatIsOpenedAgainHasTheIndex() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: GeoSpot.classes)
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: 3))
                try fill(300, &places, tx)
            }
            try await realm.close()
            realm = try await Realm.open(configuration)
            var places = RandomPlaces(random: SeededGenerator(seed: 4))
            let spots = realm.objects(GeoSpot.self)
            try check(spots, naive(spots), &places, rounds: 4)
            let stored = realm.snapshot().storedSchema.schema["IndexedPlace"]
            #expect(stored?.indexes.map(\.description) == ["index of places"])
            #expect(stored?.indexes == IndexedPlace.sharedSchema().indexes)
            try await realm.close()
        }
    }

    @Test func queriesSayThatTheyUseIt() async throws {
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                for id in 0..<2_000 {
                    let spot = try tx.create(GeoSpot.self, value: ["id": id])
                    spot.move(to: (Double(id % 90), Double(id % 170)))
                }
            }
            let spots = realm.objects(GeoSpot.self)
            let point = try #require(GeoPoint(latitude: 3, longitude: 3))
            let circle = try #require(GeoCircle(center: point, radius: .kilometers(30)))
            let found = spots.where { $0.indexed.geoWithin(circle) }.explain()
            #expect(found.contains("from the spatial index"), "\(found)")
            let plain = spots.where { $0.plain.geoWithin(circle) }.explain()
            #expect(plain.contains("full scan"), "\(plain)")
            let nearest = spots.sorted(byDistanceFrom: point, on: \.indexed).limit(4).explain()
            #expect(nearest.contains("SORT(DISTANCE(indexed) ASC)"), "\(nearest)")
            #expect(nearest.contains("spatial index scan on indexed, nearest first"))
            let others = spots.sorted(byDistanceFrom: point, on: \.plain).limit(4).explain()
            #expect(others.contains("top-k"), "\(others)")
        }
    }

    /// The nearest of few objects were looked for among all places of others.
    @Test func manyPlacesOfOtherObjectsAreNotGoneThrough() async throws {
        try await withFreshRealm(GeoSpot.classes + [GeoFerry.self]) { realm in
            func add(_ ids: Range<Int>) async throws {
                try await realm.write { tx in
                    for id in ids {
                        let spot = try tx.create(GeoSpot.self, value: ["id": id])
                        spot.move(to: (3 + Double(id) / 100, 3))
                    }
                }
            }
            try await realm.write { tx in
                for id in 0..<3 {
                    let ferry = try tx.create(GeoFerry.self, value: ["id": id])
                    ferry.place = IndexedPlace()
                    ferry.place?.coordinates.append(objectsIn: [3, 60 - Double(id)])
                }
            }
            let point = try #require(GeoPoint(latitude: 3, longitude: 3))
            func nearest() -> FrozenResults<GeoFerry> {
                realm.objects(GeoFerry.self).sorted(byDistanceFrom: point, on: \.place).limit(2)
            }
            try await add(0..<10)
            #expect(nearest().explain().contains("spatial index scan on place"))
            #expect(nearest().values(of: \.id) == [2, 1])
            try await add(10..<100)
            #expect(nearest().explain().contains("sort: by DISTANCE(place) ASC (top-k, k = 2)"))
            #expect(nearest().values(of: \.id) == [2, 1])
        }
    }

    @Test func pagesGoByDistance() async throws {
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: 5))
                try fill(100, &places, tx)
            }
            let point = try #require(GeoPoint(latitude: 47, longitude: 8))
            let sorted = realm.objects(GeoSpot.self).sorted(byDistanceFrom: point, on: \.indexed)
            var paged: [Int] = []
            var page = try sorted.page(limit: 7)
            while true {
                paged += page.objects.values(of: \.id)
                guard let next = page.next else { break }
                page = try sorted.page(after: next, limit: 7)
            }
            #expect(paged == sorted.values(of: \.id))
            let other = realm.objects(GeoSpot.self).sorted(
                byDistanceFrom: try #require(GeoPoint(latitude: 47, longitude: 9)), on: \.indexed)
            let cursor = try #require(try sorted.page(limit: 7).next)
            #expect(throws: RealmError.self) { try other.page(after: cursor, limit: 7) }
        }
    }

    @Test func streamsStayExact() async throws {
        try await withFreshRealm(GeoSpot.classes) { realm in
            try await realm.write { tx in
                var places = RandomPlaces(random: SeededGenerator(seed: 6))
                try fill(60, &places, tx)
            }
            let point = try #require(GeoPoint(latitude: 47, longitude: 8))
            let circle = try #require(GeoCircle(center: point, radius: .kilometers(500)))
            let all = realm.objects(GeoSpot.self)
            var within = all.where { $0.indexed.geoWithin(circle) }.changes().makeAsyncIterator()
            var nearest = all.sorted(byDistanceFrom: point, on: \.indexed).limit(25).changes()
                .makeAsyncIterator()
            var known = (within: [Int](), nearest: [Int]())
            for round in 0..<12 {
                if round > 0 {
                    try await realm.write { tx in
                        var places = RandomPlaces(random: SeededGenerator(seed: UInt64(round)))
                        for id in [round, round * 3] {
                            let spot = tx.object(GeoSpot.self, forPrimaryKey: id)
                            spot?.move(to: places.place())
                        }
                        // What is in both of the results for certain.
                        let spot = tx.object(GeoSpot.self, forPrimaryKey: 59)
                        spot?.move(to: (47, 8 + Double(round) / 1000))
                    }
                }
                let now = realm.objects(GeoSpot.self)
                let rows = naive(now)
                known.within = replay(try await within.next(), known.within)
                #expect(
                    known.within
                        == rows.filter { $0.point.map { circle.contains($0) } ?? false }.map(\.id))
                known.nearest = replay(try await nearest.next(), known.nearest)
                #expect(known.nearest == Array(self.nearest(rows, point).prefix(25)))
            }
        }
    }

    /// What the changes make of the identifiers that were known before.
    private func replay(
        _ change: CollectionChange<FrozenResults<GeoSpot>>?, _ known: [Int]
    ) -> [Int] {
        switch change {
        case .initial(let spots)?: return spots.values(of: \.id)
        case .update(let spots, let deletions, let insertions, _)?:
            var ids = known
            for index in deletions.sorted(by: >) { ids.remove(at: index) }
            for index in insertions.sorted() { ids.insert(spots[index].id, at: index) }
            #expect(ids == spots.values(of: \.id))
            return ids
        case nil: return []
        }
    }

    @Test func classesWithoutPlacesAreRefused() async throws {
        final class Nowhere: EmbeddedObject, IndexedModel {
            @Persisted var coordinates: List<Double>
            static var indexes: [Index<Nowhere>] { [.places] }
        }
        final class Owner: Object {
            @Persisted var nowhere: Nowhere?
            @Persisted var name: String
        }
        let types: [ObjectBase.Type] = [Owner.self, Nowhere.self]
        await #expect {
            try await withFreshRealm(types) { _ in }
        } throws: { error in
            "\(error)".contains("has an index of places and no coordinates")
        }
        try await withFreshRealm(GeoSpot.classes) { realm in
            let spots = realm.objects(GeoSpot.self)
            let point = try #require(GeoPoint(latitude: 47, longitude: 8))
            for text in [
                "TRUEPREDICATE SORT(DISTANCE(id, %@) ASC)", "TRUEPREDICATE SORT(DISTANCE(id) ASC)",
                "TRUEPREDICATE SORT(DISTANCE(indexed, 3) ASC)",
                "TRUEPREDICATE SORT(DISTANCE(indexed, %@ ASC)",
            ] {
                #expect(throws: RealmError.self, "\(text)") { try spots.filter(text, point) }
            }
            #expect(throws: RealmError.self) {
                try spots.sorted(by: [SortDescriptor(distanceFrom: point, on: "category")])
            }
            #expect(
                try spots.sorted(by: [
                    SortDescriptor(distanceFrom: point, on: \GeoSpot.indexed).reversed(),
                    SortDescriptor(keyPath: "id"),
                ]).isEmpty)
        }
    }
}
