import Foundation
import RealmActors
import Testing

private enum Keyed {
    final class Place: Object {
        @Persisted(primaryKey: true) var street: String
        @Persisted var inner: Before.Nest?
    }
    final class Person: Object {
        @Persisted(primaryKey: true) var key: String
        @Persisted var id: Int
    }
}
private enum Rooted {
    final class Nest: Object {
        @Persisted var depth: Int
    }
    final class Place: Object {
        @Persisted var street: String
        @Persisted var inner: Nest?
    }
}
private enum Renaming {
    final class Draft: Object {
        @Persisted var body: String?
    }
    final class Number: Object {
        @Persisted var text: Int
    }
}

private enum Looped {
    final class Node: Object {
        @Persisted var name: String
        @Persisted var next: Node?
    }
    final class Owner: Object {
        @Persisted var node: Node?
    }
}
private enum LoopedEmbedding {
    final class Node: EmbeddedObject {
        @Persisted var name: String
        @Persisted var next: Node?
    }
    final class Owner: Object {
        @Persisted var node: Node?
    }
}

/// Primary keys, embedded classes and names in migrations.
@Suite struct MigrationKeyTests {
    @Test("G11: it finds its objects")
    func aPrimaryKeyThatIsAddedFindsItsObjects() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Keyed.Place.self, Before.Nest.self],
                    schemaVersion: 1))
            #expect(realm.object(Keyed.Place.self, forPrimaryKey: "S2")?.inner?.depth == 2)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G3, G11: duplicates are named and everything is rolled back")
    func duplicateKeysAreNamedAndEverythingIsRolledBack() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Keyed.Place.self, Before.Nest.self], schemaVersion: 1)
            configuration.migration = { migration, _ in
                try migration.enumerate("Place") { _, new in new?["street"] = "same" }
            }
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(
                error
                    == .duplicatePrimaryKeys(
                        className: "Place", property: "street", values: ["same (3 objects)"]))
            #expect(try await Before.isIntact(path))
        }
    }

    @Test("O7, G11: a key of another type is filled in the block")
    func aKeyOfAnotherTypeIsFilledInTheBlock() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 300)
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Keyed.Person.self], schemaVersion: 1)
            let empty = try await Realm.migrationPlan(for: configuration)
            #expect(
                empty.clashes.first?.values == ["\"\" (300 objects)"]
                    || empty.clashes.first?.values == [" (300 objects)"])
            #expect(empty.outcome == .migrate && empty.touchedObjects["Person"] == 300)
            configuration.migration = { migration, _ in
                try migration.enumerate("Person") { old, new in
                    new?["key"] = "k\(old?["id"] as? Int ?? -1)"
                }
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.object(Keyed.Person.self, forPrimaryKey: "k255")?.id == 255)
            try await realm.write { tx in
                #expect(throws: RealmError.self) {
                    try tx.create(Keyed.Person.self, value: ["key": "k7"])
                }
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G12: objects stay, and no longer go with their parents")
    func anEmbeddedClassBecomesTopLevel() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Rooted.Place.self, Rooted.Nest.self],
                    schemaVersion: 1))
            #expect(realm.objects(Rooted.Nest.self).values(of: \.depth) == [0, 1, 2])
            try await realm.write { tx in tx.objects(Rooted.Place.self).first?.inner = nil }
            #expect(realm.objects(Rooted.Nest.self).count == 3)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Objects without a parent go, those with several are copied.
    @Test("G12: orphans go, objects with several parents are copied")
    func aTopLevelClassBecomesEmbedded() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let old = try await Realm.open(.init(path: path, objectTypes: Before.types))
            try await old.write { tx in
                try tx.create(
                    Before.Place.self, value: ["street": "orphan", "inner": ["depth": 9]])
                let person = tx.object(Before.Person.self, forPrimaryKey: 1)
                if let home = person?.home { person?.homes.append(home) }
            }
            try await old.close()
            let realm = try await Realm.open(
                .init(
                    path: path,
                    objectTypes: [Embedding.Person.self, Embedding.Place.self, Before.Nest.self],
                    schemaVersion: 1))
            for person in realm.objects(Embedding.Person.self) {
                #expect(person.home?.street == "S\(person.id)")
                #expect(person.home?.inner?.depth == person.id)
                #expect(person.homes.count == (person.id == 1 ? 2 : 1))
                #expect(person.homes.allSatisfy { $0.street == "S\(person.id)" })
                #expect(person.homes.allSatisfy { $0.inner?.depth == person.id })
            }
            #expect(try realm.dynamicObjects("Place").count == 7)
            #expect(try realm.dynamicObjects("Nest").count == 7)
            #expect(try await realm.verify().isIntact)
            try await realm.write { tx in
                if let person = tx.object(Embedding.Person.self, forPrimaryKey: 1) {
                    try tx.delete(person)
                }
            }
            #expect(try realm.dynamicObjects("Place").count == 4)
            try await realm.close()
        }
    }

    /// It was copied again and again, until the stack was used up.
    @Test("G12: an object that leads back to itself is not copied")
    func anObjectThatWouldBeAPartOfItselfIsRefused() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Looped.Owner.self, Looped.Node.self]))
            try await old.write { tx in
                let first = try tx.create(Looped.Node.self, value: ["name": "a"])
                let second = try tx.create(Looped.Node.self, value: ["name": "b"])
                first.next = second
                second.next = first
                let owner = try tx.create(Looped.Owner.self)
                owner.node = first
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [LoopedEmbedding.Owner.self, LoopedEmbedding.Node.self],
                schemaVersion: 1)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(error?.description.contains("part of itself") == true)
            let refused = try await Realm.migrationPlan(for: configuration)
            #expect(refused.description.contains("part of itself"))
            configuration.migration = { migration, _ in
                try migration.enumerate("Node") { old, new in
                    if old?["name"] as? String == "b" { new?["next"] = nil }
                }
            }
            // What that does, the plan cannot know.
            let migrated = try await Realm.migrationPlan(for: configuration)
            #expect(migrated.outcome == .migrate)
            let realm = try await Realm.open(configuration)
            let node = realm.objects(LoopedEmbedding.Owner.self).first?.node
            #expect(node?.name == "a" && node?.next?.name == "b" && node?.next?.next == nil)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G10: renames follow each other and may make optional")
    func renamesFollowEachOtherAndMayMakeOptional() async throws {
        for isLate in [false, true] {
            try await withStorePath { path in
                try await Before.fill(path)
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [Renaming.Draft.self], schemaVersion: 3)
                configuration.migration = { migration, _ in
                    if isLate { try migration.enumerate("Draft") { _, _ in } }
                    try migration.renameProperty(onType: "Draft", from: "text", to: "interim")
                    try migration.renameProperty(onType: "Draft", from: "interim", to: "body")
                    try migration.enumerate("Draft") { old, new in
                        #expect(new?["body"] as? String == old?["text"] as? String)
                        #expect(throws: RealmError.self) { try new?.value(forName: "interim") }
                    }
                }
                let realm = try await Realm.open(configuration)
                #expect(
                    realm.objects(Renaming.Draft.self).values(of: \.body) == ["d0", "d1", "d2"])
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
        }
    }

    @Test("G10: missing names are refused")
    func renamesOfMissingNamesAndOtherTypesAreRefused() async throws {
        let wrong: [(String, String, String)] = [
            ("Nothing", "text", "body"), ("Draft", "nothing", "body"), ("Draft", "text", "nothing"),
        ]
        try await withStorePath { path in
            try await Before.fill(path)
            for (name, from, to) in wrong {
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [Renaming.Draft.self], schemaVersion: 1)
                configuration.migration = { migration, _ in
                    try migration.renameProperty(onType: name, from: from, to: to)
                }
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(configuration)
                }
                guard case .invalidKeyPath = error else {
                    Issue.record("\(name).\(from) to \(to): \(String(describing: error))")
                    continue
                }
            }
            #expect(try await Before.isIntact(path))
        }
    }
}
