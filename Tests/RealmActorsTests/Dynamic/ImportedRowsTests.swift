import Foundation
import RealmActors
import Testing

private final class Walker: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var home: House?
    @Persisted var seen: List<House>
    @Persisted var keys: Map<String, House?>
}

private final class House: Object {
    @Persisted var street: String
    @Persisted var next: House?
    @Persisted var door: Door?
}

private final class Door: EmbeddedObject {
    @Persisted var colour: String
    @Persisted var leadsTo: House?
}

private final class Visit: Object {
    @Persisted var walker: Walker?
    @Persisted var place: House?
}

/// JSON that names objects without a primary key by numbers.
@Suite struct ImportedRowsTests {
    private static let types: [ObjectBase.Type] = [Walker.self, House.self, Door.self]
    private static let walkers = """
        [{"name": "Ann", "home": 7, "seen": [7, 9, 7], "keys": {"a": 9, "b": null}},
         {"name": "Bo", "home": {"$row": 9, "street": "South", "next": 7}}]
        """
    private static let houses = """
        [{"$row": 7, "street": "North", "next": 9, "door": {"colour": "red", "leadsTo": 7}},
         {"street": "Nobody's"}]
        """

    @Test(arguments: [true, false])
    func linksLeadToTheObjectsThatHaveTheNumbers(_ linksComeFirst: Bool) async throws {
        try await withFreshRealm(Self.types) { realm in
            let parts = [("Walker", Self.walkers), ("House", Self.houses)]
            let order: [(String, String)] = linksComeFirst ? parts : parts.reversed()
            let missing = try await realm.write { tx in
                var rows = ImportedRows()
                for (name, json) in order {
                    try tx.dynamicCreate(
                        name, json: Data(json.utf8), rows: &rows, unknownKeys: .refuse)
                }
                return rows.missing
            }
            #expect(missing.isEmpty && realm.objects(House.self).count == 3)
            let ann = try #require(realm.object(Walker.self, forPrimaryKey: "Ann"))
            let north = try #require(ann.home)
            let south = try #require(realm.object(Walker.self, forPrimaryKey: "Bo")?.home)
            #expect(north.street == "North" && south.street == "South")
            #expect(north.next == south && south.next == north)
            #expect(north.door?.colour == "red" && north.door?.leadsTo == north)
            #expect(Array(ann.seen) == [north, south, north])
            #expect(ann.keys["a"]??.street == "South" && ann.keys["b"] == .some(nil))
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test func numbersAreKnownToTheNextTransactionWithTheSameValue() async throws {
        try await withFreshRealm(Self.types) { realm in
            let rows = try await realm.write { tx in
                var rows = ImportedRows()
                try tx.dynamicCreate("Walker", json: Data(Self.walkers.utf8), rows: &rows)
                return rows
            }
            #expect(rows.missing == ["House": [7]])
            let rest = try await realm.write { tx in
                var rows = rows
                try tx.dynamicCreate("House", json: Data(Self.houses.utf8), rows: &rows)
                return rows
            }
            #expect(rest.missing.isEmpty && realm.objects(House.self).count == 3)
            let ann = try #require(realm.object(Walker.self, forPrimaryKey: "Ann"))
            #expect(ann.home?.street == "North" && ann.home?.next?.street == "South")
        }
    }

    /// What an import fails with; nil when it does not.
    private static func failure(
        _ tx: WriteTransaction, _ name: String, _ json: String, _ rows: inout ImportedRows,
        update: UpdatePolicy = .error, unknownKeys: UnknownKeys = .ignore,
        links: ImportedLinks = .create
    ) -> String? {
        do {
            _ = try tx.dynamicCreate(
                name, json: Data(json.utf8), rows: &rows, update: update,
                unknownKeys: unknownKeys, links: links)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aNumberThatNamesAnExistingObjectObeysTheOptions() async throws {
        try await withFreshRealm(Self.types) { realm in
            let missing = try await realm.write { tx in
                var rows = ImportedRows()
                let houses = #"[{"$row": 7, "street": "North"}, {"$row": 9, "next": 8}]"#
                try tx.dynamicCreate("House", json: Data(houses.utf8), rows: &rows)
                for update in [UpdatePolicy.error, .modified] {
                    let wrong = #"{"name": "Ann", "home": {"$row": 7, "stret": "X"}}"#
                    let error = Self.failure(
                        tx, "Walker", wrong, &rows, update: update, unknownKeys: .refuse,
                        links: .existing)
                    #expect(error?.contains("has no property 'stret'") == true)
                }
                let kept = #"{"name": "Bo", "home": {"$row": 7, "street": "X"}}"#
                let first = Self.failure(tx, "Walker", kept, &rows, links: .existing)
                let changed = #"{"name": "Cy", "home": {"$row": 8, "street": "South"}}"#
                let second = Self.failure(
                    tx, "Walker", changed, &rows, update: .modified, links: .existing)
                #expect(first == nil && second == nil)
                let unknown = #"{"name": "Di", "home": {"$row": 5, "street": "X"}}"#
                let third = Self.failure(tx, "Walker", unknown, &rows, links: .existing)
                #expect(third?.contains("no 'House' with the number 5") == true)
                return rows.missing
            }
            #expect(missing.isEmpty && realm.objects(House.self).count == 3)
            let bo = try #require(realm.object(Walker.self, forPrimaryKey: "Bo"))
            let cy = try #require(realm.object(Walker.self, forPrimaryKey: "Cy"))
            #expect(bo.home?.street == "North" && cy.home?.street == "South")
        }
    }

    /// The second one took the place of the first.
    @Test func twoObjectsWithOneNumberAreRefused() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                var rows = ImportedRows()
                let twice = #"[{"$row": 7, "street": "North"}, {"$row": 7, "street": "South"}]"#
                let first = Self.failure(tx, "House", twice, &rows)
                #expect(first?.contains("The 'House' at [1] has the '$row' 7") == true)
                // Where they are linked to, they may stand as well: before and after.
                let linked = #"""
                    [{"$row": 1, "street": "A", "next": {"$row": 2, "street": "B", "next": 1}},
                     {"$row": 2, "street": "B", "next": {"$row": 1, "street": "A", "next": 2}}]
                    """#
                let second = Self.failure(tx, "House", linked, &rows)
                #expect(second == nil)
                let third = Self.failure(tx, "House", #"{"$row": 2, "street": "C"}"#, &rows)
                #expect(third?.contains("The 'House' has the '$row' 2") == true)
            }
            #expect(realm.objects(House.self).count == 3)
            #expect(Set(realm.objects(House.self).map { $0.street }) == ["North", "A", "B"])
        }
    }

    @Test func anObjectThatIsFilledByHalfIsStillMissing() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                var rows = ImportedRows()
                let walker = #"{"name": "Ann", "home": 7}"#
                try tx.dynamicCreate("Walker", json: Data(walker.utf8), rows: &rows)
                let half = #"{"$row": 7, "street": "South", "door": 5}"#
                let first = Self.failure(tx, "House", half, &rows)
                #expect(first?.contains("'House.door'") == true)
                #expect(rows.missing == ["House": [7]])
                let whole = #"{"$row": 7, "street": "North"}"#
                let second = Self.failure(tx, "House", whole, &rows)
                #expect(second == nil && rows.missing.isEmpty)
            }
            let ann = try #require(realm.object(Walker.self, forPrimaryKey: "Ann"))
            #expect(ann.home?.street == "North" && realm.objects(House.self).count == 1)
        }
    }

    @Test func anObjectAndALinkHaveOneNumberHoweverItIsWritten() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                var rows = ImportedRows()
                let houses = #"[{"$row": 7.0, "street": "North", "next": 7.0}]"#
                let first = Self.failure(tx, "House", houses, &rows)
                let walker = #"{"name": "Ann", "home": 7.0, "seen": [7, 7.00]}"#
                let second = Self.failure(tx, "Walker", walker, &rows)
                #expect(first == nil && second == nil && rows.missing.isEmpty)
                let part = Self.failure(tx, "Walker", #"{"name": "Bo", "home": 7.5}"#, &rows)
                #expect(part?.contains("'Walker.home'") == true)
            }
            let ann = try #require(realm.object(Walker.self, forPrimaryKey: "Ann"))
            #expect(ann.home?.street == "North" && ann.seen.count == 2)
            #expect(realm.objects(House.self).count == 1)
        }
    }

    @Test func whatIsNoNumberOfAnObjectIsRefused() async throws {
        try await withFreshRealm(Self.types) { realm in
            func message(
                _ name: String, _ json: String, _ links: ImportedLinks = .create
            ) async throws -> String {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        var rows = ImportedRows()
                        _ = try tx.dynamicCreate(
                            name, json: Data(json.utf8), rows: &rows, links: links)
                    }
                }
                return "\(error as Any)"
            }
            let text = try await message("House", #"{"$row": "x"}"#)
            #expect(text.contains("that is not an integer"))
            let unknown = try await message(
                "Walker", #"{"name": "Cy", "home": 7}"#, .existing)
            #expect(unknown.contains("no 'House' with the number 7"))
            let link = try await message("Walker", #"{"name": "Cy", "home": "7"}"#)
            #expect(link.contains("'Walker.home'"))
            // Where nobody has asked for numbers, there are none.
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    _ = try tx.dynamicCreate("House", json: Data(Self.houses.utf8))
                }
            }
            #expect(realm.objects(Walker.self).isEmpty && realm.objects(House.self).isEmpty)
        }
    }

    /// An object without a primary key could only be imported where nothing that it links to was
    /// there already.
    @Test func whatHasNoKeyUpdatesWhatItLinksTo() async throws {
        let visits = #"""
            [{"walker": {"name": "Ann", "home": 7}, "place": {"$row": 7, "street": "A"}},
             {"walker": {"name": "Ann"}, "place": {"$row": 7, "street": "B"}}]
            """#
        try await withFreshRealm(Self.types + [Visit.self]) { realm in
            try await realm.write { tx in
                var rows = ImportedRows()
                let refused = Self.failure(tx, "Visit", visits, &rows)
                #expect(refused?.contains("primary key Ann") == true)
            }
            try await realm.write { tx in
                try tx.deleteAll()
                var rows = ImportedRows()
                let failure = Self.failure(tx, "Visit", visits, &rows, update: .modified)
                #expect(failure == nil && rows.missing.isEmpty)
            }
            #expect(realm.objects(Visit.self).count == 2 && realm.objects(House.self).count == 1)
            let ann = try #require(realm.object(Walker.self, forPrimaryKey: "Ann"))
            #expect(ann.home?.street == "B")
            #expect(realm.objects(Visit.self).allSatisfy { $0.walker == ann })
            #expect(try await realm.verify().isIntact)
        }
    }
}
