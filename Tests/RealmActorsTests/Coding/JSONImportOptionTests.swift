import Foundation
import RealmActors
import Testing

private final class Country: Object {
    @Persisted(primaryKey: true) var iso: String = ""
    @Persisted var name: String = "unnamed"
    @Persisted var capital: City?
}
private final class City: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var country: Country?
    @Persisted var visited: List<Country>
    @Persisted var rivals: MutableSet<City>
    @Persisted var byName: Map<String, Country?>
    @Persisted var area: Decimal128
    @Persisted var areas: List<Decimal128>
    @Persisted var mayor: Mayor?
    @Persisted var note: Note?
}
private final class Mayor: EmbeddedObject {
    @Persisted var name: String
}
private final class Note: Object {
    @Persisted var text: String
}
private final class Generated: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var city: City?
}

/// The options of an import for keys, links and names, and numbers with all their digits.
@Suite struct JSONImportOptionTests {
    private func withRealm(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm(
            [Country.self, City.self, Mayor.self, Note.self, Generated.self]
        ) { realm in
            try await body(realm)
            #expect(try await realm.verify().isIntact)
        }
    }

    private func message(
        _ realm: Realm, _ json: String, unknownKeys: UnknownKeys = .ignore,
        links: ImportedLinks = .create
    ) async throws -> String {
        let error = await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                _ = try tx.create(
                    City.self, json: Data(json.utf8), update: .modified, unknownKeys: unknownKeys,
                    links: links)
            }
        }
        return error.map { "\($0)" } ?? ""
    }

    /// It got the key zero, or an empty text, and took the place of another object.
    @Test func anObjectWithoutItsPrimaryKeyIsRefused() async throws {
        try await withRealm { realm in
            #expect(
                try await message(realm, #"[{"id": 1}, {"area": 2}]"#).contains(
                    "The 'City' at [1] lacks its primary key 'id'"))
            #expect(
                try await message(realm, #"{"id": 1, "country": {"name": "x"}}"#).contains(
                    "The 'Country' at country lacks its primary key 'iso'"))
            #expect(realm.snapshot().isEmpty)
            // One that is generated may be missing, but not where it says what to update.
            let json = Data(#"[{}, {"city": {"id": 1}}]"#.utf8)
            try await realm.write { tx in try tx.create(Generated.self, json: json) }
            #expect(Set(realm.objects(Generated.self).map(\.id)).count == 2)
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    try tx.create(Generated.self, json: json, update: .modified)
                }
            }
        }
    }

    @Test func unknownKeysAreRefusedWhereAsked() async throws {
        try await withRealm { realm in
            let json = #"{"id": 1, "mayor": {"name": "M", "agee": 3}, "nmae": 1, "x": null}"#
            try await realm.write { tx in
                try tx.create(City.self, json: Data(json.utf8))
            }
            let text = try await message(realm, json, unknownKeys: .refuse)
            #expect(text.contains("The 'City' has no property 'nmae', 'x'. It has id, country"))
            let nested = #"[{"id": 1, "mayor": {"name": "M", "agee": 3}}]"#
            #expect(
                try await message(realm, nested, unknownKeys: .refuse).contains(
                    "The 'Mayor' at [0].mayor has no property 'agee'"))
            #expect(
                try await message(
                    realm, #"{"id": 1, "country": {"iso": "CH", "size": 3}}"#, unknownKeys: .refuse
                ).contains("The 'Country' at country has no property 'size'"))
        }
    }

    @Test func linksMayBeGivenByKey() async throws {
        try await withRealm { realm in
            let json = #"""
                [{"id": 1, "country": "CH", "visited": ["DE", {"iso": "FR"}, "CH"],
                    "rivals": [2, 3], "byName": {"a": "DE", "b": null}},
                 {"id": 2, "country": {"iso": "CH", "name": "Switzerland"}}]
                """#
            try await realm.write { tx in
                try tx.create(Country.self, value: ["iso": "DE", "name": "Germany"])
                try tx.create(City.self, json: Data(json.utf8), update: .modified)
            }
            let city = try #require(realm.object(City.self, forPrimaryKey: 1))
            #expect(city.country?.iso == "CH" && city.country?.name == "Switzerland")
            #expect(city.visited.map(\.iso) == ["DE", "FR", "CH"])
            #expect(city.visited.first?.name == "Germany")
            #expect(city.visited[1].name == "unnamed" && Set(city.rivals.map(\.id)) == [2, 3])
            #expect(city.byName["a"]??.name == "Germany" && city.byName["b"] == .some(nil))
            #expect(realm.objects(Country.self).count == 3 && realm.objects(City.self).count == 3)
            // A class without a key, an embedded one, and a value that is no key have no such form.
            for wrong in [#""note": "n""#, #""mayor": "m""#, #""country": 5"#, #""rivals": ["x"]"#]
            {
                let text = try await message(realm, "{\"id\": 1, \(wrong)}")
                #expect(text.contains("and was given"), "\(text)")
            }
        }
    }

    @Test func linksToExistingObjectsNeverMakeOne() async throws {
        try await withRealm { realm in
            try await realm.write { tx in
                try tx.create(Country.self, value: ["iso": "CH", "name": "Switzerland"])
            }
            let good = #"""
                [{"id": 1, "country": "CH", "mayor": {"name": "M"}, "visited": [{"iso": "CH"}]},
                 {"id": 2, "rivals": [1]}]
                """#
            try await realm.write { tx in
                try tx.create(City.self, json: Data(good.utf8), links: .existing)
            }
            let city = try #require(realm.object(City.self, forPrimaryKey: 1))
            #expect(city.country?.name == "Switzerland" && city.mayor?.name == "M")
            #expect(city.visited.count == 1)
            for wrong in [
                #""country": "XX""#, #""country": {"iso": "XX"}"#, #""visited": ["CH", "XX"]"#,
                #""byName": {"a": "XX"}"#,
            ] {
                let text = try await message(realm, "{\"id\": 3, \(wrong)}", links: .existing)
                #expect(text.contains("There is no 'Country' with primary key XX"), "\(text)")
            }
            #expect(
                try await message(realm, #"{"id": 3, "note": {"text": "t"}}"#, links: .existing)
                    .contains("'Note' has no primary key"))
            #expect(realm.objects(Country.self).count == 1 && realm.objects(City.self).count == 2)
        }
    }

    static let numbers = [
        "1e400", "-1E-400", "1234567890123456789012345678901234", "0.1", "1e6144",
        "0.1234567890123456789012345678901234", "9007199254740993.5", "12345678901234567890",
        "9.999999999999999999999999999999999E+6144", "1234567890123456789012345678901234567890123",
        "100000000000000000000000000000000000005000000000000000001",
    ]

    /// They were doubles on the way, which have 17 digits and powers up to 308.
    @Test func decimalNumbersKeepEveryDigit() async throws {
        try await withRealm { realm in
            let list = Self.numbers.joined(separator: ", ")
            let cities = Self.numbers.enumerated().map { #", {"id": \#($0 + 1), "area": \#($1)}"# }
            let first = #"{"id": 0, "areas": [\#(list)], "mayor": {"name": "\"[{1e5"}}"#
            let json = "[" + first + cities.joined() + "]"
            try await realm.write { tx in try tx.create(City.self, json: Data(json.utf8)) }
            let expected = Self.numbers.map { Decimal128($0) }
            let city = try #require(realm.object(City.self, forPrimaryKey: 0))
            #expect(city.areas.map { $0 } == expected)
            #expect(realm.objects(City.self).dropFirst().map { $0.area } == expected)
            // Two names that a key strategy maps to one cannot be distinguished.
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            try await realm.write { tx in
                try tx.create(
                    City.self, json: Data(#"{"id": 99, "area": 1e-400}"#.utf8), decoder: decoder)
            }
            #expect(
                realm.object(City.self, forPrimaryKey: 99)?.area == Decimal128("1e-400"))
        }
        let plain = try JSONDecoder().decode(
            [Decimal128].self, from: Data("[0.1234567890123456789012345678901234]".utf8))
        #expect(plain == [Decimal128("0.1234567890123456789012345678901234")])
    }

    /// Names are compared without case and underscores, since strategies for keys change these. A
    /// number got the text of another one whose name is like its own.
    @Test func aNumberIsNotThatOfANameLikeItsOwn() async throws {
        try await withRealm { realm in
            let json =
                #"[{"id": 1, "area": 1.5, "Area": 1e300},"#
                + #" {"id": 2, "area": "2.5", "a_rea": 7e1}]"#
            try await realm.write { tx in try tx.create(City.self, json: Data(json.utf8)) }
            #expect(realm.objects(City.self).map { $0.area } == [1.5, 2.5])
        }
    }

    @Test func linksEncodeAsKeys() async throws {
        try await withRealm { realm in
            try await realm.write { tx in
                let country = try tx.create(Country.self, value: ["iso": "CH"])
                let city = try tx.create(
                    City.self,
                    value: [
                        "id": 1, "country": country, "visited": [country],
                        "byName": ["a": country], "mayor": ["name": "M"], "note": ["text": "t"],
                    ])
                country.capital = city
            }
            let cities = realm.objects(City.self)
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(cities) }
            #expect("\(String(describing: error))".contains("linksAsKeys"))
            let encoder = JSONEncoder()
            encoder.userInfo[.linksAsKeys] = true
            encoder.outputFormatting = .sortedKeys
            let json = try encoder.encode(cities)
            let text = String(decoding: json, as: UTF8.self)
            #expect(text.contains(#""country":"CH""#) && text.contains(#""visited":["CH"]"#))
            #expect(text.contains(#""a":"CH""#) && text.contains(#""mayor":{"name":"M"}"#))
            #expect(text.contains(#""note":{"text":"t"}"#))
            let countries = try encoder.encode(realm.objects(Country.self))
            try await realm.write { tx in
                try tx.deleteAll()
                try tx.create(Country.self, json: countries)
                try tx.create(City.self, json: json, update: .modified, links: .create)
            }
            #expect(try encoder.encode(realm.objects(City.self)) == json)
            #expect(realm.objects(Country.self).first?.capital?.id == 1)
        }
    }
}
