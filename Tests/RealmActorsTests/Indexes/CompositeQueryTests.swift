import Foundation
import RealmActors
import Testing

private final class Shunter: Object, IndexedModel {
    @Persisted var depot: Int
    @Persisted var track: Int
    static var indexes: [Index<Shunter>] { [Index(.ascending(\.depot), .ascending(\.track))] }
}

/// Queries that indexes of several properties serve, through the public interface.
@Suite struct CompositeQueryTests {
    private struct Key {
        let city: String
        let since: Date?
        let rent: Double
        let id: Int
    }

    private func keys(_ all: some QueryableResults<Tenant>) -> [Key] {
        let (cities, dates) = (all.values(of: \.city), all.values(of: \.since))
        let (rents, ids) = (all.values(of: \.rent), all.values(of: \.id))
        return ids.indices.map {
            Key(city: cities[$0], since: dates[$0], rent: rents[$0], id: ids[$0])
        }
    }

    private func check<Found: QueryableResults<Tenant>>(_ all: Found) throws {
        func ids(_ found: Found) -> [Int] { found.values(of: \.id) }
        let rows = keys(all)
        let day = Date(timeIntervalSinceReferenceDate: 40)
        func newestFirst(_ a: Key, _ b: Key) -> Bool {
            let (x, y) = (a.since ?? .distantPast, b.since ?? .distantPast)
            return x == y ? (a.rent == b.rent ? a.id < b.id : a.rent < b.rent) : x > y
        }
        let inCity = rows.filter { $0.city == "City number 3" }
        let city = all.where { $0.city == "City number 3" }
        #expect(ids(city) == inCity.map(\.id))
        let ordered = try city.sorted(by: [
            SortDescriptor(keyPath: "since", ascending: false), SortDescriptor(keyPath: "rent"),
        ])
        #expect(ids(ordered) == inCity.sorted(by: newestFirst).map(\.id))
        #expect(ids(ordered.limit(7)) == Array(ids(ordered).prefix(7)))
        #expect(
            ordered.limit(7).explain().contains(
                "index scan on (city, since DESC, rent) by city, forward"))
        // Ties stand in the order of creation both ways.
        let oldest = city.sorted(by: \.since)
        #expect(
            ids(oldest)
                == inCity.sorted {
                    let (x, y) = ($0.since ?? .distantPast, $1.since ?? .distantPast)
                    return x == y ? $0.id < $1.id : x < y
                }.map(\.id))
        #expect(oldest.explain().contains("backward"))
        let late = all.where { $0.city == "City number 3" && $0.since > day }
        #expect(ids(late) == inCity.filter { $0.since.map { $0 > day } ?? false }.map(\.id))
        #expect(
            late.explain().contains("index seek on (city, since DESC, rent) by city, since"))
        let none = all.where { $0.city.in(["City number 3", "City number 1"]) && $0.since == nil }
        #expect(
            ids(none)
                == rows.filter {
                    ["City number 3", "City number 1"].contains($0.city) && $0.since == nil
                }.map(\.id))
        #expect(ids(all.where { $0.mail == "12@example.org" }) == [12])
        #expect(all.where { $0.mail == "12@example.org" }.explain().contains("seek on (mail)"))
        #expect(ids(all.where { $0.mail.starts(with: "12") && $0.mail != nil }).contains(12))
        try checkEqualities(all, rows)
        // Page after page, and what is left of one is no more than what is behind it.
        var paged: [Int] = []
        var page = try ordered.page(limit: 6)
        while true {
            paged += page.objects.values(of: \.id)
            guard let next = page.next else { break }
            page = try ordered.page(after: next, limit: 6)
        }
        #expect(paged == ids(ordered))
    }

    /// A condition that no value meets, and the cursor of one that some did.
    @Test func aPageOfNothingIsEmpty() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in
                for id in 0..<4 {
                    try tx.create(Tenant.self, value: ["id": id, "city": "Oslo", "flat": id])
                }
            }
            let all = realm.objects(Tenant.self)
            func ordered(_ cities: [String]) -> FrozenResults<Tenant> {
                all.where { $0.city.in(cities) }.sorted(by: \.flat, ascending: false)
            }
            let cursor = try #require(try ordered(["Oslo"]).page(limit: 1).next)
            #expect(try ordered(["Oslo"]).page(after: cursor, limit: 9).objects.count == 3)
            #expect(try ordered([]).page(after: cursor, limit: 1).objects.isEmpty)
            #expect(try ordered([]).page(limit: 1).objects.isEmpty)
        }
    }

    /// Values of the first properties of an index, or of all, in any order.
    private func checkEqualities<Found: QueryableResults<Tenant>>(
        _ all: Found, _ rows: [Key]
    ) throws {
        func id(_ found: Found.Element?) -> Int? {
            (found as? Frozen<Tenant>)?.id ?? (found as? Tenant)?.id
        }
        func check(_ found: Found, _ isExpected: (Key) -> Bool, line: Int = #line) {
            let expected = rows.filter(isExpected).map(\.id)
            #expect(found.count == expected.count, "line \(line)")
            #expect(id(found.first) == expected.first, "line \(line)")
            #expect(found.map { id($0) } == expected, "line \(line)")
            #expect(found.where { $0.id >= 0 }.values(of: \.id) == expected, "line \(line)")
            #expect(
                found.sorted(by: \.id, ascending: false).values(of: \.id) == expected.reversed())
        }
        for since in [Date(timeIntervalSinceReferenceDate: 31), .distantPast, nil] {
            for city in ["City number 1", "City number 2", "City number", ""] {
                let dated = all.where { $0.city == city && $0.since == since }
                check(dated) { $0.city == city && $0.since == since }
                for rent in [0, -0.0, 1, .nan] {
                    let found = all.where {
                        $0.rent == rent && $0.city == city && $0.since == since
                    }
                    check(found) { $0.city == city && $0.since == since && $0.rent == rent }
                    check(dated.where { $0.rent == rent }) {
                        $0.city == city && $0.since == since && $0.rent == rent
                    }
                }
            }
        }
        for id in [0, 12, 77, 299, -1, .max] {
            let city = "City number \(id % 5)"
            let flat = all.where { $0.flat == id && $0.city == city }
            check(flat) { $0.id == id && $0.city == city }
            check(try all.filter("city == %@ && flat == %@", city, id)) {
                $0.id == id && $0.city == city
            }
            check(all.where { $0.flat == id && $0.flat == id }) { $0.id == id }
            check(all.where { $0.city == city && $0.city == "City number 1" && $0.flat == id }) {
                $0.id == id && $0.city == city && city == "City number 1"
            }
            check(all.where { $0.city == city && $0.flat == id && $0.rent == 1 && $0.id == id }) {
                $0.id == id && $0.city == city && $0.rent == 1
            }
            check(all.where { !($0.city == city && $0.flat == id) }) {
                !($0.id == id && $0.city == city)
            }
            check(all.where { $0.mail == "\(id)@example.org" }) { $0.id == id }
            #expect(flat.explain().contains("index seek on (city, "))
        }
    }

    /// The index was searched for every combination of two long lists.
    @Test func noMorePlacesThanTheLimitAreAskedFor() async throws {
        try await withFreshRealm([Shunter.self]) { realm in
            try await realm.write { tx in
                for number in 0..<2_000 {
                    try tx.create(Shunter.self, value: ["depot": number, "track": number % 10])
                }
            }
            func sought(_ depotCount: Int) -> FrozenResults<Shunter> {
                let (depots, tracks) = (Array(0..<depotCount), Array(0..<8))
                return realm.objects(Shunter.self)
                    .where { $0.depot.in(depots) && $0.track.in(tracks) }
            }
            let (few, many) = (sought(8), sought(9))
            #expect(few.explain().contains("by depot, track (8 of 2000 objects)"))
            #expect(many.explain().contains("by depot (9 of 2000 objects)"))
            #expect(few.values(of: \.depot) == Array(0..<8))
            #expect(many.values(of: \.depot) == Array(0..<8))
        }
    }

    /// They are far fewer than the entries of the first property alone.
    @Test func morePlacesAreAskedForWhereManyEntriesAreLeft() async throws {
        try await withFreshRealm([Shunter.self]) { realm in
            try await realm.write { tx in
                for number in 0..<3_000 {
                    try tx.create(
                        Shunter.self, value: ["depot": number % 10, "track": number / 10])
                }
            }
            let (depots, tracks) = (Array(0..<9), Array(0..<8))
            let found = realm.objects(Shunter.self)
                .where { $0.depot.in(depots) && $0.track.in(tracks) }
            #expect(found.explain().contains("by depot, track (72 of 3000 objects)"))
            #expect(found.values(of: \.depot) == (0..<80).map { $0 % 10 }.filter { $0 < 9 })
        }
    }

    @Test func frozenResultsAreThoseOfAScan() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(400, tx) }
            try check(realm.objects(Tenant.self))
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test func resultsOfATransactionFollowItsChanges() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in
                try Tenant.fill(400, tx)
                try check(tx.objects(Tenant.self))
                for (number, tenant) in tx.objects(Tenant.self).enumerated() where number % 3 == 0 {
                    tenant.city = "City number \(number % 4)"
                    tenant.since = number % 2 == 0 ? nil : Date(timeIntervalSinceReferenceDate: 41)
                }
                try check(tx.objects(Tenant.self))
                try tx.delete(tx.objects(Tenant.self).where { $0.rent == 2 && $0.id != 12 })
                try check(tx.objects(Tenant.self))
            }
            try check(realm.objects(Tenant.self))
        }
    }

    @MainActor @Test func liveResultsFollow() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(300, tx) }
            let live = try await realm.live()
            try check(live.objects(Tenant.self))
            try await live.write { live.objects(Tenant.self)[8].city = "City number 3" }
            try check(live.objects(Tenant.self))
        }
    }

    @Test func aStoreThatIsOpenedAgainHasThem() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Tenant.self])
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in try Tenant.fill(400, tx) }
            try await realm.close()
            realm = try await Realm.open(configuration)
            try check(realm.objects(Tenant.self))
            try await realm.compact()
            try check(realm.objects(Tenant.self))
            #expect(try await realm.verify().isIntact)
            let stored = realm.snapshot().storedSchema.schema["Tenant"]
            #expect(
                stored?.indexes.map(\.description) == [
                    "index: city, since descending, rent", "unique index: mail",
                    "unique index: city, flat descending",
                ])
            #expect(stored?.indexes == Tenant.sharedSchema().indexes)
            #expect(stored?.properties.count == 7)
            try await realm.close()
        }
    }

    @Test func dynamicObjectsAreFoundAlike() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in
                try Tenant.fill(50, tx)
                let found = try tx.dynamicObjects("Tenant").filter("mail == '12@example.org'")
                #expect(found.count == 1)
                found.first?["mail"] = "13"
                #expect(try tx.dynamicObjects("Tenant").filter("mail == '13'").count == 1)
            }
        }
    }
}
