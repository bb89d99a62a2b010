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
            "access: all objects in creation order, keys only",
            "scanned 0 of 2000 objects, matched 2000")
        expect(
            letters.where { $0.grams == 7 },
            "query: ExplainedLetter WHERE grams == 7",
            "access: full scan (no usable index)",
            "filter: grams == 7",
            "scanned 2000 of 2000 objects, matched 20",
            "hint: declare grams as @Persisted(indexed: true) "
                + "(grams == 7 selects 20 of 2000 objects)")
        expect(
            letters.where { $0.grams > 7 && $0.text.contains("9") },
            "query: ExplainedLetter WHERE grams > 7 AND text CONTAINS '9'",
            "access: full scan (no usable index)",
            "filter: grams > 7 AND text CONTAINS '9'",
            "scanned 2000 of 2000 objects, matched 526")
        expect(
            letters.where { $0.number == 5 },
            "query: ExplainedLetter WHERE number == 5",
            "access: index seek on number (1 of 2000 objects)",
            "read 1 index entry, scanned 0 of 2000 objects, matched 1")
        expect(
            letters.where { $0.weight == 7 || $0.weight == 8 },
            "query: ExplainedLetter WHERE weight == 7 OR weight == 8",
            "access: index seek on weight (40 of 2000 objects)",
            "read 40 index entries, scanned 0 of 2000 objects, matched 40")
        expect(
            letters.where { $0.street == "Street 7" && $0.isRead == false },
            "query: ExplainedLetter WHERE street == 'Street 7' AND isRead == FALSE",
            "access: index seek on street (5 of 2000 objects)",
            "filter: street == 'Street 7' AND isRead == FALSE",
            "read 5 index entries, scanned 5 of 2000 objects, matched 5")
        expect(
            letters.where { $0.weight > 20 },
            "query: ExplainedLetter WHERE weight > 20",
            "access: full scan (index on weight selects 1580 of 2000 objects)",
            "filter: weight > 20",
            "scanned 2000 of 2000 objects, matched 1580")
        expect(
            try letters.filter(
                "street BEGINSWITH 'Street 39' AND (grams IN {1, 2} OR isRead == NO)"),
            "query: ExplainedLetter WHERE street BEGINSWITH 'Street 39' AND "
                + "(grams IN {1, 2} OR isRead == FALSE)",
            "access: full scan (index on street selects 55 of 2000 objects)",
            "filter: street BEGINSWITH 'Street 39' AND (grams IN {1, 2} OR isRead == FALSE)",
            "scanned 2000 of 2000 objects, matched 30")
    }

    private static func checkOrders<Found: QueryableResults<ExplainedLetter>>(
        _ letters: Found
    ) throws {
        expect(
            letters.sorted(by: \.grams).limit(10),
            "query: ExplainedLetter SORT(grams ASC) LIMIT(10)",
            "access: full scan in creation order",
            "sort: by grams ASC (top-k, k = 10)",
            "limit: 10",
            "scanned 2000 of 2000 objects, matched 10")
        expect(
            letters.sorted(by: \.weight, ascending: false).limit(10),
            "query: ExplainedLetter SORT(weight DESC) LIMIT(10)",
            "access: index scan on weight, descending",
            "sort: none (index order)",
            "limit: 10",
            "read 10 index entries, scanned 0 of 2000 objects, matched 10")
        expect(
            letters.where { $0.isRead }.sorted(by: \.weight).limit(3),
            "query: ExplainedLetter WHERE isRead == TRUE SORT(weight ASC) LIMIT(3)",
            "access: index scan on weight, ascending",
            "filter: isRead == TRUE",
            "sort: none (index order)",
            "limit: 3",
            "read 3 index entries, scanned 3 of 2000 objects, matched 3")
        expect(
            letters.where { $0.text == "Text 5" }.sorted(by: \.weight).limit(3),
            "query: ExplainedLetter WHERE text == 'Text 5' SORT(weight ASC) LIMIT(3)",
            "sort: index scan on weight abandoned after 31 entries (too few matches)",
            "access: full scan (no usable index)",
            "filter: text == 'Text 5'",
            "sort: by weight ASC (top-k, k = 3)",
            "limit: 3",
            "read 31 index entries, scanned 2000 of 2000 objects, matched 1",
            "hint: declare text as @Persisted(indexed: true) "
                + "(text == 'Text 5' selects 1 of 2000 objects)")
        expect(
            letters.where { $0.isRead }.limit(3),
            "query: ExplainedLetter WHERE isRead == TRUE LIMIT(3)",
            "access: full scan (no usable index)",
            "filter: isRead == TRUE",
            "limit: 3",
            "scanned 5 of 2000 objects, matched 3")
        expect(
            letters.distinct(by: \.grams).sorted(by: \.city?.name).limit(5).where { $0.grams != 0 },
            "query: ExplainedLetter DISTINCT(grams) SORT(city.name ASC) LIMIT(5) WHERE grams != 0",
            "access: full scan in creation order",
            "distinct: first object per grams",
            "sort: by city.name ASC (top-k, k = 5)",
            "limit: 5",
            "filter: grams != 0",
            "scanned 2000 of 2000 objects, matched 4")
    }

    private static func checkLinks<Found: QueryableResults<ExplainedLetter>>(
        _ letters: Found
    ) throws {
        expect(
            letters.where { $0.city.name == "City 7" },
            "query: ExplainedLetter WHERE city.name == 'City 7'",
            "access: backlink seek on city from matching targets (1 of 2000 objects)",
            "read 1 index entry, scanned 0 of 2000 objects, matched 1")
        expect(
            letters.where { $0.via.name.starts(with: "City 1") && $0.via.name == "City 2" },
            "query: ExplainedLetter WHERE via.name BEGINSWITH 'City 1' AND via.name == 'City 2'",
            "access: backlink seek on via from matching targets (5 of 2000 objects)",
            "filter: via.name BEGINSWITH 'City 1' AND via.name == 'City 2'",
            "read 5 index entries, scanned 5 of 2000 objects, matched 5")
        expect(
            letters.where { $0.city.land == "Land 7" },
            "query: ExplainedLetter WHERE city.land == 'Land 7'",
            "access: full scan (no usable index)",
            "filter: city.land == 'Land 7'",
            "scanned 2000 of 2000 objects, matched 4",
            "hint: declare land of ExplainedCity as @Persisted(indexed: true) "
                + "(city.land == 'Land 7' selects 4 of 2000 objects)")
        expect(
            letters.where { $0.city == nil },
            "query: ExplainedLetter WHERE city == NULL",
            "access: full scan (no usable index)",
            "filter: city == NULL",
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
                "access: index seek on weight (0 of 0 objects)",
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
                        access: index seek on weight (9 of 100 objects)
                        sort: by street ASC
                        read 9 index entries, scanned 0 of 100 objects, matched 9
                        sections: one pass over the matched objects
                        """)
            }
            expect(
                heavy,
                "query: ExplainedLetter WHERE weight > 90",
                "access: index seek on weight (9 of 100 objects)",
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
                    access: backlink seek on city from matching targets (200 of 2000 objects)
                    read 200 index entries, scanned 0 of 2000 objects, matched 200
                    """)
            #expect(found.values(of: \.number) == (0..<200).map { $0 * 10 })
            let through = try #require(
                realm.object(ExplainedCity.self, forPrimaryKey: 1))
            let via = letters.where { $0.via.contains(through) }
            #expect(
                via.explain() == """
                    query: ExplainedLetter WHERE via == an object
                    access: backlink seek on via from matching targets (10 of 2000 objects)
                    read 10 index entries, scanned 0 of 2000 objects, matched 5
                    """)
            #expect(via.values(of: \.number) == [0, 1, 2, 3, 4])
            #expect(via.count == 5)
            #expect(
                city.letters.where { $0.grams == 0 }.explain() == """
                    query: ExplainedLetter WHERE grams == 0
                    access: backlink seek on city from one object (200 objects)
                    filter: grams == 0
                    read 200 index entries, scanned 200 of 2000 objects, matched 20
                    """)
            let fifth = try #require(realm.object(ExplainedCity.self, forPrimaryKey: 5))
            #expect(
                fifth.letters.where { $0.grams == 5 }.explain() == """
                    query: ExplainedLetter WHERE grams == 5
                    access: backlink seek on city from one object (1 object)
                    filter: grams == 5
                    read 1 index entry, scanned 1 of 2000 objects, matched 1
                    """)
            #expect(
                letters[0].via.where { $0.code == 2 }.explain() == """
                    query: ExplainedCity WHERE code == 2
                    access: collection scan on via of one ExplainedLetter (3 objects)
                    filter: code == 2
                    scanned 3 of 2000 objects, matched 1
                    """)
            #expect(
                letters.sectioned(by: \.weight).explain() == """
                    query: ExplainedLetter SORT(weight ASC)
                    access: index scan on weight, ascending
                    sort: none (index order)
                    read 2000 index entries, scanned 0 of 2000 objects, matched 2000
                    sections: one pass over the matched objects
                    """)
        }
    }
}
