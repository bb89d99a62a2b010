import Foundation
import RealmActors
import Testing

private final class Country: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String = "nameless"
}

private final class City: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name: String = "nowhere"
    @Persisted var founded: Date?
    @Persisted var rank: Int8
    @Persisted var ranks: List<Int8>
    @Persisted var country: Country?
    @Persisted var twins: List<City>
    @Persisted var mayors: Map<String, Mayor?>
    @Persisted var tags: MutableSet<String>
    @Persisted var area: Decimal128
    @Persisted var note: AnyRealmValue
    @Persisted var mayor: Mayor?
    @Persisted var seal: Data
}

private final class Mayor: EmbeddedObject {
    @Persisted var name: String
    @Persisted var terms: List<Int>
}

/// JSON that becomes objects of classes that the program does not declare.
@Suite struct DynamicImportTests {
    private static let types: [ObjectBase.Type] = [Country.self, City.self, Mayor.self]
    private static let bern = "6E0B0FB2-1111-4222-8333-944455556666"
    private static let rome = "6E0B0FB2-1111-4222-8333-944455556667"
    private static let cities = """
        [{"id": "\(bern)", "name": "Bern", "founded": 0, "rank": 5, "ranks": [1, -2],
          "country": {"code": "CH", "name": "Schweiz"}, "tags": ["a", "b", "a"],
          "mayors": {"first": {"name": "Ann", "terms": [1, 2]}, "none": null},
          "area": 51.620000000000000001, "note": {"x": [1, "two"]},
          "mayor": {"name": "Bo"}, "seal": "AQI="},
         {"id": "\(rome)", "country": "IT", "twins": ["\(bern)"]}]
        """

    private func withUndeclared(_ body: (Realm) async throws -> Void) async throws {
        try await withStorePath { path in
            let made = try await Realm.open(.init(path: path, objectTypes: Self.types))
            try await made.close()
            let realm = try await Realm.open(
                .init(path: path, writeTimeout: nil, usesStoredSchema: true))
            do {
                try await body(realm)
            } catch {
                try? await realm.close()
                throw error
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    private static func encoded(_ realm: Realm, _ name: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo[.linksAsKeys] = true
        return try encoder.encode(try realm.dynamicObjects(name))
    }

    @Test("V15: a graph is imported as its models would import it")
    func aGraphIsImportedAsItsModelsWouldImportIt() async throws {
        let json = Data(Self.cities.utf8)
        var expected: [Data] = []
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                try tx.create(City.self, json: json)
                // What only the Swift class says of an object without values.
                for city in tx.objects(City.self) where city.name == "nowhere" { city.name = "" }
                for land in tx.objects(Country.self) where land.name == "nameless" {
                    land.name = ""
                }
            }
            expected = [try Self.encoded(realm, "City"), try Self.encoded(realm, "Country")]
        }
        try await withUndeclared { realm in
            let names = try await realm.write { tx in
                try tx.dynamicCreate("City", json: json).map { $0["name"] as? String }
            }
            #expect(names == ["Bern", ""])
            #expect(try Self.encoded(realm, "City") == expected[0])
            #expect(try Self.encoded(realm, "Country") == expected[1])
        }
    }

    @Test func anUpdateChangesWhatIsGiven() async throws {
        try await withUndeclared { realm in
            try await realm.write { tx in
                try tx.dynamicCreate("City", json: Data(Self.cities.utf8))
            }
            let update = """
                {"id": "\(Self.bern)", "rank": -8, "country": "IT", "mayor": {"name": "Cy"},
                 "mayors": {"first": {"terms": [3]}}}
                """
            try await realm.write { tx in
                try tx.dynamicCreate("City", json: Data(update.utf8), update: .modified)
            }
            let cities = try realm.dynamicObjects("City")
            #expect(try cities.count == 2 && realm.dynamicObjects("Mayor").count == 2)
            let bern = try #require(try cities.filter("rank == -8").first)
            #expect(
                try bern["name"] == "Bern"
                    && bern["mayor"] == .dictionary(["name": "Cy", "terms": .list([])]))
            #expect(
                try bern["mayors"]
                    == .dictionary(["first": .dictionary(["name": "Ann", "terms": .list([3])])]))
            #expect(try cities.filter("country.code == 'IT'").count == 2)
        }
    }

    /// They are columns of `Int`, and would have been stored.
    @Test func narrowIntegersRefuseWhatTheyLack() async throws {
        try await withUndeclared { realm in
            for values in [#""rank": 300"#, #""ranks": [1, -129]"#] {
                let json = Data("{\"id\": \"\(Self.bern)\", \(values)}".utf8)
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in try tx.dynamicCreate("City", json: json) }
                }
                #expect("\(error as Any)".contains("an Int8, from -128 to 127"))
            }
            let cities = try realm.dynamicObjects("City")
            #expect(cities.isEmpty)
        }
    }

    @Test func whatDoesNotFitIsNamedAndLeavesNothing() async throws {
        try await withUndeclared { realm in
            let id = "\"id\": \"\(Self.bern)\""
            let cases: [(String, String, String)] = [
                ("City", "{}", "lacks its primary key 'id'"),
                ("City", "{\(id), \"name\": 7}", "Property 'City.name' at name takes String"),
                ("City", "{\(id), \"what\": 7}", "has no property 'what'"),
                ("City", "{\(id), \"country\": \"XX\"}", "no 'Country' with primary key XX"),
                ("Mayor", "{\"name\": \"x\"}", "'Mayor' is embedded"),
                ("Nothing", "{}", "no class 'Nothing'"),
            ]
            for (name, json, message) in cases {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        try tx.dynamicCreate(
                            name, json: Data(json.utf8), unknownKeys: .refuse, links: .existing)
                    }
                }
                #expect("\(error as Any)".contains(message), "\(error as Any)")
            }
            #expect(realm.snapshot().isEmpty)
        }
    }

    @Test func aDeclaredClassHasItsDefaults() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                let made = try tx.dynamicCreate("City", json: Data("[{}, {}]".utf8))
                #expect(made.count == 2 && made[0]["name"] as? String == "nowhere")
            }
            #expect(realm.objects(City.self).count == 2)
        }
    }
}
