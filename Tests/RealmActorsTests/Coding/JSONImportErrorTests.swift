import Foundation
import RealmActors
import Storage
import Testing

/// What an import says about JSON that does not fit.
@Suite struct JSONImportErrorTests {
    /// The message with which an import of films fails; nothing of it is kept.
    private func message(_ json: String) async throws -> String {
        try await withFreshRealm(Film.types) { realm in
            do {
                try await realm.write { tx in
                    _ = try tx.create(Film.self, json: Data(json.utf8))
                }
            } catch {
                #expect(realm.snapshot().isEmpty)
                return "\(error)"
            }
            return "it was imported"
        }
    }

    @Test(arguments: [
        (
            #"[{"id": 1}, {"id": "x"}]"#,
            "Property 'Film.id' at [1].id takes Int, and was given String: x."
        ),
        (
            #"[{"id": 1, "title": null}]"#,
            "Property 'Film.title' at [0].title takes String, and was given null."
        ),
        (
            #"[{"id": 1, "year": 2.5}]"#,
            "Property 'Film.year' at [0].year takes Int?, and was given Double: 2.5."
        ),
        (
            #"{"id": 1, "rank": 3}"#,
            "Property 'Film.rank' at rank takes Rank (Int), and was given Int: 3."
        ),
        (
            #"[{"id": 1, "ratings": [1, "two"]}]"#,
            "Property 'Film.ratings' at [0].ratings[1] takes List<Double>, "
                + "and was given String: two."
        ),
        (
            #"[{"id": 1, "cast": [{"name": "A"}, {"name": "B", "age": true}]}]"#,
            "Property 'Actress.age' at [0].cast[1].age takes Int, and was given Bool: true."
        ),
        (
            #"[{"id": 1, "lead": 5}]"#,
            "Property 'Film.lead' at [0].lead takes Actress?, and was given Int: 5."
        ),
        (
            #"[{"id": 1, "awards": {"a": "b"}}]"#,
            "Property 'Film.awards' at [0].awards.a takes Map<String, Int>, "
                + "and was given String: b."
        ),
        (
            #"[{"id": 1, "sequel": {"id": 2, "place": {"city": 4}}}]"#,
            "Property 'Address.city' at [0].sequel.place.city takes String, and was given Int: 4."
        ),
    ])
    func aValueThatDoesNotFitIsNamed(_ json: String, _ expected: String) async throws {
        let text = try await message(json)
        let beginning = expected.dropLast()
        #expect(text.hasPrefix(beginning), "\(text)")
    }

    @Test func aForbiddenMapKeyIsNamed() async throws {
        let text = try await message(#"[{"id": 1, "awards": {"a.b": 1}}]"#)
        #expect(text.hasPrefix("Property 'Film.awards' at [0].awards: ") && text.contains("'a.b'"))
    }

    @Test(arguments: [#"[{"id": 1}"#, "", "5", #"[5]"#, #"{"id": 1} x"#])
    func whatIsNoListOfObjectsIsRefused(_ json: String) async throws {
        let text = try await message(json)
        #expect(text.hasPrefix("The JSON is neither a 'Film' nor an array of them: "), "\(text)")
    }

    @Test func nothingStaysOfTheObjectAtFaultWhenTheErrorIsCaught() async throws {
        try await withFreshRealm(Film.types) { realm in
            try await realm.write { tx in
                let text =
                    #"[{"id": 1}, {"id": 2, "title": "x", "sequel": {"id": 3, "year": "?"}}]"#
                #expect(throws: RealmError.self) {
                    try tx.create(Film.self, json: Data(text.utf8))
                }
                _ = try tx.create(Film.self, json: Data(#"{"id": 3, "title": "x"}"#.utf8))
            }
            #expect(realm.objects(Film.self).map(\.id) == [1, 3])
            #expect(realm.objects(Film.self).where { $0.title == "x" }.count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Embedded objects in front of the one at fault stayed, without an owner.
    @Test(arguments: [UpdatePolicy.error, .all, .modified])
    func noEmbeddedObjectStaysWithoutAnOwner(update: UpdatePolicy) async throws {
        try await withFreshRealm(Film.types) { realm in
            let isThere = update != .error
            try await realm.write { tx in
                if isThere {
                    let text = #"{"id": 1, "places": [{"city": "A"}]}"#
                    try tx.create(Film.self, json: Data(text.utf8))
                }
                let text = #"{"id": 1, "places": [{"city": "B"}, {"city": "C"}, {"city": 5}]}"#
                #expect(throws: RealmError.self) {
                    try tx.create(Film.self, json: Data(text.utf8), update: update)
                }
            }
            #expect(try realm.dynamicObjects("Address").count == (isThere ? 1 : 0))
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Every import that failed went over all embedded objects of the transaction.
    @Test func anImportThatFailsLooksAtNothingThatWasThereBefore() async throws {
        try await withFreshRealm(Film.types) { realm in
            try await realm.write { tx in
                let tree = try #require(tx.liveContext.tree)
                let address = try #require(tree.schema.classID(named: "Address"))
                // Without an owner so far.
                let row = tree.createRow(address)
                for text in [
                    #"{"id": 1, "places": [{"city": "B"}, {"city": 5}]}"#, #"{"id": "x"}"#,
                ] {
                    #expect(throws: RealmError.self) {
                        try tx.create(Film.self, json: Data(text.utf8))
                    }
                    #expect(tree.count(address) == 1)
                }
                tree.delete(address, [row])
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test func aPrimaryKeyThatExistsIsRefused() async throws {
        #expect(try await message(#"[{"id": 1}, {"id": 1}]"#).contains("primary key 1"))
        let nested = #"[{"id": 1, "cast": [{"name": "A"}, {"name": "A"}]}]"#
        #expect(try await message(nested).contains("'Actress' with primary key A"))
    }

    @Test func anUpdateNeedsAPrimaryKey() async throws {
        try await withFreshRealm([Stamped.self]) { realm -> Void in
            await #expect(throws: RealmError.noPrimaryKey(className: "Stamped")) {
                try await realm.write { tx in
                    _ = try tx.create(Stamped.self, json: Data("[]".utf8), update: .all)
                }
            }
        }
    }
}
