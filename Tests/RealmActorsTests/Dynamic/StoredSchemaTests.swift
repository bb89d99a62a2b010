import Foundation
import RealmActors
import Storage
import Testing

private final class Ferry: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var length: Int16
    @Persisted var captain: Deckhand?
    @Persisted var crew: List<Deckhand>
    @Persisted var berths: Map<String, Berth?>
    @Persisted var cargo: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["length": "length_m"] }
}

private final class Deckhand: Object {
    @Persisted var name: String
    @Persisted var age: Int?
}

private final class Berth: EmbeddedObject {
    @Persisted var beds: Int
}

private final class Buoy: Object {
    @Persisted var isLit: Bool
}

/// Stores that are opened without the models they were made with.
@Suite struct StoredSchemaTests {
    private static func configuration(
        _ path: String, key: EncryptionKey? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            path: path, objectTypes: [Ferry.self, Deckhand.self, Berth.self], encryptionKey: key,
            writeTimeout: nil, schemaVersion: 7)
    }

    /// A store at schema version 7 with two ferries.
    private func withFerries(
        key: EncryptionKey? = nil, _ body: (String) async throws -> Void
    ) async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(Self.configuration(path, key: key))
            try await realm.write { tx in
                let ann: [String: Any] = ["name": "Ann", "age": 41]
                let ida: [String: Any] = [
                    "name": "Ida", "length": 20, "captain": ann, "crew": [["name": "Bo"]],
                    "berths": ["a": ["beds": 2]], "cargo": "coal",
                ]
                _ = try tx.create(Ferry.self, value: ida)
                _ = try tx.create(Ferry.self, value: ["name": "Eva", "length": 30])
                tx.object(Ferry.self, forPrimaryKey: "Eva")?.cargo = .object(
                    try #require(tx.objects(Deckhand.self).first))
            }
            try await realm.close()
            try await body(path)
        }
    }

    private func withStoredSchema(
        _ path: String, readOnly: Bool = false, _ body: (Realm) async throws -> Void
    ) async throws {
        let realm = try await Realm.open(
            Realm.Configuration(
                path: path, readOnly: readOnly, writeTimeout: nil, usesStoredSchema: true))
        do {
            try await body(realm)
        } catch {
            try? await realm.close()
            throw error
        }
        try await realm.close()
    }

    @Test("Z19: the schema of a store is read without models")
    func theSchemaOfAStoreIsReadWithoutModels() async throws {
        try await withFerries { path in
            let stored = try await Realm.storedSchema(at: path)
            #expect(stored.version == 7)
            #expect(stored.schema.objectSchema.map(\.className) == ["Ferry", "Deckhand", "Berth"])
            let ferry = try #require(stored.schema["Ferry"])
            #expect(ferry.primaryKeyProperty?.name == "name" && !ferry.isEmbedded)
            #expect(stored.schema["Berth"]?.isEmbedded == true)
            let length = try #require(ferry["length_m"])
            #expect(length.isIndexed && length.type == .int && !length.isOptional)
            #expect(length.integerBounds == -32768...32767)
            #expect(ferry["name"]?.integerBounds == nil)
            #expect(ferry["captain"]?.objectClassName == "Deckhand")
            #expect(ferry["captain"]?.isOptional == true && ferry["crew"]?.isArray == true)
            #expect(ferry["berths"]?.isMap == true)
            #expect(stored.description.hasPrefix("schema version 7\nFerry {"))
        }
    }

    @Test func whereNoStoreIsNoSchemaIs() async throws {
        try await withStorePath { path in
            await #expect(throws: RealmError.fileNotFound(path: path)) {
                try await Realm.storedSchema(at: path)
            }
            await #expect(throws: RealmError.self) {
                try await Realm.open(.init(path: path, usesStoredSchema: true))
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// The error was that of a disk whose folder could not be listed.
    @Test func aFileIsNoStore() async throws {
        try await withStorePath { path in
            let contents = Data("a .realm file".utf8)
            try contents.write(to: URL(fileURLWithPath: path))
            let opening = await #expect(throws: RealmError.self) {
                try await Realm.open(.init(path: path, usesStoredSchema: true))
            }
            let removal = #expect(throws: RealmError.self) { try Realm.deleteFiles(at: path) }
            for error in [opening, removal] {
                guard case .notARealm(path, let reason)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.contains("importRealmFile"))
            }
            #expect(!Realm.exists(at: path))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == contents)
        }
    }

    @Test func theSchemaIsReadWhileTheStoreIsOpen() async throws {
        try await withFerries { path in
            let realm = try await Realm.open(Self.configuration(path))
            #expect(try await Realm.storedSchema(at: path).version == 7)
            try await realm.write { tx in try tx.delete(tx.objects(Ferry.self)) }
            #expect(realm.objects(Ferry.self).isEmpty)
            try await realm.close()
        }
    }

    @Test("Z18, Q23: a store of any version is read by names")
    func aStoreOfAnyVersionIsReadByNames() async throws {
        try await withFerries { path in
            await #expect(throws: RealmError.schemaDowngrade(stored: 7, configured: 0)) {
                try await Realm.open(.init(path: path, readOnly: true))
            }
            try await withStoredSchema(path, readOnly: true) { realm in
                #expect(
                    realm.schema.objectSchema.map(\.className) == ["Ferry", "Deckhand", "Berth"])
                #expect(realm.snapshot().storedSchema.version == 7)
                let ferries = try realm.dynamicObjects("Ferry")
                let long = try ferries.filter("length_m > 20 AND captain == nil")
                #expect(try long.map { try $0["name"] } == ["Eva"])
                let led = try ferries.filter("ANY crew.name == %@ OR captain.age > 50", "Bo")
                #expect(try led.count == 1 && led[0]["name"] == "Ida")
                #expect(try led[0]["cargo"] == "coal")
                #expect(try ferries.min(ofProperty: "length_m") == 20)
                #expect(try ferries.max(ofProperty: "captain.age") == 41)
                #expect(try ferries.sum(ofProperty: "length_m") == 50)
                #expect(try ferries.filter("FALSEPREDICATE").average(ofProperty: "length_m") == nil)
                #expect(try ferries.average(ofProperty: "length_m") == 25)
                for name in ["name", "crew.age", "nothing", "captain"] {
                    #expect(throws: RealmError.self) { try ferries.sum(ofProperty: name) }
                }
                #expect(try led[0]["berths"] == .dictionary(["a": .dictionary(["beds": 2])]))
                // A value of any type that is a link.
                guard case .object(let deckhand) = try long[0]["cargo"] else {
                    Issue.record("The link in a value of any type is not there.")
                    return
                }
                #expect(try deckhand["name"] == "Ann")
                await #expect(throws: RealmError.readOnly) {
                    try await realm.write { tx in try tx.deleteAll(ofType: "Ferry") }
                }
            }
        }
    }

    @Test("Z18: a store of any version is written by names")
    func aStoreOfAnyVersionIsWrittenByNames() async throws {
        try await withFerries { path in
            let before = try await Realm.storedSchema(at: path)
            try await withStoredSchema(path) { realm in
                try await realm.write { tx in
                    let value: [String: Any] = [
                        "name": "Uta", "length_m": 12, "crew": [["name": "Cy", "age": 9]],
                    ]
                    try tx.dynamicCreate("Ferry", value: value)
                    let found = try tx.dynamicObject(ofType: "Ferry", forPrimaryKey: "Eva")
                    let eva = try #require(found)
                    eva.length_m = 31
                    #expect(throws: RealmError.self) {
                        try eva.setValue(40_000, forName: "length_m")
                    }
                    let ida = try tx.dynamicObject(ofType: "Ferry", forPrimaryKey: "Ida")
                    try tx.delete(#require(ida))
                }
                #expect(try await realm.verify().isIntact)
            }
            #expect(try await Realm.storedSchema(at: path) == before)
            let realm = try await Realm.open(Self.configuration(path))
            let lengths = realm.objects(Ferry.self).map { "\($0.name) \($0.length)" }.sorted()
            #expect(lengths == ["Eva 31", "Uta 12"])
            try await realm.close()
        }
    }

    @Test func commitsAndDifferencesHaveTheNamesOfTheStore() async throws {
        try await withFerries { path in
            try await withStoredSchema(path) { realm in
                let (older, token) = (realm.snapshot(), realm.snapshot().changeToken)
                try await realm.write(author: "tool") { tx in
                    let value: [String: Any] = ["name": "Uta", "length_m": 12]
                    try tx.dynamicCreate("Ferry", value: value)
                    try tx.dynamicObject(ofType: "Ferry", forPrimaryKey: "Eva")?.length_m = 31
                    let ida = try tx.dynamicObject(ofType: "Ferry", forPrimaryKey: "Ida")
                    try tx.delete(#require(ida))
                }
                var commits = realm.commits(since: token).makeAsyncIterator()
                let commit = try #require(try await commits.next())
                #expect(commit.author == "tool" && commit.classNames == ["Ferry", "Berth"])
                let change = try #require(commit.changes.first)
                #expect(change.insertions[0].values["name"]?.frozen == "Uta")
                #expect(change.modifications[0].propertyNames == ["length_m"])
                #expect(change.modifications[0].newValues["length_m"]?.frozen == 31)
                #expect(change.deletions.count == 1 && change.insertions[0].reference.row == 2)
                // The same place by its number.
                let behind = realm.changeToken(behind: older.version)
                var again = realm.commits(since: behind).makeAsyncIterator()
                #expect(try await again.next()?.version == commit.version)
                let differences = try realm.snapshot().changes(from: older)
                #expect(differences.classNames == ["Berth", "Ferry"])
                let ferry = "Ferry"
                #expect(
                    try differences.insertions(ofClass: ferry).map { try $0["name"] } == ["Uta"])
                #expect(try differences.deletions(ofClass: ferry).map { try $0["name"] } == ["Ida"])
                let modified = try #require(differences.modifications(ofClass: ferry).first)
                #expect(try modified.after["name"] == "Eva")
                #expect(modified.properties.map(\.name) == ["length_m"])
                #expect(differences.insertions(ofClass: "Nothing").isEmpty)
            }
        }
    }

    /// The tool of an operator beside the service whose store it is.
    @Test func aStoreThatAnotherProcessWritesIsFollowedAndWritten() async throws {
        try await SharedFolder.with { folder in
            var configuration = Self.configuration(folder.name(0))
            let service = try await Realm.open(configuration)
            try await service.write { tx in _ = try tx.create(Ferry.self, value: ["name": "Ida"]) }
            try await withStoredSchema(folder.name(1)) { tool in
                var changes = try tool.dynamicObjects("Ferry").changes(keyPaths: ["captain.age"])
                    .makeAsyncIterator()
                _ = try await changes.next()
                try await service.write { tx in
                    _ = try tx.create(Ferry.self, value: ["name": "Eva"])
                }
                guard case .update(let ferries, _, let insertions, _)? = try await changes.next()
                else {
                    Issue.record("no change")
                    return
                }
                #expect(ferries.count == 2 && Array(insertions) == [1])
                try await tool.write { tx in
                    let eva = try tx.dynamicObject(ofType: "Ferry", forPrimaryKey: "Eva")
                    eva?.length_m = 9
                }
                #expect(await service.reaches(tool.latestVersion))
                #expect(service.object(Ferry.self, forPrimaryKey: "Eva")?.length == 9)
            }
            try await service.close()
            configuration.path = folder.name(2)
            let again = try await Realm.open(configuration)
            #expect(again.objects(Ferry.self).count == 2)
            try await again.close()
        }
    }

    @Test func anOpenStoreOfThisProcessIsShared() async throws {
        try await withFerries { path in
            let typed = try await Realm.open(Self.configuration(path))
            let byNames = try await Realm.open(
                Realm.Configuration(path: path, writeTimeout: nil, usesStoredSchema: true))
            #expect(typed == byNames)
            #expect(try byNames.dynamicObjects("Ferry").count == 2)
            try await typed.close()
        }
    }

    @Test func whatContradictsTheStoredSchemaIsRefused() async throws {
        try await withFerries { path in
            var wrong = Array(
                repeating: Realm.Configuration(path: path, usesStoredSchema: true), count: 4)
            wrong[0].objectTypes = [Buoy.self]
            wrong[1].schemaVersion = 7
            wrong[2].migration = { _, _ in }
            wrong[3].deleteIfMigrationNeeded = true
            for (configuration, name) in zip(
                wrong, ["objectTypes", "schemaVersion", "migration", "deleteIfMigrationNeeded"])
            {
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(configuration)
                }
                #expect("\(error as Any)".contains("cannot have \(name)"))
            }
            let stored = try await Realm.storedSchema(at: path)
            #expect(stored.version == 7)
        }
    }

    @Test(.enabled(if: EncryptionAlgorithm.isAvailable))
    func anEncryptedStoreIsReadWithItsKey() async throws {
        let key = try EncryptionKey.made()
        try await withFerries(key: key) { path in
            #expect(try await Realm.storedSchema(at: path, encryptionKey: key).version == 7)
            await #expect(throws: RealmError.keyMissing(path: path)) {
                try await Realm.storedSchema(at: path)
            }
            let realm = try await Realm.open(
                .init(path: path, encryptionKey: key, writeTimeout: nil, usesStoredSchema: true))
            #expect(try realm.dynamicObjects("Ferry").count == 2)
            try await realm.close()
        }
    }
}
