import Foundation
import RealmActors
import Testing

private enum Reordered {
    final class Place: Object {
        @Persisted var inner: Before.Nest?
        @Persisted var street: String
    }
}
private enum Renumbered {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Before.Place?
    }
}
private enum Linked {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Before.Place?
        @Persisted var homes: List<Before.Place>
        @Persisted var birthplace: Before.Place?
        @Persisted var any: AnyRealmValue
    }
}
private enum Filled {
    enum Mood: String, PersistableEnum { case calm, wild }
    enum Level: Int, PersistableEnum { case low = 1, high }
    final class Draft: Object {
        @Persisted var text: String
        @Persisted var number: Int
        @Persisted var size: Double
        @Persisted var isNew: Bool
        @Persisted var name: String
        @Persisted var date: Date
        @Persisted var data: Data
        @Persisted var mood: Mood = .wild
        @Persisted var earlier: Mood
        @Persisted var level: Level
        @Persisted var key: UUID
        @Persisted var tag: Int = 7
        @Persisted var note: String? = "n"
        @Persisted var tags: List<String>
    }
}
private enum Optionals {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var points: Double
        @Persisted var label: String
    }
}

/// What becomes of values and of classes, and what never does.
@Suite struct MigratedValueTests {
    @Test("G4: another order of the properties")
    func reordered() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Reordered.Place.self, Before.Nest.self]))
            let places = realm.objects(Reordered.Place.self)
            #expect(places.map(\.street) == ["S0", "S1", "S2"])
            #expect(places.compactMap { $0.inner?.depth } == [0, 1, 2])
            try await realm.write { tx in
                try tx.create(Reordered.Place.self, value: [["depth": 9], "S9"])
            }
            try await realm.close()
            let again = try await Realm.open(.init(path: path, objectTypes: Before.types))
            #expect(again.objects(Before.Place.self).last?.street == "S9")
            #expect(try await again.verify().isIntact)
            try await again.close()
        }
    }

    @Test("D3, G7: a new required property has its default, else the zero of its type")
    func zeros() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let configuration = Realm.Configuration(path: path, objectTypes: [Filled.Draft.self])
            let plan = try await Realm.migrationPlan(for: configuration)
            #expect(plan.outcome == .extend)
            #expect(plan.defaults.first { $0.property == "date" }?.value.hasPrefix("1970") == true)
            #expect(plan.defaults.first { $0.property == "level" }?.value == "1")
            let realm = try await Realm.open(configuration)
            for (id, draft) in realm.objects(Filled.Draft.self).enumerated() {
                #expect(draft.text == "d\(id)" && draft.number == 0 && draft.size == 0)
                #expect(!draft.isNew && draft.name == "" && draft.data.isEmpty)
                #expect(draft.date == Date(timeIntervalSince1970: 0) && draft.tags.isEmpty)
                #expect(draft.mood == .wild && draft.tag == 7)
                #expect(draft.earlier == .calm && draft.level == .low)
                #expect(draft.key.uuidString == "00000000-0000-0000-0000-000000000000")
            }
            // What is stored is a value of its type, and does not only read as one.
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G7: what was removed is on the old object only, which is read only")
    func removed() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = Realm.Configuration(
                path: path,
                objectTypes: [Renumbered.Person.self, Before.Place.self, Before.Nest.self],
                schemaVersion: 1)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    #expect(
                        old?["fullName"] as? String == "First\(old?["id"] as? Int ?? -1)"
                            + " Last\(old?["id"] as? Int ?? -1)")
                    #expect(throws: RealmError.self) { try new?.value(forName: "fullName") }
                    #expect(migration.oldSchema["Person"]?["fullName"] != nil)
                    #expect(migration.newSchema["Person"]?["fullName"] == nil)
                    #expect(throws: RealmError.self) { try old.map { try migration.delete($0) } }
                }
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Renumbered.Person.self).count == 3)
            #expect(realm.schema["Person"]?["fullName"] == nil)
            try await realm.close()
        }
    }

    /// Each was copied, and the one before stayed, to which nothing led any more.
    @Test("G7, V7: links of old objects lead to the new ones")
    func oldLinks() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = Realm.Configuration(
                path: path,
                objectTypes: [Linked.Person.self, Before.Place.self, Before.Nest.self],
                schemaVersion: 1)
            configuration.migration = { migration, _ in
                var home: Any?
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    home = old?["home"]
                    new?["homes"] = old?["homes"]
                    new?["birthplace"] = home
                    new?["any"] = home
                }
                let values: [String: Any] = ["id": 3, "birthplace": home as Any]
                try migration.create("Person", value: values)
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Before.Place.self).map(\.street) == ["S0", "S1", "S2"])
            let persons = realm.objects(Linked.Person.self)
            #expect(persons.map { $0.birthplace?.street } == ["S0", "S1", "S2", "S2"])
            #expect(persons.map { $0.homes.map(\.street) } == [["S0"], ["S1"], ["S2"], []])
            try await realm.write { tx in
                let places = tx.objects(Linked.Person.self).map { $0.any.object(Before.Place.self) }
                #expect(places.map { $0?.street } == ["S0", "S1", "S2", nil])
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G10: other types, and optional to required, are refused")
    func wrongRenames() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            for (from, to) in [("score", "points"), ("size", "label"), ("homes", "label")] {
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [Optionals.Person.self], schemaVersion: 1)
                for isLate in [false, true] {
                    configuration.migration = { migration, _ in
                        if isLate { try migration.enumerate("Person") { _, _ in } }
                        try migration.renameProperty(onType: "Person", from: from, to: to)
                    }
                    let error = await #expect(throws: RealmError.self) {
                        try await Realm.open(configuration)
                    }
                    guard case .invalidKeyPath(let text) = error else {
                        Issue.record("\(from): \(String(describing: error))")
                        continue
                    }
                    #expect(text.contains("'Person.\(from)'") && text.contains("types differ"))
                }
            }
            #expect(try await Before.isIntact(path))
        }
    }

    @Test("G11: primary keys may be written anew in the block, each other's too")
    func renumbered() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 300)
            var configuration = Realm.Configuration(
                path: path,
                objectTypes: [Renumbered.Person.self, Before.Place.self, Before.Nest.self],
                schemaVersion: 1)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    new?["id"] = 299 - (old?["id"] as? Int ?? 0)
                }
            }
            let realm = try await Realm.open(configuration)
            for id in [0, 17, 299] {
                let person = realm.object(Renumbered.Person.self, forPrimaryKey: id)
                #expect(person?.home?.street == "S\(299 - id)")
            }
            #expect(try await realm.verify().isIntact)
            await #expect(throws: RealmError.duplicatePrimaryKey(className: "Person", key: "17")) {
                try await realm.write { tx in
                    try tx.create(Renumbered.Person.self, value: ["id": 17])
                }
            }
            try await realm.close()
        }
    }

    @Test("G8, G9: a class that stays is emptied, wrong names are refused")
    func objects() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = Realm.Configuration(
                path: path, objectTypes: Before.types, schemaVersion: 1)
            configuration.migration = { migration, _ in
                let hadPlaces = try migration.deleteData(forType: "Place")
                #expect(hadPlaces)
                try migration.create("Place", value: ["street": "new"])
                try migration.enumerate("Person") { old, new in
                    // Links to what was deleted became nil, as by any deletion.
                    #expect(new?["home"] as? MigrationObject == nil)
                    #expect((old?["home"] as? MigrationObject)?["street"] as? String != nil)
                }
                #expect(throws: RealmError.self) { try migration.create("Nothing") }
                #expect(throws: RealmError.self) { try migration.create("Nest") }
                #expect(throws: RealmError.self) { try migration.enumerate("Nothing") { _, _ in } }
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Before.Place.self).map(\.street) == ["new"])
            #expect(try realm.dynamicObjects("Nest").isEmpty)
            #expect(realm.objects(Before.Person.self).allSatisfy { $0.homes.isEmpty })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Unlike Realm, which refuses it: there is no limit to how often an object is copied.
    @Test("G12: parents that the block adds get copies of their own")
    func addedParents() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = Realm.Configuration(
                path: path,
                objectTypes: [Embedding.Person.self, Embedding.Place.self, Before.Nest.self],
                schemaVersion: 1)
            configuration.migration = { migration, _ in
                var first: MigrationObject?
                try migration.enumerate("Person") { _, new in
                    first = first ?? new?["home"] as? MigrationObject
                    new?["home"] = first
                }
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Embedding.Person.self).allSatisfy { $0.home?.street == "S0" })
            #expect(realm.objects(Embedding.Person.self).map { $0.homes.count } == [1, 1, 1])
            #expect(try realm.dynamicObjects("Place").count == 6)
            #expect(try await realm.verify().isIntact)
            try await realm.write { tx in
                tx.object(Embedding.Person.self, forPrimaryKey: 1)?.home?.street = "mine"
            }
            #expect(
                realm.objects(Embedding.Person.self).map { $0.home?.street } == [
                    "S0", "mine", "S0",
                ])
            try await realm.close()
        }
    }

    @Test("G2: schemaVersion(at:) of what is no realm is an error")
    func noRealm() async throws {
        try await withStorePath { path in
            try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: RealmError.self) { try Realm.schemaVersion(at: path) }
            guard case .notARealm = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await #expect(throws: RealmError.self) {
                try await Realm.migrationPlan(for: .init(path: path, objectTypes: Before.types))
            }
        }
    }

    @Test("D20: a link to a class that is not in objectTypes is a schema error that says so")
    func missingTarget() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(
                    .init(path: path, objectTypes: [Renumbered.Person.self], schemaVersion: 1))
            }
            guard case .invalidSchema(let problems) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problems.count == 1)
            #expect(problems.first?.contains("'Person.home'") == true)
            #expect(problems.first?.contains("'Place', which is not in objectTypes") == true)
            #expect(try await Before.isIntact(path))
        }
    }

    @Test("D20: objects of a class that is not opened keep their data, and lose links that break")
    func hiddenClass() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var realm = try await Realm.open(
                .init(path: path, objectTypes: [Before.Place.self, Before.Nest.self]))
            try await realm.write { tx in
                try tx.delete(tx.objects(Before.Place.self)[1])
                try tx.create(Before.Place.self, value: ["street": "new"])
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            realm = try await Realm.open(.init(path: path, objectTypes: Before.types))
            let persons = realm.objects(Before.Person.self)
            #expect(persons.map { $0.home?.street } == ["S0", nil, "S2"])
            #expect(persons.map { $0.homes.count } == [1, 0, 1])
            #expect(persons.map(\.fullName) == (0..<3).map { "First\($0) Last\($0)" })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("D19: an opening that fails deletes nothing and changes no byte")
    func failedOpenings() async throws {
        struct Mistake: Error {}
        try await withStorePath { path in
            try await Before.fill(path, 300, version: 3)
            let before = try FileBytes(of: path)
            let whole = Realm.Configuration(path: path, objectTypes: Before.types, schemaVersion: 3)
            var wrong: [Realm.Configuration] = []
            wrong.append(.init(path: path, objectTypes: Before.types, schemaVersion: 2))
            wrong.append(.init(path: path, objectTypes: [Optionals.Person.self], schemaVersion: 3))
            wrong.append(.init(path: path, objectTypes: [Renumbered.Person.self], schemaVersion: 4))
            wrong.append(whole)
            wrong[3].encryptionKey = .random()
            wrong.append(whole)
            wrong[4].inMemoryIdentifier = "both"
            wrong[4].path = path
            wrong[4].schemaVersion = .max
            for configuration in wrong {
                await #expect(throws: RealmError.self) { try await Realm.open(configuration) }
                #expect(try FileBytes(of: path) == before)
            }
            #expect(try await Before.isIntact(path, 300, version: 3))
        }
    }
}
