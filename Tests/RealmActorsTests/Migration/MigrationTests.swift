import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// The persons after every kind of change.
private enum After {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String
        @Persisted var age: Int
        @Persisted var score: Double
        @Persisted var size: Int?
        @Persisted var mood: String = "calm"
        @Persisted var home: Place?
        @Persisted var homes: List<Place>
        @Persisted var tags: List<String>
    }
    final class Place: Object {
        @Persisted var street: String
        @Persisted var inner: Nest?
    }
    final class Nest: EmbeddedObject {
        @Persisted var depth: Int
    }
    static let types: [ObjectBase.Type] = [Person.self, Place.self, Nest.self]

    static func configuration(
        _ path: String, _ migration: (@Sendable (Migration, UInt64) throws -> Void)? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            path: path, objectTypes: types, schemaVersion: 1, migration: migration)
    }
}

private enum Watched {
    final class Kennel: Object {
        @Persisted var name: String
    }
    final class Keeper: Object {
        @Persisted var name: String
        @Persisted var kennel: Kennel?
        @Persisted var kennels: List<Kennel>
    }
}

/// What a migration calls, keeps and leaves behind.
@Suite struct MigrationTests {
    @Test("G5: every difference is listed, with what to do")
    func everyDifferenceIsListedAndSaysWhatToDo() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = After.configuration(path)
            configuration.schemaVersion = 0
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            guard case .schemaMismatch(let differences) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            for name in [
                "fullName' has been removed", "name' has been added", "age' was string",
                "score' was optional double", "size' was int and is optional int", "mood' has been",
            ] { #expect(differences.contains { $0.contains(name) }, "\(name)") }
            #expect(differences.count == 6)
            #expect(error?.description.contains("Raise schemaVersion") == true)
            #expect(try await Before.isIntact(path))
        }
    }

    @Test("G1, G7: a block fills the new objects from the old ones")
    func aBlockFillsTheNewObjectsFromTheOldOnes() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 600)
            let realm = try await Realm.open(
                After.configuration(path) { migration, oldVersion in
                    #expect(oldVersion == 0 && migration.newVersion == 1)
                    try migration.renameProperty(onType: "Person", from: "fullName", to: "name")
                    try migration.enumerateObjects(ofType: "Person") { old, new in
                        #expect(new?["mood"] as? String == "calm")
                        new?["age"] = Int(old?["age"] as? String ?? "")
                        if let score = old?["score"] as? Double { new?["score"] = score }
                        if old?["id"] as? Int == 5 { new?["mood"] = "wild" }
                    }
                })
            let persons = realm.objects(After.Person.self)
            #expect(persons.count == 600)
            for (id, person) in persons.enumerated() {
                #expect(person.name == "First\(id) Last\(id)" && person.age == 20 + id)
                #expect(person.size == id * 10 && person.home?.street == "S\(id)")
                #expect(person.score == (id.isMultiple(of: 2) ? Double(id) + 0.5 : 0))
                #expect(person.mood == (id == 5 ? "wild" : "calm") && person.tags.count == 1)
            }
            #expect(persons.where { $0.name == "First7 Last7" }.count == 1)
            #expect(try Realm.schemaVersion(at: path) == 1)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Required to optional keeps, optional to required and another type begin anew, what is not
    /// declared any more goes, and a new required property gets its default (D3).
    @Test("D3, G7: without a block they are kept as far as types agree")
    func withoutABlockValuesAreKeptAsFarAsTheirTypesAgree() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(After.configuration(path))
            for (id, person) in realm.objects(After.Person.self).enumerated() {
                #expect(person.size == id * 10)
                #expect(person.score == 0 && person.age == 0 && person.name == "")
                #expect(person.mood == "calm")
            }
            try await realm.close()
        }
    }

    @Test("G6: not for a new store, nor at the same version")
    func aBlockIsNotCalledForANewStoreNorAtTheSameVersion() async throws {
        try await withStorePath { path in
            let refusing = After.configuration(path) { _, _ in
                throw RealmError.invalidValue("It was called.")
            }
            for _ in 0..<2 {
                let realm = try await Realm.open(refusing)
                try await realm.close()
            }
            #expect(try Realm.schemaVersion(at: path) == 1)
        }
    }

    @Test("G1, G6: a lower version is refused")
    func aLowerVersionIsRefused() async throws {
        try await withStorePath { path in
            try await Before.fill(path, version: 10)
            let expected = RealmError.schemaDowngrade(stored: 10, configured: 5)
            await #expect(throws: expected) {
                try await Realm.open(
                    .init(path: path, objectTypes: Before.types, schemaVersion: 5))
            }
            #expect(expected.description.contains("5 is less than 10"))
            #expect(try await Before.isIntact(path, version: 10))
        }
    }

    @Test("G3, G13: what a block throws leaves the store as it was")
    func whatABlockThrowsLeavesTheStoreAsItWas() async throws {
        struct Mistake: Error {}
        try await withStorePath { path in
            try await Before.fill(path, 300)
            await #expect(throws: Mistake.self) {
                try await Realm.open(
                    After.configuration(path) { migration, _ in
                        try migration.enumerateObjects(ofType: "Person") { old, new in
                            new?["name"] = "changed"
                            if old?["id"] as? Int == 290 { throw Mistake() }
                        }
                    })
            }
            #expect(try await Before.isIntact(path, 300))
        }
    }

    /// It was noted before it was refused, and moved numbers to texts in the end, which stopped the
    /// program.
    @Test("G10: a refused rename has no effect, even if the block continues")
    func aRefusedRenameHasNotHappened() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                After.configuration(path) { migration, _ in
                    try migration.enumerateObjects(ofType: "Person") { _, new in new?["age"] = 1 }
                    #expect(throws: RealmError.self) {
                        try migration.renameProperty(onType: "Person", from: "score", to: "mood")
                    }
                })
            #expect(realm.objects(After.Person.self).allSatisfy { $0.mood == "calm" })
            #expect(realm.objects(After.Person.self).allSatisfy { $0.age == 1 })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G8: only old objects that are still there are enumerated")
    func objectsAreCreatedAndDeletedAndOnlyOldOnesAreEnumerated() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                After.configuration(path) { migration, _ in
                    let made = try migration.create("Person", value: ["id": 9, "name": "new"])
                    #expect(made["mood"] as? String == "calm")
                    var visited = 0
                    try migration.enumerate("Person") { old, new in
                        visited += 1
                        if old?["id"] as? Int == 1, let new { try migration.delete(new) }
                    }
                    try migration.enumerate("Person") { old, new in
                        #expect(new != nil && old?["id"] as? Int != 1)
                    }
                    #expect(visited == 3)
                })
            #expect(realm.objects(After.Person.self).values(of: \.id) == [0, 2, 9])
            #expect(realm.objects(After.Place.self).count == 3)
            try await realm.close()
        }
    }

    @Test("D20, G9: a class not declared keeps its data until then")
    func aClassThatIsNoLongerDeclaredKeepsItsDataUntilDeleted() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var realm = try await Realm.open(
                After.configuration(path) { migration, _ in
                    try migration.enumerate("Draft") { old, new in
                        #expect(old?["text"] as? String != nil && new == nil)
                    }
                })
            #expect(try realm.dynamicObjects("Draft").count == 3)
            try await realm.close()
            var configuration = After.configuration(path) { migration, _ in
                let (there, missing) = (
                    try migration.deleteData(forType: "Draft"),
                    try migration.deleteData(forType: "Nothing")
                )
                #expect(there && !missing)
            }
            configuration.schemaVersion = 2
            realm = try await Realm.open(configuration)
            #expect(throws: RealmError.self) { try realm.dynamicObjects("Draft") }
            #expect(realm.objects(After.Person.self).count == 3)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            // The name is free for another class.
            configuration.objectTypes.append(Before.Draft.self)
            realm = try await Realm.open(configuration)
            #expect(realm.objects(Before.Draft.self).count == 0)
            try await realm.close()
        }
    }

    /// They stayed, and led to a class without a name, in which objects could still be created.
    @Test("G9: links of other undeclared classes go with the class that they lead to")
    func linksToAClassThatIsDeleted() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(
                path: path,
                objectTypes: [Before.Draft.self, Watched.Kennel.self, Watched.Keeper.self])
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in
                let kennel = try tx.create(Watched.Kennel.self, value: ["name": "k"])
                let values: [String: Any] = ["name": "a", "kennel": kennel, "kennels": [kennel]]
                try tx.create(Watched.Keeper.self, value: values)
            }
            try await realm.close()
            var narrow = configuration
            narrow.objectTypes = [Before.Draft.self]
            narrow.schemaVersion = 1
            narrow.migration = { migration, _ in try migration.deleteData(forType: "Kennel") }
            realm = try await Realm.open(narrow)
            let keeper = try #require(try realm.dynamicObjects("Keeper").first)
            #expect(try keeper["name"] == "a")
            #expect(throws: RealmError.self) { try keeper["kennel"] }
            #expect(throws: RealmError.self) { try keeper["kennels"] }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            // The classes may come back, as additions.
            configuration.schemaVersion = 1
            realm = try await Realm.open(configuration)
            #expect(realm.objects(Watched.Keeper.self).map(\.name) == ["a"])
            #expect(realm.objects(Watched.Keeper.self).first?.kennel == nil)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// The object stayed behind in the class that had been taken out of the store.
    @Test("G8, G9: objects of a class that is not declared any more are not created")
    func objectsOfAClassThatIsNotDeclaredAreNotCreated() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                After.configuration(path) { migration, _ in
                    #expect(throws: RealmError.self) { try migration.create("Draft") }
                    try migration.deleteData(forType: "Draft")
                    #expect(throws: RealmError.self) { try migration.create("Draft") }
                })
            #expect(throws: RealmError.self) { try realm.dynamicObjects("Draft") }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G4: additions need neither a version nor code")
    func additionsNeedNeitherAVersionNorCode() async throws {
        enum Wider {
            final class Place: Object {
                @Persisted(indexed: true) var street: String
                @Persisted var inner: Before.Nest?
                @Persisted var country: String = "NL"
                @Persisted var note: String?
            }
            final class Extra: Object {
                @Persisted var number: Int
            }
        }
        try await withStorePath { path in
            try await Before.fill(path, 300)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Wider.Place.self, Wider.Extra.self, Before.Nest.self])
            let plan = try await Realm.migrationPlan(for: configuration)
            #expect(plan.outcome == .extend && plan.defaults.count == 2)
            let realm = try await Realm.open(configuration)
            let places = realm.objects(Wider.Place.self)
            #expect(places.where { $0.country == "NL" }.count == 300)
            #expect(places.where { $0.street == "S7" }.count == 1 && places.first?.note == nil)
            #expect(try realm.dynamicObjects("Person").count == 300)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            // Indexes may go without a word, too.
            let again = try await Realm.open(
                .init(
                    path: path, objectTypes: [Before.Place.self, Before.Nest.self],
                    schemaVersion: 1))
            #expect(again.objects(Before.Place.self).where { $0.street == "S7" }.count == 1)
            #expect(try await again.verify().isIntact)
            try await again.close()
        }
    }

    @Test func aMigrationIsCancelledWithTheTaskThatOpens() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 600)
            let opening = Mutex<Task<Realm, any Error>?>(nil)
            let task = Task {
                try await Realm.open(
                    After.configuration(path) { migration, _ in
                        try migration.enumerate("Person") { _, new in
                            new?["name"] = "x"
                            while opening.withLock({ $0 }) == nil { sched_yield() }
                            opening.withLock { $0 }?.cancel()
                        }
                    })
            }
            opening.withLock { $0 = task }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await Before.isIntact(path, 600))
        }
    }

    @Test func progressTellsTheClassAndHowFarItIs() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 600)
            let seen = Mutex<[MigrationProgress]>([])
            var configuration = After.configuration(path) { migration, _ in
                try migration.enumerate("Person") { _, _ in }
            }
            configuration.migrationProgress = { progress in seen.withLock { $0.append(progress) } }
            let realm = try await Realm.open(configuration)
            let reported = seen.withLock { $0 }
            #expect(reported.map(\.completed) == [256, 512, 600])
            #expect(reported.last?.fraction == 1 && reported.last?.className == "Person")
            try await realm.close()
        }
    }

    /// Commits from before a migration are reported with present names, without the values of
    /// removed properties.
    @Test func theHistoryGoesOnAcrossAMigration() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var old = Realm.Configuration(path: path, objectTypes: Before.types)
            old.history = .keep(bytes: 1 << 20)
            var realm = try await Realm.open(old)
            let token = realm.snapshot().changeToken
            try await realm.write { tx in
                try tx.create(Before.Person.self, value: ["id": 7, "fullName": "x", "age": "1"])
                tx.object(Before.Person.self, forPrimaryKey: 1)?.fullName = "y"
            }
            try await realm.close()
            var configuration = After.configuration(path) { migration, _ in
                try migration.renameProperty(onType: "Person", from: "fullName", to: "name")
            }
            configuration.history = old.history
            realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.create(After.Person.self, value: ["id": 9]) }
            var commits = realm.commits(since: token).makeAsyncIterator()
            let first = try #require(try await commits.next())
            let inserted = try #require(first.insertions(of: After.Person.self).first)
            #expect(inserted.values.keys.contains("name") && !inserted.values.keys.contains("age"))
            let modified = first.modifications(of: After.Person.self)
            #expect(modified.map(\.propertyNames) == [["name"]])
            #expect(try await commits.next()?.author == "migration")
            #expect(try await commits.next()?.classNames == ["Person"])
            try await realm.close()
        }
    }
}
