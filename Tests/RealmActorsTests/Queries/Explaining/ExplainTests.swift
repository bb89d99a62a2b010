import Foundation
import RealmActors
import Testing

final class ExplainedCity: Object {
    @Persisted(primaryKey: true) var code: Int
    @Persisted(indexed: true) var name: String
    @Persisted var land: String
    @Persisted(originProperty: "city") var letters: LinkingObjects<ExplainedLetter>
}

final class ExplainedLetter: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var weight: Int
    @Persisted(indexed: true) var street: String
    @Persisted var grams: Int
    @Persisted var text: String
    @Persisted var isRead: Bool
    @Persisted var city: ExplainedCity?
    @Persisted var via: List<ExplainedCity>

    override class func propertiesMapping() -> [String: String] { ["grams": "g"] }

    /// 2,000 letters to 2,000 cities: every tenth letter to the first one, and of every weight and
    /// number of grams twenty.
    static func fill(_ tx: WriteTransaction) throws {
        let cities = try (0..<2000).map { code in
            try tx.create(
                ExplainedCity.self,
                value: ["code": code, "name": "City \(code)", "land": "Land \(code % 500)"])
        }
        for number in 0..<2000 {
            let letter = try tx.create(
                ExplainedLetter.self,
                value: [
                    "number": number, "weight": number % 100, "grams": number % 100,
                    "street": "Street \(number % 400)", "text": "Text \(number)",
                    "isRead": number % 2 == 0,
                ])
            letter.city = cities[number % 10 == 0 ? 0 : number]
            if number < 5 { letter.via.append(objectsIn: [cities[1], cities[2], cities[1]]) }
        }
    }
}

/// Expects just these lines.
private func expect(
    _ found: some QueryableResults<ExplainedLetter>, _ lines: String...,
    location: SourceLocation = #_sourceLocation
) {
    #expect(found.explain() == lines.joined(separator: "\n"), sourceLocation: location)
}

/// What explain() says, word for word.
@Suite struct ExplainTests {
    private static let types: [ObjectBase.Type] = [ExplainedLetter.self, ExplainedCity.self]

    private static func check<Found: QueryableResults<ExplainedLetter>>(_ letters: Found) throws {
        expect(
            letters,
            "query: ExplainedLetter",
            "find: all objects, which the store counts and numbers by itself",
            "scanned 0 of 2000 objects, matched 2000")
        expect(
            letters.where { $0.grams == 7 },
            "query: ExplainedLetter WHERE grams == 7",
            "find: looks at every object, since no index serves",
            "check: grams == 7",
            "scanned 2000 of 2000 objects, matched 20",
            "hint: grams with @Persisted(indexed: true) would find the 20 of 2000 objects with "
                + "grams == 7")
        expect(
            letters.where { $0.grams > 7 && $0.text.contains("9") },
            "query: ExplainedLetter WHERE grams > 7 AND text CONTAINS '9'",
            "find: looks at every object, since no index serves",
            "check: grams > 7 AND text CONTAINS '9'",
            "scanned 2000 of 2000 objects, matched 526")
        expect(
            letters.where { $0.number == 5 },
            "query: ExplainedLetter WHERE number == 5",
            "find: asks the index on number, which finds 1 of 2000 objects",
            "read 1 index entries, scanned 0 of 2000 objects, matched 1")
        expect(
            letters.where { $0.weight == 7 || $0.weight == 8 },
            "query: ExplainedLetter WHERE weight == 7 OR weight == 8",
            "find: asks the index on weight, which finds 40 of 2000 objects",
            "read 40 index entries, scanned 0 of 2000 objects, matched 40")
        expect(
            letters.where { $0.street == "Street 7" && $0.isRead == false },
            "query: ExplainedLetter WHERE street == 'Street 7' AND isRead == FALSE",
            "find: asks the index on street, which finds 5 of 2000 objects",
            "check: street == 'Street 7' AND isRead == FALSE",
            "read 5 index entries, scanned 5 of 2000 objects, matched 5")
        expect(
            letters.where { $0.weight > 20 },
            "query: ExplainedLetter WHERE weight > 20",
            "find: looks at every object, since the index on weight leaves 1580 of 2000",
            "check: weight > 20",
            "scanned 2000 of 2000 objects, matched 1580")
        expect(
            try letters.filter(
                "street BEGINSWITH 'Street 39' AND (grams IN {1, 2} OR isRead == NO)"),
            "query: ExplainedLetter WHERE street BEGINSWITH 'Street 39' AND "
                + "(grams IN {1, 2} OR isRead == FALSE)",
            "find: looks at every object, since the index on street leaves 55 of 2000",
            "check: street BEGINSWITH 'Street 39' AND (grams IN {1, 2} OR isRead == FALSE)",
            "scanned 2000 of 2000 objects, matched 30")
    }

