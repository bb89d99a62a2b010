import Foundation
import RealmActors
import Testing

/// Files that Realm wrote, imported as an app would.
@Suite struct RealmFileImportTests {
    final class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var short: String
        @Persisted var medium: String?
        @Persisted var long: String?
        @Persisted var data: Data?
        @Persisted var any: AnyRealmValue
        @Persisted var date: Date?
        @Persisted var oid: ObjectId?
        @Persisted var dec: Decimal128
        @Persisted var list: List<Int>
        @Persisted var map: Map<String, String>
        @Persisted var other: Thing?
        @Persisted var others: List<Thing>
        @Persisted(originProperty: "other") var ofOther: LinkingObjects<Thing>
        @Persisted(originProperty: "others") var ofOthers: LinkingObjects<Thing>
    }

    static let files = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("StorageTests/RealmFiles/Files")
    static let small = files.appendingPathComponent("small.realm")

    @Test func modelsOfTheAppOpenWhatWasImported() async throws {
        let path = TestFolder.path("imported")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let configuration = Realm.Configuration(
            path: path, objectTypes: [Thing.self], schemaVersion: 4)
        let report = try await Realm.importRealmFile(at: Self.small, into: configuration)
        #expect(report.objectCounts == ["Thing": 300])
        #expect(report.isComplete && report.droppedOrphans == 0)
        let realm = try await Realm.open(configuration)
        #expect(try await realm.verify().isIntact)
        let things = realm.objects(Thing.self)
        #expect(things.count == 300)
        #expect(things.map { $0.id } == Array(0..<300))
        let second = try #require(realm.object(Thing.self, forPrimaryKey: 1))
        #expect(second.short == "s1" && second.medium == "dmskdykvmvseoccmnqvrx")
        #expect(second.long == nil && second.data == nil)
        #expect(second.list.count == 1201 && Array(second.list.prefix(5)) == [0, 0, 3, 6, 9])
        #expect(second.date == Date(timeIntervalSince1970: 100_000.000_000_001))
        #expect("\(second.oid?.description ?? "")" == "5f7b5c1d8e1b2c3d4e5f6071")
        // It continues like any other realm.
        try await realm.write { tx in
            let new = try tx.create(Thing.self, value: ["id": 1_000, "short": "new"])
            new.other = tx.object(Thing.self, forPrimaryKey: 1)
        }
        #expect(realm.object(Thing.self, forPrimaryKey: 1_000)?.other?.short == "s1")
        try await realm.close()
    }

    @Test func withoutModelsTheNamesAreThoseOfTheFile() async throws {
        let path = TestFolder.path("dynamic")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await Realm.importRealmFile(at: Self.small, into: path)
        let realm = try await Realm.open(
            Realm.Configuration(path: path, objectTypes: [], schemaVersion: 4))
        let things = try realm.dynamicObjects("Thing")
        #expect(things.count == 300)
        let short: FrozenValue? = try things.first.map { try $0["short"] }
        #expect(short == .string("s0"))
        try await realm.close()
    }

    @Test func infoSaysWhatIsThere() async throws {
        let info = try await Realm.realmFileInfo(at: Self.small)
        #expect(info.format == 24 && info.schemaVersion == 4 && !info.isEncrypted)
        #expect(info.classes.map(\.name) == ["Thing"])
        let thing = try #require(info.classes.first)
        #expect(thing.count == 300 && thing.primaryKey == "id" && !thing.isEmbedded)
        #expect(thing.properties.first { $0.name == "others" }?.objectClassName == "Thing")
        let unusual = Self.files.appendingPathComponent("unusual.realm")
        #expect(try await !Realm.realmFileInfo(at: unusual).classes.isEmpty)
    }

    /// Models that differ migrate, or nothing is written.
    @Test func modelsThatDoNotFitAreRefusedBeforeAnythingIsWritten() async throws {
        let path = TestFolder.path("renamed")
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = Realm.Configuration(
            path: path, objectTypes: [Renamed.Thing.self], schemaVersion: 4)
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: Self.small, into: configuration)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        configuration.schemaVersion = 5
        configuration.migration = { migration, _ in
            try migration.renameProperty(onType: "Thing", from: "short", to: "title")
        }
        try await Realm.importRealmFile(at: Self.small, into: configuration)
        let realm = try await Realm.open(configuration)
        #expect(realm.objects(Renamed.Thing.self).first?.title == "s0")
        try await realm.close()
        // There is a realm now.
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: Self.small, into: configuration)
        }
    }

    /// The class of a later version of the app.
    enum Renamed {
        final class Thing: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var title: String
        }
    }

    @Test func whatIsNoSuchFileIsAClearError() async throws {
        let path = TestFolder.path("nothing")
        let text = URL(fileURLWithPath: TestFolder.path("notes"))
        defer { try? FileManager.default.removeItem(at: text) }
        try Data("no realm at all, but long enough for a header".utf8).write(to: text)
        for url in [text, URL(fileURLWithPath: path + ".realm")] {
            await #expect(throws: RealmError.self) { try await Realm.realmFileInfo(at: url) }
            await #expect(throws: RealmError.self) {
                try await Realm.importRealmFile(at: url, into: path)
            }
        }
        await #expect(throws: RealmError.self) {
            try await Realm.realmFileInfo(at: Self.small, key: Data(count: 64))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The error was one of the disk, and its advice to check that.
    @Test func theFileItselfIsNoPathForTheRealm() async throws {
        let file = URL(fileURLWithPath: TestFolder.path("itself"))
        defer { try? FileManager.default.removeItem(at: file) }
        try FileManager.default.copyItem(at: Self.small, to: file)
        let configuration = Realm.Configuration(
            path: file.path, objectTypes: [Thing.self], schemaVersion: 4)
        do {
            try await Realm.importRealmFile(at: file, into: configuration)
            Issue.record("it was imported over itself")
        } catch {
            #expect("\(error)".contains("There is a file at '\(file.path)'"))
        }
        do {
            let plan = try await Realm.importPlan(at: file, into: configuration)
            Issue.record("\(plan)")
        } catch {
            #expect("\(error)".contains("import to another path"))
        }
        #expect(try Data(contentsOf: file) == Data(contentsOf: Self.small))
    }

    /// What an app leaves that is killed meanwhile: a folder with a lock, and parts of a realm.
    @Test func anImportThatWasCutOffIsBegunAnew() async throws {
        let path = TestFolder.path("cut-off")
        let manager = FileManager.default
        defer { try? manager.removeItem(atPath: path) }
        for folder in [path, path + ".seeding/log"] {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try Data().write(to: URL(fileURLWithPath: path + "/writer.lock"))
        // An opening would make an empty realm there.
        #expect(!Realm.exists(at: path))
        let report = try await Realm.importRealmFile(at: Self.small, into: path)
        #expect(report.objectCounts == ["Thing": 300])
        #expect(Realm.exists(at: path) && !manager.fileExists(atPath: path + ".seeding"))
    }

    @Test func aCancelledImportLeavesNothing() async throws {
        let path = TestFolder.path("cancelled")
        let task = Task {
            // Safe: the task cancels itself.
            withUnsafeCurrentTask { $0?.cancel() }
            try await Realm.importRealmFile(at: Self.small, into: path)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
