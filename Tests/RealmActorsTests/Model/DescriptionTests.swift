import Foundation
import Testing

@testable import RealmActors

final class DescribedCountry: Object {
    @Persisted(primaryKey: true) var iso: String
    @Persisted var neighbours: List<DescribedCountry>
    @Persisted var capital: DescribedHarbour?
}

final class DescribedHarbour: Object {
    @Persisted var name: String
    @Persisted var people: Int
    @Persisted var isPort: Bool
    @Persisted var text: String
    @Persisted var country: DescribedCountry?
    @Persisted var extra: AnyRealmValue
    @Persisted var square: Square?
}

final class Square: EmbeddedObject {
    @Persisted var name: String
    @Persisted var inner: Square?
    @Persisted var town: DescribedHarbour?
}

/// What is printed has an end, follows no circle and says which object it is.
@Suite struct DescriptionTests {
    private static let types: [ObjectBase.Type] = [
        DescribedCountry.self, DescribedHarbour.self, Square.self,
    ]

    /// Eight linked objects printed a megabyte.
    @Test func aLinkIsNamedByItsPrimaryKey() async throws {
        try await withFreshRealm(Self.types) { realm in
            let texts = try await realm.write { tx in
                let countries = try "ABCDEFGH".map {
                    try tx.create(DescribedCountry.self, value: ["iso": String($0)])
                }
                let town = try tx.create(
                    DescribedHarbour.self,
                    value: ["name": "Bern", "people": 3, "country": countries[0]])
                for country in countries {
                    country.neighbours.append(objectsIn: countries)
                    country.capital = town
                }
                town.extra = ["c": .object(countries[1]), "l": [1, [2, [3, [4, [5]]]]]]
                return (countries[0].description, town.description, "\(countries[0].neighbours)")
            }
            #expect(
                texts.0 == """
                    DescribedCountry {
                    \tiso = A;
                    \tneighbours = [\("ABCDEFGH".map { "DescribedCountry(iso: \"\($0)\")" }
                        .joined(separator: ", "))];
                    \tcapital = DescribedHarbour(name: "Bern", people: 3, isPort: false, ...);
                    }
                    """)
            #expect(texts.1.contains("country = DescribedCountry(iso: \"A\");"))
            #expect(
                texts.1.contains(
                    "extra = [c: DescribedCountry(iso: \"B\"), l: [1, [2, [2 elements]]]];"))
            #expect(texts.2.utf8.count < 4_000 && texts.2.contains("[7] DescribedCountry {"))
            let frozen = try #require(realm.object(DescribedCountry.self, forPrimaryKey: "A"))
            #expect(frozen.description == texts.0)
        }
    }

    @Test func everythingThatIsPrintedIsBounded() async throws {
        try await withFreshRealm(Self.types) { realm in
            let long = String(repeating: "x", count: 100_000)
            let (town, list) = try await realm.write { tx in
                let town = try tx.create(
                    DescribedHarbour.self, value: ["name": long, "text": long])
                town.extra = .list(List((0..<1_000).map { .string("\($0)\(long)") }))
                let country = try tx.create(DescribedCountry.self, value: ["iso": long])
                for number in 0..<500 {
                    let other = try tx.create(
                        DescribedCountry.self, value: ["iso": "\(number)\(long)"])
                    country.neighbours.append(other)
                }
                var square = try Square(value: ["name": long])
                for _ in 0..<50 {
                    let outer = Square()
                    outer.inner = square
                    square = outer
                }
                town.square = square
                return (town.freeze(), country.neighbours.freeze())
            }
            #expect(town.description.utf8.count < 20_000)
            #expect(town.description.contains("... (100000 bytes in all)"))
            #expect(list.description.utf8.count < 40_000)
            #expect("\(town.extra)".utf8.count < 20_000)
            let results = realm.objects(DescribedCountry.self)
            #expect(results.description.utf8.count < 4_000)
            #expect(results.description.contains("... 491 more"))
            let grouped = results.sectioned { String($0.iso.prefix(1)) }
            #expect(grouped.description.utf8.count < 40_000)
        }
    }

    @Test func anUnmanagedCircleIsNotFollowed() {
        let (a, b) = (DescribedCountry(), DescribedCountry())
        a.iso = "A"
        b.iso = "B"
        a.neighbours.append(b)
        b.neighbours.append(a)
        #expect(a.description.contains("neighbours = [DescribedCountry(iso: \"B\")];"))
        let square = Square()
        square.inner = square
        #expect(square.description.utf8.count < 1_000)
    }

    @Test func errorsNameObjectsAndDoNotEmbedThem() throws {
        let long = String(repeating: "y", count: 5_000)
        let town = try DescribedHarbour(value: ["name": "Bern", "text": long])
        let error = #expect(throws: RealmError.self) {
            try DescribedCountry(value: ["iso": "A", "neighbours": [town]])
        }
        let text = try #require(error).description
        #expect(text.contains("DescribedHarbour") && text.utf8.count < 400)
        #expect(!text.contains("\n"))
    }

    @Test @MainActor func realmsAndResultsSayWhatTheyAre() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: "printed \(UUID())", objectTypes: Self.types))
        try await realm.write { tx in
            try tx.create(DescribedCountry.self, value: ["iso": "CH"])
            try tx.create(DescribedCountry.self, value: ["iso": "FR"])
        }
        #expect(realm.description.hasPrefix("Realm(in memory: printed "))
        #expect(realm.description.hasSuffix(", version \(realm.latestVersion))"))
        #expect(realm.snapshot().description.hasPrefix("Snapshot(in memory: printed "))
        let live = try await realm.live()
        #expect(live.description.hasSuffix("version \(realm.latestVersion))"))
        let shown =
            "(2) (\n\t[0] DescribedCountry(iso: \"CH\"),\n\t[1] DescribedCountry(iso: \"FR\")\n)"
        #expect(
            "\(realm.objects(DescribedCountry.self))" == "FrozenResults<DescribedCountry> " + shown)
        #expect("\(live.objects(DescribedCountry.self))" == "Results<DescribedCountry> " + shown)
        #expect(
            "\(realm.objects(DescribedHarbour.self))" == "FrozenResults<DescribedHarbour> (empty)")
        try await live.write { #expect(live.description.hasSuffix("in a write)")) }
        live.invalidate()
        #expect(live.description.hasSuffix("invalidated)"))
    }

    @Test func aCommitSaysWhatItChanged() async throws {
        try await withFreshRealm(Self.types) { realm in
            let start = realm.snapshot().changeToken
            try await realm.write(author: "sync") { tx in
                try tx.create(DescribedCountry.self, value: ["iso": "CH"])
                try tx.create(DescribedCountry.self, value: ["iso": "FR"])
            }
            try await realm.write { tx in
                let country = try #require(tx.object(DescribedCountry.self, forPrimaryKey: "CH"))
                country.capital = try tx.create(DescribedHarbour.self, value: ["name": "Bern"])
                try tx.delete(try #require(tx.object(DescribedCountry.self, forPrimaryKey: "FR")))
            }
            var texts: [String] = []
            for try await commit in realm.commits(since: start) {
                texts.append("\(commit)")
                if texts.count == 2 { break }
            }
            #expect(texts[0].hasSuffix(" by sync: DescribedCountry +2)"))
            #expect(texts[1].contains("DescribedCountry -1 ~1 (capital)"))
            #expect(texts[1].contains("DescribedHarbour +1"))
        }
    }
}