    private static func checkOrders<Found: QueryableResults<ExplainedLetter>>(
        _ letters: Found
    ) throws {
        expect(
            letters.sorted(by: \.grams).limit(10),
            "query: ExplainedLetter SORT(grams ASC) LIMIT(10)",
            "find: all objects, in the order of their creation",
            "order: keeps the first 10 by grams ASC while reading (top-k)",
            "limit: ends after the first 10",
            "scanned 2000 of 2000 objects, matched 10")
        expect(
            letters.sorted(by: \.weight, ascending: false).limit(10),
            "query: ExplainedLetter SORT(weight DESC) LIMIT(10)",
            "find: walks the index on weight in descending order",
            "order: that of the index, so nothing is sorted",
            "limit: ends after the first 10",
            "read 10 index entries, scanned 0 of 2000 objects, matched 10")
        expect(
            letters.where { $0.isRead }.sorted(by: \.weight).limit(3),
            "query: ExplainedLetter WHERE isRead == TRUE SORT(weight ASC) LIMIT(3)",
            "find: walks the index on weight in ascending order",
            "check: isRead == TRUE",
            "order: that of the index, so nothing is sorted",
            "limit: ends after the first 3",
            "read 3 index entries, scanned 3 of 2000 objects, matched 3")
        expect(
            letters.where { $0.text == "Text 5" }.sorted(by: \.weight).limit(3),
            "query: ExplainedLetter WHERE text == 'Text 5' SORT(weight ASC) LIMIT(3)",
            "order: gave up walking the index on weight after 31 entries, as too few of those "
                + "objects match",
            "find: looks at every object, since no index serves",
            "check: text == 'Text 5'",
            "order: keeps the first 3 by weight ASC while reading (top-k)",
            "limit: ends after the first 3",
            "read 31 index entries, scanned 2000 of 2000 objects, matched 1",
            "hint: text with @Persisted(indexed: true) would find the 1 of 2000 objects with "
                + "text == 'Text 5'")
        expect(
            letters.where { $0.isRead }.limit(3),
            "query: ExplainedLetter WHERE isRead == TRUE LIMIT(3)",
            "find: looks at every object, since no index serves",
            "check: isRead == TRUE",
            "limit: ends after the first 3",
            "scanned 5 of 2000 objects, matched 3")
        expect(
            letters.distinct(by: \.grams).sorted(by: \.city?.name).limit(5).where { $0.grams != 0 },
            "query: ExplainedLetter DISTINCT(grams) SORT(city.name ASC) LIMIT(5) WHERE grams != 0",
            "find: all objects, in the order of their creation",
            "distinct: keeps the first of each grams",
            "order: keeps the first 5 by city.name ASC while reading (top-k)",
            "limit: ends after the first 5",
            "check: grams != 0",
            "scanned 2000 of 2000 objects, matched 4")
    }

    private static func checkLinks<Found: QueryableResults<ExplainedLetter>>(
        _ letters: Found
    ) throws {
        expect(
            letters.where { $0.city.name == "City 7" },
            "query: ExplainedLetter WHERE city.name == 'City 7'",
            "find: goes back along city from what it has to lead to, which finds 1 of 2000 objects",
            "read 1 index entries, scanned 0 of 2000 objects, matched 1")
        expect(
            letters.where { $0.via.name.starts(with: "City 1") && $0.via.name == "City 2" },
            "query: ExplainedLetter WHERE via.name BEGINSWITH 'City 1' AND via.name == 'City 2'",
            "find: goes back along via from what it has to lead to, which finds 5 of 2000 objects",
            "check: via.name BEGINSWITH 'City 1' AND via.name == 'City 2'",
            "read 5 index entries, scanned 5 of 2000 objects, matched 5")
        expect(
            letters.where { $0.city.land == "Land 7" },
            "query: ExplainedLetter WHERE city.land == 'Land 7'",
            "find: looks at every object, since no index serves",
            "check: city.land == 'Land 7'",
            "scanned 2000 of 2000 objects, matched 4",
            "hint: land of ExplainedCity with @Persisted(indexed: true) would find the 4 of 2000 "
                + "objects with city.land == 'Land 7'")
        expect(
            letters.where { $0.city == nil },
            "query: ExplainedLetter WHERE city == NULL",
            "find: looks at every object, since no index serves",
            "check: city == NULL",
            "scanned 2000 of 2000 objects, matched 0")
    }

    @Test("Q22: plans are explained")
    func plansAreExplained() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                try ExplainedLetter.fill(tx)
                let letters = tx.objects(ExplainedLetter.self)
                try Self.check(letters)
                try Self.checkOrders(letters)
                try Self.checkLinks(letters)
            }
            let letters = realm.objects(ExplainedLetter.self)
            try Self.check(letters)
            try Self.checkOrders(letters)
            try Self.checkLinks(letters)
        }
    }

    @MainActor
    @Test func liveResultsAndSectionsOfAWriteAreExplainedAsTheyAreNow() async throws {
        try await withFreshRealm(Self.types) { realm in
            let live = try await realm.live()
            let heavy = live.objects(ExplainedLetter.self).where { $0.weight > 90 }
            let none = [
                "query: ExplainedLetter WHERE weight > 90",
                "find: asks the index on weight, which finds 0 of 0 objects",
                "scanned 0 of 0 objects, matched 0",
            ]
            #expect(heavy.explain() == none.joined(separator: "\n"))
            try await live.write {
                for number in 0..<100 {
                    try live.create(
                        ExplainedLetter.self, value: ["number": number, "weight": number])
                }
                #expect(
                    heavy.sectioned(by: \.street).explain() == """
                        query: ExplainedLetter WHERE weight > 90 SORT(street ASC)
                        find: asks the index on weight, which finds 9 of 100 objects
                        order: sorts by street ASC
                        read 9 index entries, scanned 0 of 100 objects, matched 9
                        sections: one pass over the matched objects
                        """)
            }
            expect(
                heavy,
                "query: ExplainedLetter WHERE weight > 90",
                "find: asks the index on weight, which finds 9 of 100 objects",
                "read 9 index entries, scanned 0 of 100 objects, matched 9")
        }
    }

    @Test func objectsAreFoundBackFromTheirTargets() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in try ExplainedLetter.fill(tx) }
            let letters = realm.objects(ExplainedLetter.self)
            let city = try #require(
                realm.object(ExplainedCity.self, forPrimaryKey: 0))
            let found = letters.where { $0.city == city }
            #expect(
                found.explain() == """
                    query: ExplainedLetter WHERE city == an object
                    find: goes back along city from what it has to lead to, which \
                    finds 200 of 2000 objects
                    read 200 index entries, scanned 0 of 2000 objects, matched 200
                    """)
            #expect(found.values(of: \.number) == (0..<200).map { $0 * 10 })
            let through = try #require(
                realm.object(ExplainedCity.self, forPrimaryKey: 1))
            let via = letters.where { $0.via.contains(through) }
            #expect(
                via.explain() == """
                    query: ExplainedLetter WHERE via == an object
                    find: goes back along via from what it has to lead to, which \
                    finds 10 of 2000 objects
                    read 10 index entries, scanned 0 of 2000 objects, matched 5
                    """)
            #expect(via.values(of: \.number) == [0, 1, 2, 3, 4])
            #expect(via.count == 5)
            #expect(
                city.letters.where { $0.grams == 0 }.explain() == """
                    query: ExplainedLetter WHERE grams == 0
                    find: the 200 objects whose city leads to one object, by the index of backlinks
                    check: grams == 0
                    read 200 index entries, scanned 200 of 2000 objects, matched 20
                    """)
            #expect(
                letters.sectioned(by: \.weight).explain() == """
                    query: ExplainedLetter SORT(weight ASC)
                    find: walks the index on weight in ascending order
                    order: that of the index, so nothing is sorted
                    read 2000 index entries, scanned 0 of 2000 objects, matched 2000
                    sections: one pass over the matched objects
                    """)
        }
    }
}
